// Crosses of the plane: how they relate to each other, and their descriptions in words.

import { fill, need } from "../../../frontend/src/lib/dom.ts";
import type { Cross, Crosses, Place, Token } from "./contract.ts";
import { placeOf } from "./geometry.ts";

export type Axis = "tc" | "sd";

/** The number that a summary goes by: "s6" is 6. */
export function numberOf(token: Token): string {
  return token.replace(/^\D+/, "");
}

type Standing = "tray" | "tentative" | "decided";

export function standingOf(cross: Cross | undefined): Standing {
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

export interface BoardTexts {
  board: string;
  board_role: string;
  board_hint: string;
  shown_hint: string;
  tray: string;
  not_placed: string;
  tentative: string;
  decided: string;
  tc_now: string;
  sd_now: string;
  several_moved: string;
  play: string;
  hint_none: string;
  hint_tray: string;
  hint_tentative: string;
  hint_decided: string;
  hint_ask_tc: string;
  hint_ask_sd: string;
  hint_shown: string;
  decide: string;
  lift: string;
  same_tc: string;
  same_sd: string;
  same_tc_as: string;
  same_sd_as: string;
  undo: string;
  redo: string;
  list: string;
  list_hint: string;
  slider_role: string;
  tc_of: string;
  sd_of: string;
  of_maximum: string;
  where: string;
  where_of: string;
  relation: string;
  alone: string;
  above: string;
  below: string;
  right_of: string;
  left_of: string;
  level_sd: string;
  level_tc: string;
  why: string;
  hear_full: string;
}

/** The texts that the template put beside the plane: <template class="board-texts"><i data-text="place">Place</i>... */
export function readBoardTexts(root: ParentNode): BoardTexts {
  const { content } = need<HTMLTemplateElement>(".board-texts", root);
  const entries = [...content.querySelectorAll<HTMLElement>("[data-text]")];
  return Object.fromEntries(
    entries.map((entry) => [entry.dataset.text, (entry.textContent ?? "").trim()]),
  ) as unknown as BoardTexts;
}

/** As it is spoken: two decimals are as much as an ear can use. */
export function spoken(value: number): string {
  return value.toFixed(2);
}

/** As it is kept and shown where figures are wanted. */
export function exact(value: number): string {
  return value.toFixed(4);
}

export function describe(token: Token, crosses: Crosses, texts: BoardTexts): string {
  const cross = crosses[token];
  const n = numberOf(token);
  if (!cross) return fill(texts.not_placed, { n });
  return fill(cross.decided ? texts.decided : texts.tentative, { n, tc: spoken(cross.tc), sd: spoken(cross.sd) });
}

/** Only the axis that changed, because the other one was said before. */
export function describeAxis(place: Place, axis: Axis, texts: BoardTexts): string {
  return axis === "tc" ? fill(texts.tc_now, { tc: spoken(place.tc) }) : fill(texts.sd_now, { sd: spoken(place.sd) });
}

export function describeRelations(token: Token, crosses: Crosses, texts: BoardTexts): string {
  if (!crosses[token]) return describe(token, crosses, texts);
  const words: Record<Relation, string> = {
    above: texts.above,
    below: texts.below,
    right_of: texts.right_of,
    left_of: texts.left_of,
    same_sd: texts.level_sd,
    same_tc: texts.level_tc,
  };
  const found = relationsOf(crosses, token).map(([relation, others]) =>
    fill(words[relation], { n: others.map(numberOf).join(", ") }),
  );
  const n = numberOf(token);
  return found.length ? fill(texts.relation, { n, relations: found.join("; ") }) : fill(texts.alone, { n });
}
