// What has been answered on one page so far: unset is not zero. Pure.
import type { TrialPage } from "../../../frontend/src/trial/contract.ts";
import {
  type CaptionAnswer,
  captionSlots,
  ENTERED,
  type Numbers,
  type Payload,
  PENALTIES,
  pageOf,
  readDraft,
  type Scale,
} from "./contract.ts";

/** What a page still lacks: a number of a caption, or the answer about the clip. */
export interface Missing {
  slot: string;
  scale: Scale | "SYNTHESISED";
}

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
