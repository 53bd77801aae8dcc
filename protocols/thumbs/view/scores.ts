// Scores of captions: what was typed, whether it may be given, the sum, and the answers of one page. Pure.
import { decimal, fill, gettext } from "../../../frontend/src/lib/i18n.ts";

import type { TrialPage } from "../../../frontend/src/trial/contract.ts";
import {
  type CaptionAnswer,
  captionSlots,
  ENTERED,
  isPenalty,
  type Numbers,
  type Payload,
  PENALTIES,
  pageOf,
  readDraft,
  SCORES,
  type Scale,
} from "./contract.ts";

const LOWEST_PENALTY = -2;
const PENALTY_STEP = 0.1;
const [LOWEST_SCORE, HIGHEST_SCORE] = [1, 5];
const MINUS = "\u2212"; // as wide as a digit
const NEAR = 1e-9;

type Problem = "no_number" | "out_of_range" | "off_step" | "positive";

/** A number that may be given, nothing at all, or what is wrong; `meant` is the penalty that a positive number stands for. */
type Reading = { value: number | null } | { problem: Problem; meant?: number };

/** Halves or whole numbers from 1 to 5. */
export function scoreValues(step: number): number[] {
  const count = Math.round((HIGHEST_SCORE - LOWEST_SCORE) / step) + 1;
  return Array.from({ length: count }, (_, index) => LOWEST_SCORE + index * step);
}

/** What was typed, with either decimal sign and any dash for a minus. */
function numberIn(text: string): number | undefined {
  const plain = text
    .trim()
    .replace(/^[\u2212\u2013\u2014]/, "-")
    .replace(",", ".");
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain)) return undefined;
  return Number(plain) + 0 || 0; // -0 is 0
}

/** A number of which only the sign or the point stands there. */
export function hasOnlyBegun(text: string): boolean {
  return /^[-\u2212]?[.,]?$/.test(text.trim());
}

export function readScale(scale: Scale, text: string, step: number): Reading {
  if (!text.trim()) return { value: null };
  const number = numberIn(text);
  if (number === undefined) return { problem: "no_number" };
  return isPenalty(scale) ? judgePenalty(number) : judge(number, LOWEST_SCORE, HIGHEST_SCORE, step);
}

function judgePenalty(number: number): Reading {
  if (number <= 0) return judge(number, LOWEST_PENALTY, 0, PENALTY_STEP);
  const meant = judge(-number, LOWEST_PENALTY, 0, PENALTY_STEP);
  return "value" in meant && meant.value !== null ? { problem: "positive", meant: meant.value } : meant;
}

function judge(number: number, low: number, high: number, step: number): Reading {
  if (number < low || number > high) return { problem: "out_of_range" };
  const steps = (number - low) / step;
  if (Math.abs(steps - Math.round(steps)) > NEAR) return { problem: "off_step" };
  return { value: tidy(low + Math.round(steps) * step) };
}

/** Without the dust of binary fractions; never -0. */
function tidy(number: number): number {
  return Number(number.toFixed(6)) + 0 || 0;
}

export function isComplete(numbers: Numbers): numbers is Record<Scale, number> {
  return ENTERED.every((scale) => numbers[scale] !== undefined);
}

/** (P + R) / 2 + F + C + I, from -5 to 5: penalties are negative, so they are added (Kasai et al. 2022). */
export function overall(numbers: Record<Scale, number>): number {
  const scores = SCORES.reduce((sum, scale) => sum + numbers[scale], 0);
  return tidy(scores / 2 + PENALTIES.reduce((sum, scale) => sum + numbers[scale], 0));
}

/** With a true minus sign. */
export function formatNumber(number: number): string {
  return `${number < 0 ? MINUS : ""}${decimal(String(Math.abs(tidy(number))))}`;
}

/** The sum with its signs: (4 + 2) / 2 − 0.1 − 0.5 − 0. */
export function formatSum(numbers: Record<Scale, number>): string {
  const scores = SCORES.map((scale) => formatNumber(numbers[scale])).join(" + ");
  const penalties = PENALTIES.map((scale) => `${MINUS} ${formatNumber(Math.abs(numbers[scale]))}`).join(" ");
  return `(${scores}) / 2 ${penalties}`;
}

