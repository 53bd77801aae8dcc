// Fake pages of trials as the server would send them, for tests without a server.
import type { TrialPage } from "./contract.ts";

export function pageOf(trial: string, media: TrialPage["media"] = {}, change: Partial<TrialPage> = {}): TrialPage {
  return {
    trial,
    position: 1,
    session: 1,
    kind: "test",
    revision: 0,
    draft: null,
    answered: false,
    view: "scales",
    example: false,
    plays_allowed: 1,
    place: { number: 1, of: 4 },
    options: {},
    page: {},
    media,
    texts: {},
    labels: {},
    ...change,
  };
}
