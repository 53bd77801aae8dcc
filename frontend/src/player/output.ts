// How sound leaves the page: at which level, how it is cut without a click, and how long it takes to the ear.

/** 0 dB of everything that plays on the site: half of full scale, so that a level can be raised as well as lowered. */
export const FIXED_GAIN = 0.5;
export const LOWEST_DB = -6;
export const HIGHEST_DB = 6; // from +6.02 dB on, the gain would pass 1
const RAMP_S = 0.005;
const LONGEST_LATENCY_S = 1;

/** What a level in decibels means as a factor. */
export function gainOf(levelDb: number): number {
  return FIXED_GAIN * 10 ** (levelDb / 20);
}

/** From the clock to the ear; what a device claims beyond a second is not believed. */
export function latencyS(context: AudioContext): number {
  return Math.min(context.outputLatency || context.baseLatency || 0, LONGEST_LATENCY_S);
}

/** Let a gain fall to nothing from now on; returns the time at which it has. */
export function fadeOut(gain: AudioParam, from: number, nowS: number): number {
  const silentS = nowS + RAMP_S;
  gain.setValueAtTime(from, nowS);
  gain.linearRampToValueAtTime(0, silentS);
  return silentS;
}
