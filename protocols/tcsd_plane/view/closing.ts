// Closing a recording: what was not heard is told, what is tentative is asked about, and only missing crosses forbid it.
import { fill } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { ClosingDialog } from "../../../frontend/src/workspace/closing.ts";
import type { Board, Token } from "./contract.ts";
import { numberOf, tentativeTokens } from "./crosses.ts";
import type { PlaneTexts } from "./texts.ts";

/** What is worth knowing before a recording is closed. */
export interface Facts {
  unheard: Token[];
  hoursWithoutProbes: string[];
}

export interface ClosingParts {
  scope: Scope;
  root: ParentNode;
  texts: PlaneTexts;
  tokens: readonly Token[];
  board: Board;
  facts(): Facts;
  finish(): Promise<void>;
}

const names = (tokens: readonly Token[]) => tokens.map(numberOf).join(", ");

export class Closing {
  readonly #parts: ClosingParts;

  constructor(parts: ClosingParts) {
    this.#parts = parts;
    const { scope, root, board, finish } = parts;
    const decideAndFinish = () => {
      board.decideAll();
      return finish();
    };
    new ClosingDialog(scope, root, { tell: (dialog) => this.#tell(dialog), finish: decideAndFinish });
  }

  #tell(dialog: ClosingDialog): void {
    const { texts, tokens, board, facts } = this.#parts;
    const missing = tokens.filter((token) => !board.crosses[token]);
    const tentative = tentativeTokens(board.crosses);
    const { unheard, hoursWithoutProbes } = facts();
    const bare = hoursWithoutProbes.length;
    dialog.say({
      missing: missing.length ? fill(texts.missing, { n: names(missing) }) : "",
      tentative: tentative.length ? fill(texts.tentative, { n: names(tentative) }) : "",
      unheard: unheard.length ? fill(texts.unheard, { n: names(unheard) }) : "",
      unprobed: bare ? fill(texts.unprobed, { n: bare, hours: hoursWithoutProbes.join(", ") }) : "",
    });
    dialog.go.hidden = missing.length > 0;
    dialog.go.textContent = tentative.length ? texts.decide_and_close : texts.close_recording;
  }
}
