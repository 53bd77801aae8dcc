// Colours of the spectrogram: one perceptually even map for all themes, readable with any kind of colour vision. Pure.

type Triple = readonly [number, number, number];

// Lightness, chroma and hue in OKLCH (Ottosson 2020). Lightness only ever rises, so that the map also works in grey; the hue goes
// from blue over violet and red to yellow, which people with red-green or blue-yellow deficiency keep apart by lightness alone.
const POINTS: readonly Triple[] = [
  [0.12, 0.025, 265],
  [0.24, 0.09, 280],
  [0.36, 0.135, 302],
  [0.48, 0.155, 340],
  [0.6, 0.165, 15],
  [0.71, 0.15, 42],
  [0.82, 0.14, 72],
  [0.91, 0.12, 96],
  [0.985, 0.045, 106],
];
export const ENTRIES = 256;

const radians = (degrees: number) => (degrees * Math.PI) / 180;

function toLab([lightness, chroma, hue]: Triple): Triple {
  return [lightness, chroma * Math.cos(radians(hue)), chroma * Math.sin(radians(hue))];
}

/** OKLab to linear light. */
function toLinear([lightness, a, b]: Triple): Triple {
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ];
}

/** Linear light to OKLab, for measuring how far apart two colours look. */
export function fromLinear([red, green, blue]: Triple): Triple {
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const middle = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
  ];
}

const toByte = (light: number) => {
  const value = light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
  return Math.round(Math.min(Math.max(value, 0), 1) * 255);
};

/** A smooth curve through the control points (Catmull-Rom), `at` from 0 to 1. */
function curve(points: readonly Triple[], at: number): Triple {
  const scaled = at * (points.length - 1);
  const index = Math.min(Math.floor(scaled), points.length - 2);
  const t = scaled - index;
  const point = (offset: number) => points[Math.min(Math.max(index + offset, 0), points.length - 1)] as Triple;
  const [before, from, to, after] = [point(-1), point(0), point(1), point(2)];
  const mix = (axis: 0 | 1 | 2) =>
    0.5 *
    (2 * from[axis] +
      (to[axis] - before[axis]) * t +
      (2 * before[axis] - 5 * from[axis] + 4 * to[axis] - after[axis]) * t ** 2 +
      (3 * from[axis] - before[axis] - 3 * to[axis] + after[axis]) * t ** 3);
  return [mix(0), mix(1), mix(2)];
}

export function distance(one: Triple, other: Triple): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

/** Entries at equal distances along the curve: a step of level looks the same size everywhere. */
function evenly(points: readonly Triple[]): Triple[] {
  const fine = Array.from({ length: 4096 }, (_, index) => curve(points, index / 4095));
  const travelled = [0];
  for (let index = 1; index < fine.length; index += 1)
    travelled.push((travelled[index - 1] ?? 0) + distance(fine[index - 1] as Triple, fine[index] as Triple));
  const whole = travelled.at(-1) ?? 1;
  let index = 0;
  return Array.from({ length: ENTRIES }, (_, entry) => {
    const wanted = (entry / (ENTRIES - 1)) * whole;
    while (index < fine.length - 1 && (travelled[index] ?? 0) < wanted) index += 1;
    return fine[index] as Triple;
  });
}

/** The map itself: 256 colours from silence to full scale, red, green and blue in bytes. */
export const COLOURS: readonly Triple[] = evenly(POINTS.map(toLab)).map((lab) => {
  const [red, green, blue] = toLinear(lab);
  return [toByte(red), toByte(green), toByte(blue)];
});

/** What Audacity starts with: 20 dB of gain, 80 dB from the darkest to the brightest colour. */
export interface Levels {
  readonly gainDb: number;
  readonly rangeDb: number;
}
export const USUAL_LEVELS: Levels = { gainDb: 20, rangeDb: 80 };

/** Which of the 256 colours a level gets. */
export function entryOf(db: number, { gainDb, rangeDb }: Levels): number {
  const share = (db + gainDb + rangeDb) / rangeDb;
  return Math.round(Math.min(Math.max(share, 0), 1) * (ENTRIES - 1));
}

/** From the picture's byte to a pixel as ImageData holds it on every machine that runs a browser (little-endian RGBA). */
export function lookup(floorDb: number, ceilingDb: number, levels: Levels): Uint32Array<ArrayBuffer> {
  const table = new Uint32Array(256);
  for (let value = 0; value < 256; value += 1) {
    const db = floorDb + (value / 255) * (ceilingDb - floorDb);
    const [red, green, blue] = COLOURS[entryOf(db, levels)] as Triple;
    table[value] = (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
  }
  return table;
}

export function css([red, green, blue]: Triple): string {
  return `rgb(${red} ${green} ${blue})`;
}
