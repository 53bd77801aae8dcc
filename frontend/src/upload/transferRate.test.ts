import assert from "node:assert/strict";
import { test } from "node:test";
import { sizeText, TransferRate, timeText } from "./transferRate.ts";

test("the speed is that of the last seconds", () => {
  const rate = new TransferRate();
  assert.equal(rate.speed(), null);
  for (let second = 0; second <= 60; second += 1) rate.note(second * 1000, second * 100);
  assert.equal(rate.speed(), 100);
  for (let second = 61; second <= 90; second += 1) rate.note(second * 1000, 6000 + (second - 60) * 1000);
  assert.equal(rate.speed(), 1000);
  assert.equal(rate.secondsLeft(5000), 5);
});

test("nothing is said after less than a second, after a pause, or when nothing moves", () => {
  const rate = new TransferRate();
  rate.note(0, 0);
  rate.note(900, 100);
  assert.equal(rate.speed(), null);
  rate.note(2000, 100);
  assert.equal(rate.speed(), 50);
  rate.forget();
  assert.equal(rate.secondsLeft(10), null);
  rate.note(0, 5);
  rate.note(5000, 5);
  assert.equal(rate.secondsLeft(10), null);
});

test("a piece that is sent again does not make the speed negative", () => {
  const rate = new TransferRate();
  rate.note(0, 0);
  rate.note(2000, 800);
  rate.note(3000, 100);
  assert.equal(rate.speed(), null);
});

test("sizes and times are said in units that people use", () => {
  assert.equal(sizeText(0, "en"), "0 bytes");
  assert.equal(sizeText(999, "en"), "999 bytes");
  assert.equal(sizeText(1000, "en"), "1 kB");
  assert.equal(sizeText(8_388_608, "en"), "8.4 MB");
  assert.equal(sizeText(1.25e9, "fr"), "1,3\u202fGo");
  assert.deepEqual(
    [0.2, 59, 61, 3541, 3600, 5400].map((seconds) => timeText(seconds)),
    ["1 s", "59 s", "2 min", "1 h 0 min", "1 h 0 min", "1 h 30 min"],
  );
});
