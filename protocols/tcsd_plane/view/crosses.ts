// Crosses of the plane: how they relate to each other, and their descriptions in words.

import { decimal, fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Cross, Crosses, Place, Token } from "./contract.ts";
import { placeOf } from "./geometry.ts";

export type Axis = "tc" | "sd";

/** The number that a summary goes by: "s6" is 6. */
export function numberOf(token: Token): string {
  return token.replace(/^\D+/, "");
}

type CrossState = "tray" | "tentative" | "decided";

export function stateOf(cross: Cross | undefined): CrossState {
  if (!cross) return "tray";
  return cross.decided ? "decided" : "tentative";
}

/** Moved, a cross is open again, whatever was decided before. */
export function tentativeAt({ tc, sd }: Place): Cross {
  return { ...placeOf(tc, sd), decided: false };
}

/** The cross beside or below another one: this replaces snapping, which would pull crosses away from where they were put. */
export function alignedWith(crosses: Crosses, token: Token, other: Token, axis: Axis): Cross | null {
  const [moved, fixed] = [crosses[token], crosses[other]];
  if (!moved || !fixed || token === other || moved[axis] === fixed[axis]) return null;
  return tentativeAt({ ...moved, [axis]: fixed[axis] });
}

export function tentativeTokens(crosses: Crosses): Token[] {
  return Object.entries(crosses)
    .filter(([, cross]) => !cross.decided)
    .map(([token]) => token);
}

/** How a cross lies to its nearest neighbour on each side, and to those that share a coordinate with it. */
type Relation = "above" | "below" | "right_of" | "left_of" | "same_sd" | "same_tc";

export function relationsOf(crosses: Crosses, token: Token): [Relation, Token[]][] {
  const own = crosses[token];
  if (!own) return [];
  const others = Object.entries(crosses).filter(([other]) => other !== token);
  const away = (axis: Axis): [Token, number][] =>
    others.map(([other, cross]) => [other, Math.round((own[axis] - cross[axis]) * 1e4)]);
  const found: [Relation, Token[]][] = [
    ["above", closest(away("sd"))],
    ["below", closest(away("sd").map(reverse))],
    ["right_of", closest(away("tc"))],
    ["left_of", closest(away("tc").map(reverse))],
    ["same_sd", level(away("sd"))],
    ["same_tc", level(away("tc"))],
  ];
  return found.filter(([, tokens]) => tokens.length > 0);
}

function reverse([token, away]: [Token, number]): [Token, number] {
  return [token, -away];
}

function closest(aways: [Token, number][]): Token[] {
  const positive = aways.filter(([, away]) => away > 0);
  const least = Math.min(...positive.map(([, away]) => away));
  return positive.filter(([, away]) => away === least).map(([token]) => token);
}

function level(aways: [Token, number][]): Token[] {
  return aways.filter(([, away]) => away === 0).map(([token]) => token);
}

/** As it is spoken: two decimals are as much as an ear can use. */
export function spoken(value: number): string {
  return decimal(value.toFixed(2));
}

/** As it is shown where figures are wanted. */
export function exact(value: number): string {
  return decimal(value.toFixed(4));
}

export function describe(token: Token, crosses: Crosses): string {
  const cross = crosses[token];
  const n = numberOf(token);
  if (!cross) return fill(gettext("Summary {n}, not placed"), { n });
  return fill(
    cross.decided
      ? gettext("Summary {n}, TC {tc} of maximum, SD {sd} of maximum, decided")
      : gettext("Summary {n}, TC {tc} of maximum, SD {sd} of maximum, tentative"),
    { n, tc: spoken(cross.tc), sd: spoken(cross.sd) },
  );
}

/** Only the axis that changed, because the other one was said before. */
export function describeAxis(place: Place, axis: Axis): string {
  return axis === "tc"
    ? fill(gettext("TC {tc} of maximum"), { tc: spoken(place.tc) })
    : fill(gettext("SD {sd} of maximum"), { sd: spoken(place.sd) });
}

export function describeRelations(token: Token, crosses: Crosses): string {
  if (!crosses[token]) return describe(token, crosses);
  const words: Record<Relation, string> = {
    above: gettext("above {n}"),
    below: gettext("below {n}"),
    right_of: gettext("right of {n}"),
    left_of: gettext("left of {n}"),
    same_sd: gettext("level with {n} in SD"),
    same_tc: gettext("level with {n} in TC"),
  };
  const found = relationsOf(crosses, token).map(([relation, others]) =>
    fill(words[relation], { n: others.map(numberOf).join(", ") }),
  );
  const n = numberOf(token);
  return found.length
    ? fill(gettext("Summary {n} is {relations}."), { n, relations: found.join("; ") })
    : fill(gettext("Summary {n} is the only cross on the plane."), { n });
}