/** What a page still lacks: a number of a caption, or the answer about the clip. */
interface Missing {
  slot: string;
  scale: Scale | "SYNTHESISED";
}

/** Answers of one page so far: unset is not zero. */
export class PageAnswers {
  readonly slots: readonly string[];
  readonly #asksSynthesised: boolean;
  readonly #captions: Map<string, CaptionAnswer>;
  #synthesised: boolean | null;

  constructor(page: Pick<TrialPage, "page" | "draft">) {
    const draft = readDraft(page.draft);
    this.slots = captionSlots(page);
    this.#asksSynthesised = pageOf(page).synthesised;
    this.#captions = new Map(this.slots.map((slot) => [slot, known(draft.captions?.[slot] ?? {})]));
    this.#synthesised = draft.synthesised ?? null;
  }

  get synthesised(): boolean | null {
    return this.#synthesised;
  }

  set synthesised(answer: boolean | null) {
    this.#synthesised = answer;
  }

  numbers(slot: string): Numbers {
    const { comment: _, ...numbers } = this.#of(slot);
    return numbers;
  }

  comment(slot: string): string {
    return this.#of(slot).comment ?? "";
  }

  set(slot: string, scale: Scale, value: number | null): void {
    const caption = this.#of(slot);
    if (value === null) delete caption[scale];
    else caption[scale] = value;
  }

  setNoPenalties(slot: string): void {
    for (const scale of PENALTIES) this.set(slot, scale, 0);
  }

  setComment(slot: string, comment: string): void {
    const caption = this.#of(slot);
    if (comment) caption.comment = comment;
    else delete caption.comment;
  }

  /** In the order in which it stands on the page. */
  get missing(): Missing[] {
    const numbers: Missing[] = this.slots.flatMap((slot) => this.missingOf(slot).map((scale) => ({ slot, scale })));
    const asked = this.#asksSynthesised && this.#synthesised === null;
    return asked ? [...numbers, { slot: "clip", scale: "SYNTHESISED" }] : numbers;
  }

  missingOf(slot: string): Scale[] {
    return ENTERED.filter((scale) => this.#of(slot)[scale] === undefined);
  }

  payload(plays: number, finished: boolean): Payload {
    const captions = Object.fromEntries([...this.#captions].map(([slot, caption]) => [slot, { ...caption }]));
    const synthesised = this.#synthesised === null ? {} : { synthesised: this.#synthesised };
    return { captions, ...synthesised, listened: { plays }, finished };
  }

  #of(slot: string): CaptionAnswer {
    return this.#captions.get(slot) ?? {};
  }
}

/** Only what an answer consists of: a value that is null is not answered. */
function known(given: CaptionAnswer): CaptionAnswer {
  const entries = Object.entries(given).filter(([, value]) => value !== null && value !== "");
  return Object.fromEntries(entries) as CaptionAnswer;
}

const LONGEST = 20;

interface Typed {
  scale: Scale;
  typed: string;
  step: number;
  meant?: number | undefined;
}

/** Message about a number that cannot be taken: what is wrong, and what would be right. */
export function problemText(problem: Problem, { scale, typed, step, meant }: Typed): string {
  const shown = typed.length > LONGEST ? `${typed.slice(0, LONGEST)}…` : typed;
  const range = isPenalty(scale)
    ? gettext("Enter a value from 0 to −2 in steps of 0.1. {typed} was not saved.")
    : gettext("Enter a value from 1 to 5 in steps of {step}. {typed} was not saved.");
  const sentence = {
    no_number: gettext("“{typed}” is not a number."),
    positive: gettext("Penalties are 0 or negative. {typed} was not saved; did you mean {value}?"),
    out_of_range: range,
    off_step: range,
  };
  return fill(sentence[problem], {
    typed: shown,
    step: formatNumber(step),
    value: meant === undefined ? "" : formatNumber(meant),
  });
}
