// The box below the plane, and a line for each summary where somebody wants one; nothing of it is ever required.
import { fill, make, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Token, Workspace } from "./contract.ts";
import { numberOf } from "./crosses.ts";
import type { PlaneTexts } from "./texts.ts";

type Written = Pick<Workspace, "comment" | "lines">;

export class Comments {
  readonly #comment: HTMLTextAreaElement;
  readonly #lines: Map<Token, HTMLInputElement>;

  constructor(
    scope: Scope,
    root: ParentNode,
    tokens: readonly Token[],
    texts: PlaneTexts,
    { comment = "", lines = {} }: Partial<Written>,
    changed: () => void,
  ) {
    this.#comment = need("[data-part=comment]", root);
    this.#comment.value = comment;
    scope.listen(this.#comment, "input", changed);
    this.#lines = new Map(
      tokens.map((token) => {
        const label = fill(texts.line, { n: numberOf(token) });
        const input = make("input", { type: "text", maxlength: "500", "aria-label": label });
        input.value = lines[token] ?? "";
        scope.listen(input, "input", changed);
        return [token, input];
      }),
    );
    const rows = [...this.#lines].map(([token, input]) => make("li", {}, make("b", {}, numberOf(token)), input));
    need("[data-part=lines]", root).replaceChildren(...rows);
    need<HTMLDetailsElement>("[data-part=lines-fold]", root).open = Object.values(lines).some(Boolean);
  }

  get written(): Written {
    const lines = [...this.#lines].map(([token, { value }]) => [token, value.trim()] as const);
    return { comment: this.#comment.value, lines: Object.fromEntries(lines.filter(([, line]) => line)) };
  }
}
