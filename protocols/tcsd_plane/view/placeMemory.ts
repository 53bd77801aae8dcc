// Memory of where a rater was: the hour and the step, kept in this tab so that a reload comes back to them.

interface Place {
  hour: number;
  step: string;
}

const PREFIX = "earmark-place:";

export function recallPlace(name: string): Partial<Place> {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? "{}") as Partial<Place>;
  } catch {
    return {}; // without storage the page opens at its beginning
  }
}

export function rememberPlace(name: string, change: Partial<Place>): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify({ ...recallPlace(name), ...change }));
  } catch {
    // A full or forbidden storage costs the place after a reload, and nothing else.
  }
}
