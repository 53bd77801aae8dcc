import assert from "node:assert/strict";
import { test } from "node:test";
import { at, mount } from "./board-fake.ts";
import type { ShownCross } from "./contract.ts";
import { crossesOf, fileTime } from "./tour.ts";

test("an example's crosses are decided ones", () => {
  const shown = { s3: { tc: 0.1, sd: 0.2, why: "Little of the day.", hears: [] } };
  assert.deepEqual(crossesOf(shown), { s3: { tc: 0.1, sd: 0.2, decided: true } });
});

test("file time is hours, minutes and seconds", () => {
  assert.deepEqual([0, 59.9, 3605, 86_515].map(fileTime), ["0:00:00", "0:00:59", "1:00:05", "24:01:55"]);
});

test("an example's crosses stay where they are and give their reasons and sounds", () => {
  const shown: Record<string, ShownCross> = {
    s1: { tc: 0.2, sd: 0.4, why: "Rain all day.", hears: [[30_250, 30_260]] },
  };
  const heard: unknown[] = [];
  const { board, root, press, point, scope } = mount({ shown, hear: (range) => heard.push(range) });
  point("click", at(0.2, 0.4));
  assert.equal(board.selected, "s1");
  press("ArrowRight");
  press("Backspace");
  assert.deepEqual([board.crosses, board.takeMoves()], [{ s1: { tc: 0.2, sd: 0.4, decided: true } }, []]);
  const reason = root.find("board__reason");
  assert.match(reason.textContent, /Rain all day\./);
  const [, stretch] = [...reason.all()].filter((element) => element.tag === "button");
  assert.equal(stretch?.textContent, "Full recording, 8:24:10 – 8:24:20");
  stretch?.dispatchEvent(new Event("click"));
  assert.deepEqual(heard, [[30_250, 30_260]]);
  scope.dispose();
});
