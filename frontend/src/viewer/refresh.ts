// Looks after a recording that is still being prepared, until it is ready.
import { Alarm, type Scope } from "../lib/scope.ts";
import type { Manifest } from "./contract.ts";
import type { Remote } from "./remote.ts";

const PAUSE_MS = 3000;

/** The share of the recording that can be seen; most of what cannot is heard all the same. Pure. */
export function shareReady({ ready, length_samples }: Manifest): number {
  return ready.reduce((sum, { start, stop }) => sum + stop - start, 0) / length_samples;
}

/** Ask for the manifest every few seconds while anybody looks; `changed` hears of each one that says something new. */
export async function watchIngest(
  scope: Scope,
  remote: Remote,
  first: Manifest,
  changed: (manifest: Manifest) => void,
): Promise<void> {
  let known = first;
  while (known.state === "ingesting" && !scope.disposed) {
    await new Alarm().wait(scope, PAUSE_MS);
    if (scope.disposed || document.visibilityState === "hidden") continue;
    try {
      const manifest = await remote.manifest(scope.signal);
      const news = manifest.state !== known.state || shareReady(manifest) !== shareReady(known);
      known = manifest;
      if (news && !scope.disposed) changed(manifest);
    } catch {
      // The server restarts or the network is away; what is on the page stays, and the next round asks again.
    }
  }
}
