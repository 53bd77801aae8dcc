// Elements of a viewer, made once and of a fixed size, so that nothing moves when the pictures arrive.
import { make } from "../lib/dom.ts";
import { gettext } from "../lib/i18n.ts";

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  play: "M5 3.2v9.6L13 8z",
  pause: "M4.5 3.5h2.6v9H4.5zM8.9 3.5h2.6v9H8.9z",
  stop: "M4 4h8v8H4z",
  minus: "M3 7.25h10v1.5H3z",
  plus: "M7.25 3h1.5v4.25H13v1.5H8.75V13h-1.5V8.75H3v-1.5h4.25z",
  whole: "M1.5 3H3v10H1.5zM13 3h1.5v10H13zM6.5 5v2.25h3V5L12.5 8l-3 3V8.75h-3V11l-3-3z",
  selection: "M2 3h1.5v10H2zM12.5 3H14v10h-1.5zM5 5h6v6H5z",
  loop: "M5.5 3.5H11A3.25 3.25 0 0 1 11 10H9V8.5L5.5 10.75 9 13v-1.5h2a4.75 4.75 0 0 0 0-9.5H5.5a4.75 4.75 0 0 0-3.900 7.5l1.200-1A3.25 3.25 0 0 1 5.5 3.5z",
  follow: "M2 7.25h7V4l5 4-5 4V8.75H2z",
} as const;

type IconName = keyof typeof PATHS;

/** The few signs on the viewer's buttons, drawn as one path each. */
export function icon(name: IconName): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 16 16", class: "viewer__icon", "aria-hidden": "true" }))
    svg.setAttribute(key, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  path.setAttribute("fill", "currentColor");
  svg.append(path);
  return svg;
}

export interface Options {
  /** The strip with the whole recording. */
  minimap: boolean;
  /** Times of the selection in fields. */
  fields: boolean;
  /** Buttons, figures and menus above the pictures. */
  bar: boolean;
  /** What a screen reader says about the pictures, in place of the viewer's own keys. */
  hint?: string;
  /** Place on the page for the Picture menu and an information button, which then holds the technical lines. */
  tools?: HTMLElement;
  /** The colours with their levels, beside the spectrogram. */
  colourBar: boolean;
}

export interface Parts {
  root: HTMLElement;
  probe: HTMLElement;
  bar: HTMLElement;
  play: HTMLButtonElement;
  stop: HTMLButtonElement;
  time: HTMLElement;
  clock: HTMLElement;
  zoomIn: HTMLButtonElement;
  zoomOut: HTMLButtonElement;
  whole: HTMLButtonElement;
  toSelection: HTMLButtonElement;
  loop: HTMLButtonElement;
  follow: HTMLButtonElement;
  menu: HTMLDetailsElement;
  sheet: HTMLElement;
  keys: HTMLButtonElement;
  minimap: HTMLElement;
  minimapCanvas: HTMLCanvasElement;
  window: HTMLElement;
  here: HTMLElement;
  stage: HTMLElement;
  axis: HTMLElement;
  colourBar: HTMLElement;
  waveSkeleton: HTMLElement;
  skeleton: HTMLElement;
  about: HTMLDetailsElement;
  field: HTMLElement;
  ruler: HTMLCanvasElement;
  wave: HTMLCanvasElement;
  spectrum: HTMLCanvasElement;
  overlay: HTMLElement;
  selection: HTMLElement;
  hover: HTMLElement;
  cursor: HTMLElement;
  marks: HTMLElement;
  veil: HTMLElement;
  veilText: HTMLElement;
  retry: HTMLButtonElement;
  position: HTMLInputElement;
  readout: HTMLElement;
  start: HTMLInputElement;
  stopAt: HTMLInputElement;
  length: HTMLElement;
  startHere: HTMLButtonElement;
  stopHere: HTMLButtonElement;
  clear: HTMLButtonElement;
  fieldsNote: HTMLElement;
  notice: HTMLElement;
  parameters: HTMLElement;
  live: HTMLElement;
}

let made = 0;

function button(text: string, sign?: IconName, wordless = false): HTMLButtonElement {
  const attributes = { type: "button", class: `button viewer__button${wordless ? " viewer__button--sign" : ""}` };
  const label = wordless ? make("span", { class: "sr-only" }, text) : make("span", {}, text);
  const element = make("button", attributes, ...(sign ? [icon(sign)] : []), label);
  if (wordless) element.title = text;
  return element;
}

function canvas(name: string): HTMLCanvasElement {
  return make("canvas", { class: `viewer__${name}`, "aria-hidden": "true" });
}

function layer(name: string): HTMLElement {
  return make("div", { class: `viewer__${name}`, "aria-hidden": "true" });
}

