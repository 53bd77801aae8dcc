// The sentences of the plane; templates/rating/protocols/_plane_board.html holds and translates them.
import { fill, need } from "../../../frontend/src/lib/dom.ts";
import type { Crosses, Place, Token } from "./contract.ts";
import { type Axis, numberOf, type Relation, relationsOf } from "./crosses.ts";

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
export function readTexts(root: ParentNode): BoardTexts {
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
