// Page that compares two clips: they play aligned, and buttons or keys switch between them without a gap.
import { embedded, need } from "../lib/dom.ts";
import { decimal, fill, gettext } from "../lib/i18n.ts";
import { Scope } from "../lib/scope.ts";
import { Comparison } from "../player/comparison.ts";
import { Player } from "../player/player.ts";

interface Config {
  clips: { url: string; duration_s: number }[];
}

const SHOWN_EVERY_MS = 50;
const VOICES: Record<string, number> = { a: 0, "1": 0, b: 1, "2": 1 };

const scope = new Scope();
const root = need("[data-compare]");
const buttons = [...root.querySelectorAll<HTMLButtonElement>("[data-voice]")];
const play = need<HTMLButtonElement>("[data-part=play]", root);
const position = need<HTMLInputElement>("[data-part=position]", root);
const time = need("[data-part=time]", root);
const status = need("[data-part=status]", root);

function wire(player: Player, sounds: Comparison): void {
  const act = async (change: () => void) => {
    if (await player.unlock()) change();
    else status.textContent = gettext("The browser does not allow sound on this page.");
  };
  const hear = (voice: number) => void act(() => sounds.hear(voice));
  const toggle = () => void act(() => sounds.toggle());
  for (const [voice, button] of buttons.entries()) {
    button.disabled = false;
    scope.listen(button, "click", () => (sounds.playing && sounds.active === voice ? toggle() : hear(voice)));
  }
  play.disabled = position.disabled = false;
  position.max = String(sounds.durationS);
  scope.listen(play, "click", toggle);
  scope.listen(position, "input", () => sounds.seek(position.valueAsNumber));
  scope.listen<KeyboardEvent>(document, "keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const voice = VOICES[event.key.toLowerCase()];
    const onButton = (event.target as Element).closest("button, a, summary");
    if (voice !== undefined) hear(voice);
    else if (event.key === " " && !onButton) toggle();
    else if (event.key === "Escape" && sounds.playing) toggle();
    else return;
    event.preventDefault();
  });
  scope.every(SHOWN_EVERY_MS, () => sounds.playing && showPosition(sounds));
}

function show(sounds: Comparison): void {
  play.textContent = sounds.playing ? gettext("Stop") : gettext("Play");
  for (const [voice, button] of buttons.entries())
    button.setAttribute("aria-pressed", String(voice === sounds.active && sounds.plays > 0));
  showPosition(sounds);
}

function showPosition({ positionS, durationS }: Comparison): void {
  position.value = String(positionS);
  time.textContent = fill(gettext("{at} of {whole} s"), {
    at: decimal(positionS.toFixed(1)),
    whole: decimal(durationS.toFixed(1)),
  });
}

async function load(): Promise<void> {
  const player = new Player(scope);
  const { clips } = embedded<Config>("config");
  try {
    const ready = await Promise.all(clips.map(({ url, duration_s }) => player.prepare(url, duration_s)));
    const changed = () => show(sounds);
    const sounds = new Comparison({ player, clips: ready, scope, loop: true, playsAllowed: 0, changed });
    wire(player, sounds);
    show(sounds);
    status.textContent = "";
  } catch {
    status.textContent = gettext("The sounds could not be loaded. Load the page again.");
  }
  root.removeAttribute("aria-busy");
}

void load();