/** The elements of a viewer, made once and of a fixed size, so that nothing moves when the pictures arrive. */
export function makeParts(options: Options): Parts {
  made += 1;
  const id = (name: string) => `viewer-${made}-${name}`;
  const field = (name: string, label: string) => {
    const input = make("input", {
      id: id(name),
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      spellcheck: "false",
    });
    return { input, label: make("label", { for: id(name) }, label) };
  };
  const start = field("start", gettext("Selection from"));
  const stopAt = field("stop", gettext("to"));
  const position = make("input", {
    type: "range",
    class: "viewer__position",
    min: "0",
    max: "1",
    value: "0",
    "aria-label": gettext("Position"),
  });
  const parts: Parts = {
    root: make("div", { class: "viewer", role: "group", "aria-label": gettext("Sound viewer") }),
    probe: make("span", { class: "viewer__probe", hidden: "" }),
    bar: make("div", { class: "viewer__bar", role: "group", "aria-label": gettext("Controls") }),
    play: button(gettext("Play"), "play"),
    stop: button(gettext("Stop"), "stop", true),
    time: make("span", { class: "viewer__time" }, "0:00.000"),
    clock: make("span", { class: "viewer__clock" }),
    zoomIn: button(gettext("Zoom in"), "plus", true),
    zoomOut: button(gettext("Zoom out"), "minus", true),
    whole: button(gettext("Show the whole recording"), "whole", true),
    toSelection: button(gettext("Zoom to the selection"), "selection", true),
    loop: button(gettext("Loop"), "loop"),
    follow: button(gettext("Follow"), "follow"),
    menu: make("details", { class: "menu viewer__menu" }, make("summary", {}, gettext("Picture"))),
    sheet: make("div", { class: "menu__sheet viewer__sheet" }),
    keys: button(gettext("Keys")),
    minimap: make("div", {
      class: "viewer__minimap",
      "aria-hidden": "true",
      title: gettext("The whole recording. Drag the window to move."),
    }),
    minimapCanvas: canvas("strip"),
    window: layer("window"),
    here: layer("here"),
    stage: make("div", {
      class: "viewer__stage",
      tabindex: "0",
      role: "group",
      "aria-label": gettext("Waveform and spectrogram"),
      "aria-describedby": id("hint"),
    }),
    axis: layer("axis"),
    colourBar: layer("colours"),
    waveSkeleton: layer("skeleton viewer__skeleton--wave"),
    skeleton: layer("skeleton"),
    about: make(
      "details",
      { class: "menu viewer__about" },
      make("summary", { "aria-label": gettext("About this picture"), title: gettext("About this picture") }, "i"),
    ),
    field: make("div", { class: "viewer__field" }),
    ruler: canvas("ruler"),
    wave: canvas("wave"),
    spectrum: canvas("spectrum"),
    overlay: make("div", { class: "viewer__overlay" }),
    selection: layer("selection"),
    hover: layer("hover"),
    cursor: layer("cursor"),
    marks: make("div", { class: "viewer__marks" }),
    veil: make("div", { class: "viewer__veil" }),
    veilText: make("p", { role: "status" }, gettext("Loading the picture")),
    retry: button(gettext("Try again now")),
    position,
    readout: make("p", { class: "viewer__readout", "aria-hidden": "true" }),
    start: start.input,
    stopAt: stopAt.input,
    length: make("output", { class: "viewer__length", for: `${id("start")} ${id("stop")}` }),
    startHere: button(gettext("From cursor")),
    stopHere: button(gettext("To cursor")),
    clear: button(gettext("Clear")),
    fieldsNote: make("p", { class: "viewer__note errorlist", role: "status" }),
    notice: make("p", { class: "viewer__notice", role: "status" }),
    parameters: make("p", { class: "viewer__parameters" }),
    live: make("p", { class: "sr-only", role: "status" }),
  };
  parts.retry.hidden = true;
  parts.waveSkeleton.hidden = true;
  parts.skeleton.hidden = true;
  parts.skeleton.append(make("span", {}, gettext("Loading the picture")));
  parts.minimap.hidden = !options.minimap;
  parts.colourBar.hidden = !options.colourBar;
  parts.bar.hidden = !options.bar;
  const hint = make(
    "p",
    { class: "sr-only", id: id("hint") },
    options.hint ??
      gettext("Arrow keys move the cursor, plus and minus zoom, Space plays, question mark lists all keys."),
  );
  arrange(parts, [start.label, stopAt.label], hint).hidden = !options.fields;
  if (options.tools) moveTools(parts, options.tools);
  return parts;
}

function group(label: string, ...children: Node[]): HTMLElement {
  return make(
    "div",
    { class: "viewer__group joined", ...(label ? { role: "group", "aria-label": label } : {}) },
    ...children,
  );
}

function arrange(parts: Parts, labels: [HTMLElement, HTMLElement], hint: HTMLElement): HTMLElement {
  parts.bar.append(
    group("", parts.play, parts.stop),
    make("div", { class: "viewer__times" }, parts.time, parts.clock),
    group("", parts.zoomOut, parts.zoomIn, parts.whole, parts.toSelection),
    group("", parts.loop, parts.follow),
    group("", parts.menu, parts.keys),
  );
  parts.menu.append(parts.sheet);
  parts.minimap.append(parts.minimapCanvas, parts.window, parts.here);
  parts.selection.append(layer("edge viewer__edge--start"), layer("edge viewer__edge--stop"));
  parts.overlay.append(parts.selection, parts.marks, parts.hover, parts.cursor);
  parts.veil.append(parts.veilText, parts.retry);
  parts.field.append(parts.ruler, parts.wave, parts.spectrum, parts.skeleton, parts.waveSkeleton, parts.overlay);
  parts.stage.append(parts.axis, parts.field, parts.colourBar, parts.veil);
  const fields = make(
    "div",
    { class: "viewer__fields" },
    make("div", { class: "viewer__pair" }, labels[0], parts.start, parts.startHere),
    make("div", { class: "viewer__pair" }, labels[1], parts.stopAt, parts.stopHere),
    make("div", { class: "viewer__pair" }, parts.length, parts.clear),
  );
  const line = make("div", { class: "viewer__line" }, parts.readout, parts.notice);
  parts.root.append(
    parts.bar,
    parts.minimap,
    parts.stage,
    parts.position,
    line,
    fields,
    parts.fieldsNote,
    parts.parameters,
  );
  parts.root.append(hint, parts.live, parts.probe);
  return fields;
}

/** The page's own bar gets the menu of the picture; what only some want to read is one press away. */
function moveTools(parts: Parts, tools: HTMLElement): void {
  parts.about.append(make("div", { class: "menu__sheet viewer__sheet" }, parts.readout, parts.parameters));
  tools.append(parts.menu, parts.about);
}
