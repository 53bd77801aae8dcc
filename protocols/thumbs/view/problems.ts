// What is said about a number that cannot be taken: what is wrong, and what would be right.
import { fill } from "../../../frontend/src/lib/dom.ts";
import { isPenalty, type Scale } from "./contract.ts";
import { formatNumber, type Problem } from "./scores.ts";
import type { ThumbsTexts } from "./texts.ts";

const LONGEST = 20;

export interface Typed {
  scale: Scale;
  typed: string;
  step: number;
  meant?: number | undefined;
}

export function problemText(problem: Problem, { scale, typed, step, meant }: Typed, texts: ThumbsTexts): string {
  const shown = typed.length > LONGEST ? `${typed.slice(0, LONGEST)}…` : typed;
  const range = isPenalty(scale) ? texts.penalty_range : texts.score_range;
  const sentence = { no_number: texts.no_number, positive: texts.positive, out_of_range: range, off_step: range };
  return fill(sentence[problem], { typed: shown, step, value: meant === undefined ? "" : formatNumber(meant) });
}
