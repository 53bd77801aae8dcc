// From the bytes of a slice to exactly the samples that were announced.
import type { Held, Slice } from "./schedule.ts";

export interface Stretch extends Held {
  buffer: AudioBuffer;
}

/** The bytes came, but are not the sound that was announced. */
export class BrokenSlice extends Error {}

/** Decode at the recording's own rate, whatever the device runs at, and drop the lead that the decoder needed. */
export async function decode(
  context: AudioContext,
  rateHz: number,
  channels: number,
  slice: Slice,
): Promise<AudioBuffer> {
  const decoder = context.sampleRate === rateHz ? context : new OfflineAudioContext(channels, 1, rateHz);
  let whole: AudioBuffer;
  try {
    whole = await decoder.decodeAudioData(slice.bytes);
  } catch (cause) {
    throw new BrokenSlice("cannot be decoded", { cause });
  }
  if (whole.sampleRate !== rateHz) throw new BrokenSlice("has another rate");
  if (!slice.length || whole.length < slice.lead + slice.length) throw new BrokenSlice("is too short");
  return whole.length === slice.length ? whole : part(context, whole, slice.lead, slice.length);
}

/** The samples of a stretch from `start` on, as a buffer of their own. */
export function cutOut(context: AudioContext, stretch: Stretch, start: number, count: number): AudioBuffer {
  if (start === stretch.start && count === stretch.buffer.length) return stretch.buffer;
  return part(context, stretch.buffer, start - stretch.start, count);
}

/** A copy of whole samples: offsets in seconds would be rounded by each browser in its own way. */
function part(context: AudioContext, whole: AudioBuffer, start: number, count: number): AudioBuffer {
  const { numberOfChannels, sampleRate } = whole;
  const copy = context.createBuffer(numberOfChannels, count, sampleRate);
  for (let channel = 0; channel < numberOfChannels; channel += 1)
    copy.copyToChannel(whole.getChannelData(channel).subarray(start, start + count), channel);
  return copy;
}
