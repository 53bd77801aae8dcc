// View of the TC/SD plane: a day-long recording, its summaries, and a plane on which each becomes a cross.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { rangesOf } from "../../../frontend/src/player/heard.ts";
import type { ScaleWords, ShownPage, TrialPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { AudioPanel } from "./audioPanel.ts";
import { mountBoard } from "./board.ts";
import type { Board, PlanePage, Token } from "./contract.ts";
import { HourStrip } from "./day.ts";
import { Listening } from "./listening.ts";
import { prepareSound } from "./prefetch.ts";
import { ProbePlayer } from "./probes.ts";
import { Rating, wireKeys } from "./rating.ts";

/** Fetch the picture of the recording while instructions or a break are read. */
export async function prepare({ media }: TrialPage, signal: AbortSignal): Promise<void> {
  if (media.full) await prepareSound(media.full.url, signal);
}

/** The TC/SD plane in the browser: a recording of a day, its summaries, and a plane on which each becomes a cross. */
export function open(host: WorkspaceHost, page: ShownPage, scope: Scope): void {
  const root = host.showWorkspace();
  const workspace = need("[data-part=workspace]", root);
  const { example, passages } = page.page as unknown as PlanePage;
  const isExample = example !== null;
  workspace.dataset.kind = isExample ? "example" : "rating";
  measure(need(".planepage__side", workspace), scope);
  need("[data-part=where]", root).textContent = whereText(page, host, isExample);
  defineCriteria(root, page, scope);
  const summaries = Object.keys(page.media).length - 1;
  for (const key of document.querySelectorAll("[data-last-summary]")) key.textContent = String(Math.min(summaries, 9));
  for (const part of document.querySelectorAll<HTMLElement>("[data-for=passages]")) part.hidden = !passages;
  scope.listen(need("[data-part=keys]", root), "click", () => need<HTMLDialogElement>("#key-sheet").showModal());
  if (isExample) openExample(workspace, page, host, scope);
  else new Rating(workspace, page, host, scope);
}

/** Tell the style sheet how large the pane of the plane is: the plane takes what is left. */
function measure(pane: HTMLElement, scope: Scope): void {
  const observer = new ResizeObserver(() => {
    pane.style.setProperty("--pane-width", `${pane.clientWidth}px`);
    pane.style.setProperty("--pane-height", `${pane.clientHeight}px`);
  });
  observer.observe(pane);
  scope.observe(observer);
}

function whereText({ session }: ShownPage, { sessions }: WorkspaceHost, isExample: boolean): string {
  const rated = sessions.filter((one) => one.session > 0).length;
  if (isExample) return gettext("Worked example");
  return rated > 1 ? fill(gettext("Recording {n} of {of}"), { n: session, of: rated }) : gettext("Recording");
}

/** What TC and SD mean, in the words of the test, one key away. */
function defineCriteria(root: HTMLElement, { labels }: ShownPage, scope: Scope): void {
  const dialog = need<HTMLDialogElement>("[data-part=criteria]", root);
  const rows = Object.entries(labels).flatMap(([name, words]) => definition(name, words));
  need("dl", dialog).replaceChildren(...rows);
  scope.listen(need("[data-part=criteria-open]", root), "click", () => dialog.showModal());
}

function definition(name: string, { language, word, question, attend }: ScaleWords): HTMLElement[] {
  return [
    make("dt", { lang: language }, `${word} (${name})`),
    make("dd", { lang: language }, make("p", {}, question), make("p", {}, attend)),
  ];
}

/** Nothing is rated and nothing is noted; what is heard is shown as on any other page. */
function openExample(root: HTMLElement, page: ShownPage, host: WorkspaceHost, scope: Scope): void {
  const { probes: planned, example } = page.page as unknown as PlanePage;
  const redraw = () => {
    sound.day.viewer.setHeard(rangesOf(listening.full, sound.day.rateHz));
    probePlayer.draw();
    strip.draw();
    sound.summaries.draw();
  };
  const listening = new Listening({}, redraw);
  const chosen = (token: Token) => board.select(token);
  const sound = new AudioPanel({ scope, root, page, host, listening, chosen });
  const { day, summaries, tokens, fullPanel } = sound;
  const changed = () => sound.prefetch.setProbes(probePlayer.byNeed);
  const probePlayer: ProbePlayer = new ProbePlayer({ scope, root, day, listening, planned, own: [], changed });
  const strip = new HourStrip(scope, root, day, (hour) => ({ noted: false, probes: probePlayer.heardIn(hour) }));
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
        if (board.selected === null || board.selected === summaries.token) return;
        summaries.select(board.selected);
        sound.prefetch.prefer(board.selected);
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
    passages: sound.passages,
    active: () => sound.active,
    nextProbe: () => void probePlayer.next(),
    playProbes: () => void probePlayer.playRow(),
    focusNote: () => {},
    openCriteria: () => need<HTMLDialogElement>("[data-part=criteria]", root).showModal(),
  });
  page.keys.onStop(scope, () => probePlayer.stop());
  host.resumeAt(() => sound.focus());
  scope.listen(need("[data-part=seen]", root), "click", () => {
    sound.stop();
    void host.finish({ seen: true, finished: true }, listening.summary);
  });
}
