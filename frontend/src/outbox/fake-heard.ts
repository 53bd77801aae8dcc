// What was heard of a clip of two seconds, for tests without a sound device.
import type { Heard } from "./events.ts";

export const HEARD: Heard = {
  plays: 1,
  heard_ms: 2000,
  heard_full: true,
  sample_rate_hz: 48000,
  started_ms: 1000,
  ended_ms: 3000,
  stall_ms: 0,
  interruptions: [],
  answer_ms: 900,
  level_db: 0,
  latency_ms: 20,
};
