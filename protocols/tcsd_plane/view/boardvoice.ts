// What the plane says: a line that shows what can be done next, and a live region with figures for those who hear the screen.
import { fill, make } from "../../../frontend/src/lib/dom.ts";
import type { BoardState, News } from "./boardstate.ts";
import { type BoardTexts, describe, describeAxis, describeRelations } from "./boardtexts.ts";
import type { Token } from "./contract.ts";
import { type Axis, numberOf } from "./crosses.ts";

export class Voice {
  /** Seen by everybody, so it holds no figures: they would invite round values. */
  readonly hint = make("p", { class: "board__hint" });
  readonly live = make("p", { class: "sr-only", role: "status" });
  readonly #state: BoardState;
  readonly #texts: BoardTexts;

  constructor(state: BoardState, texts: BoardTexts) {
    this.#state = state;
    this.#texts = texts;
  }

  draw(): void {
    this.hint.textContent = this.#advice();
  }

  say(sentence: string): void {
    this.live.textContent = sentence;
  }

  sayAdvice(): void {
    this.say(this.#advice());
  }

  sayRelations(token: Token): void {
    this.say(describeRelations(token, this.#state.crosses, this.#texts));
  }

  tell(news: News): void {
    const { selected, crosses } = this.#state;
    if (news.what === "moved") this.#tellMoved(news.tokens, news.axis);
    else if (selected === null) return;
    else if (news.what === "caret") this.say(describeAxis(this.#state.caretOf(selected), news.axis, this.#texts));
    else if (news.what === "chosen") this.say(describe(selected, crosses, this.#texts));
  }

  #tellMoved(tokens: Token[], axis: Axis | null): void {
    const [token] = tokens;
    const { crosses } = this.#state;
    const cross = token === undefined ? undefined : crosses[token];
    if (tokens.length > 1 || token === undefined) this.say(this.#texts.several_moved);
    else this.say(axis && cross ? describeAxis(cross, axis, this.#texts) : describe(token, crosses, this.#texts));
  }

  #advice(): string {
    const { selected, asking, crosses } = this.#state;
    if (selected === null) return this.#texts.hint_none;
    const n = numberOf(selected);
    if (asking) return fill(asking === "tc" ? this.#texts.hint_ask_tc : this.#texts.hint_ask_sd, { n });
    const cross = crosses[selected];
    if (!cross) return fill(this.#texts.hint_tray, { n });
    return fill(cross.decided ? this.#texts.hint_decided : this.#texts.hint_tentative, { n });
  }
}
