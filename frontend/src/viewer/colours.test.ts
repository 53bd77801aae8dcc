import assert from "node:assert/strict";
import { test } from "node:test";
import { COLOURS, distance, ENTRIES, entryOf, fromLinear, lookup, USUAL_LEVELS } from "./colours.ts";
import type { SpectrogramShape } from "./remote.ts";
import { dbOf, frequencyMarks, heightOf, hzAt, hzOf, melOf } from "./ruler.ts";

type Triple = readonly [number, number, number];

const light = (byte: number) => {
  const value = byte / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
};
const linear = ([red, green, blue]: Triple): Triple => [light(red), light(green), light(blue)];
const look = (colour: Triple) => fromLinear(linear(colour));

// Machado, Oliveira and Fernandes 2009, severity 1.0, on linear light.
const VISION: Record<string, readonly (readonly [number, number, number])[]> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function seen(colour: Triple, matrix: readonly (readonly [number, number, number])[]): Triple {
  const [red, green, blue] = linear(colour);
  const row = (index: number) => {
    const [a, b, c] = matrix[index] ?? [0, 0, 0];
    return Math.min(Math.max(a * red + b * green + c * blue, 0), 1);
  };
  return fromLinear([row(0), row(1), row(2)]);
}

test("lightness rises from silence to full scale without a step back", () => {
  const lightness = COLOURS.map((colour) => look(colour)[0]);
  for (let entry = 4; entry < ENTRIES; entry += 1)
    assert.ok((lightness[entry] ?? 0) > (lightness[entry - 4] ?? 1), `entry ${entry}`);
  assert.ok((lightness[0] ?? 1) < 0.15 && (lightness.at(-1) ?? 0) > 0.95);
});

test("equal steps of level look equally large along the whole map", () => {
  const steps = [];
  for (let entry = 8; entry < ENTRIES; entry += 8)
    steps.push(distance(look(COLOURS[entry - 8] as Triple), look(COLOURS[entry] as Triple)));
  const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
  for (const step of steps) assert.ok(Math.abs(step / mean - 1) < 0.15, `${step} against ${mean}`);
});

for (const [name, matrix] of Object.entries(VISION))
  test(`with ${name} louder is still lighter, and levels stay apart`, () => {
    const colours = COLOURS.map((colour) => seen(colour, matrix));
    for (let entry = 16; entry < ENTRIES; entry += 8) {
      const [before, now] = [colours[entry - 16] as Triple, colours[entry] as Triple];
      assert.ok(now[0] > before[0], `entry ${entry}`);
      assert.ok(distance(before, now) > 0.02);
    }
  });

test("no colour had to be bent to fit the screen", () => {
  const clipped = COLOURS.filter((colour) => colour.some((byte) => byte === 255)).length;
  assert.ok(clipped <= 16, `${clipped} colours touch the edge`);
});

test("gain and range set which level is darkest and which is brightest", () => {
  assert.equal(entryOf(-100, USUAL_LEVELS), 0);
  assert.equal(entryOf(-20, USUAL_LEVELS), 255);
  assert.equal(entryOf(-60, USUAL_LEVELS), 128);
  assert.equal(entryOf(-60, { gainDb: 0, rangeDb: 120 }), 128);
});

test("the table turns a byte of the picture into an opaque pixel", () => {
  const table = lookup(-120, 0, USUAL_LEVELS);
  const [red, green, blue] = COLOURS[255] as Triple;
  assert.equal(table[255], (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0);
  assert.ok([...table].every((pixel) => pixel >>> 24 === 0xff));
});

const SHAPE = { low_hz: 20, high_hz: 20_000, rows: 256, floor_db: -120, ceiling_db: 0 } as SpectrogramShape;

test("heights and frequencies convert into each other on the mel scale", () => {
  assert.ok(Math.abs(melOf(1000) - 1000) < 0.1, "1000 mel are 1000 Hz");
  for (const hz of [20, 440, 1000, 8000, 20_000]) {
    assert.ok(Math.abs(hzOf(melOf(hz)) - hz) < 1e-6);
    assert.ok(Math.abs(hzAt(SHAPE, heightOf(SHAPE, hz)) - hz) < 1e-6);
  }
  assert.equal(Math.round(hzAt(SHAPE, 0)), 20_000);
  assert.equal(Math.round(hzAt(SHAPE, 1)), 20);
});

test("labels of the frequency axis keep their distance and lie inside the picture", () => {
  const marks = frequencyMarks(SHAPE, 0.085);
  assert.ok(marks.length >= 6);
  marks.slice(1).forEach((mark, index) => {
    assert.ok((marks[index]?.height ?? 0) - mark.height >= 0.085);
  });
  assert.ok(frequencyMarks({ ...SHAPE, high_hz: 8000 }, 0.085).every(({ hz }) => hz <= 8000));
});

test("a byte of the picture is a level in dB", () => {
  assert.equal(dbOf(SHAPE, 0), -120);
  assert.equal(dbOf(SHAPE, 255), 0);
});
