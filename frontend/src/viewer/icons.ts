// The few signs on the viewer's buttons, drawn as one path each.

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

export type IconName = keyof typeof PATHS;

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
