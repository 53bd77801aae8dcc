// The example: the same workspace to look at, with crosses that stand where they are and give their reasons.
import { need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { rangesOf } from "../../../frontend/src/workspace/heard.ts";
import { mountBoard } from "./board.ts";
import type { Board, PlanePage, Token } from "./contract.ts";
import { Listening } from "./listening.ts";
import { wireKeys } from "./pagekeys.ts";
import { Probing } from "./probing.ts";
import { SoundSide } from "./soundside.ts";
import { HourStrip } from "./strip.ts";
import type { PlaneTexts } from "./texts.ts";

/** Nothing is rated and nothing is noted; what is heard is shown as on any other page. */
export function openExample(
  root: HTMLElement,
  page: ShownPage,
  host: WorkspaceHost,
  texts: PlaneTexts,
  scope: Scope,
): void {
  const { probes: planned, example } = page.page as unknown as PlanePage;
  const redraw = () => {
    sound.day.viewer.setHeard(rangesOf(listening.full, sound.day.rateHz));
    probing.draw();
    strip.draw();
    sound.summaries.draw();
  };
  const listening = new Listening({}, redraw);
  const chosen = (token: Token) => board.select(token);
  const sound = new SoundSide({ scope, root, page, host, texts, listening, chosen });
  const { day, summaries, tokens, fullPanel } = sound;
  const changed = () => sound.pack.setProbes(probing.byNeed);
  const probing: Probing = new Probing({ scope, root, day, texts, listening, planned, own: [], changed });
  const strip = new HourStrip(scope, root, day, texts, (hour) => ({ noted: false, probes: probing.heardIn(hour) }));
  const board: Board = mountBoard(
    need("[data-part=board]", root),
    {
      tokens,
      crosses: {},
      shown: example ?? {},
      play: (token) => summaries.play(token),
      hear: (stretch) => sound.hear(stretch),
      nameStretch: (stretch) => stretch.map((seconds) => day.nameOf(seconds * day.rateHz)).join("–"),
      changed: () => {
        if (board.selected !== null && board.selected !== summaries.token) summaries.select(board.selected);
      },
    },
    page.keys,
    scope,
  );
  wireKeys({
    scope,
    keys: page.keys,
    fullPanel,
    day,
    strip,
    summaries,
    active: () => sound.active,
    nextProbe: () => void probing.next(),
    playProbes: () => void probing.playRow(),
    focusNote: () => {},
    openCriteria: () => need<HTMLDialogElement>("[data-part=criteria]", root).showModal(),
  });
  page.keys.onStop(scope, () => probing.stop());
  scope.listen(need("[data-part=seen]", root), "click", () => {
    sound.stop();
    void host.finish({ seen: true, finished: true }, listening.summary);
  });
}
