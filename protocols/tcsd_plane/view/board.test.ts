import assert from "node:assert/strict";
import { test } from "node:test";
import { Scope } from "../../../frontend/src/lib/scope.ts";
import { Keys } from "../../../frontend/src/trial/keys.ts";
import { FakeElement, left } from "../../../frontend/src/viewer/fakePage.ts";
import { crossesOf, fileTime, mountBoard } from "./board.ts";
import { at, focus, mount } from "./boardFake.ts";
import type { ShownCross } from "./contract.ts";

test("choose a token, click: it lies there, tentative; drag it: it goes along; outside it sticks", () => {
  const { board, find, click, point, did, scope } = mount();
  find("board__token", "s2").dispatchEvent(new Event("click"));
  click(at(0.3, 0.6));
  assert.deepEqual(board.crosses, { s2: { tc: 0.3, sd: 0.6, decided: false } });
  const [x, y] = at(0.3, 0.6);
  point("pointerdown", [x + 5, y]);
  point("pointermove", [x + 55, y]);
  assert.deepEqual(board.crosses.s2, { tc: 0.3, sd: 0.6, decided: false }, "in the hand it has not moved");
  point("pointerup", [x + 105, y - 1000]);
  assert.deepEqual(board.crosses.s2, { tc: 0.5, sd: 1, decided: false });
  assert.deepEqual(did, ["changed", "changed", "changed"]);
  assert.deepEqual(
    board.takeMoves().map(({ slot, to, input, plane_px, numbers }) => [slot, to, input, plane_px, numbers]),
    [
      ["s2", [0.3, 0.6], "pointer", 500, false],
      ["s2", [0.5, 1], "pointer", 500, false],
    ],
  );
  scope.dispose();
});

test("a click on a cross chooses it and moves nothing, a double click decides", () => {
  const { board, click, point, scope } = mount({
    crosses: { s1: { tc: 0.5, sd: 0.5, decided: false }, s3: { tc: 0.54, sd: 0.5, decided: false } },
  });
  click([at(0.53, 0)[0], at(0, 0.5)[1]]);
  assert.equal(board.selected, "s3");
  click(at(0.51, 0.5));
  assert.equal(board.selected, "s1");
  assert.deepEqual(board.takeMoves(), []);
  point("dblclick", at(0.5, 0.5));
  assert.equal(board.crosses.s1?.decided, true);
  scope.dispose();
});

test("a chosen cross goes where one clicks, which needs no dragging; one from the tray may lie on another", () => {
  const { board, click, scope } = mount({ crosses: { s1: { tc: 0.5, sd: 0.5, decided: true } } });
  board.select("s1");
  click(at(0.9, 0.1));
  assert.deepEqual(board.crosses.s1, { tc: 0.9, sd: 0.1, decided: false });
  board.select("s2");
  click(at(0.9, 0.1));
  assert.deepEqual(board.crosses.s2, { tc: 0.9, sd: 0.1, decided: false });
  scope.dispose();
});

test("a token is pulled out of the tray onto the plane, and back into it nothing has happened", () => {
  const { board, find, point, scope } = mount();
  const token = find("board__token", "s3");
  const pull = (to: readonly [number, number]) => {
    point("pointerdown", [200, 700], token);
    point("pointermove", to, token);
    point("pointerup", to, token);
  };
  pull([300, 900]);
  assert.deepEqual(board.takeMoves(), []);
  pull(at(0.2, 0.2));
  assert.deepEqual(board.crosses, { s3: { tc: 0.2, sd: 0.2, decided: false } });
  assert.equal(board.selected, "s3");
  scope.dispose();
});

test("by keys alone: digit, G, arrows, Enter, Enter, Backspace, undo and redo", () => {
  const { board, press, surface, scope } = mount();
  press("2");
  assert.equal(board.selected, "s2");
  press("g");
  assert.equal(focus.on, surface);
  press("ArrowRight");
  press("ArrowRight", { repeat: true });
  press("PageUp");
  press("Enter");
  press("Enter");
  assert.deepEqual(board.crosses, { s2: { tc: 0.52, sd: 0.6, decided: true } });
  press("End");
  press("Backspace");
  assert.deepEqual(board.crosses, {});
  press("z", { ctrlKey: true });
  press("z", { ctrlKey: true });
  assert.deepEqual(board.crosses.s2, { tc: 0.52, sd: 0.6, decided: true });
  press("Z", { ctrlKey: true, shiftKey: true });
  assert.equal(board.crosses.s2?.tc, 1);
  const inputs = board.takeMoves().map(({ input }) => input);
  assert.deepEqual(inputs, ["keys", "keys", "keys", "keys", "undo", "undo", "redo"]);
  scope.dispose();
});

test("S and a digit give the same SD without choosing the other; Esc takes the question back", () => {
  const { board, press, root, scope } = mount({
    crosses: { s1: { tc: 0.1, sd: 0.2, decided: true }, s3: { tc: 0.7, sd: 0.8, decided: true } },
  });
  press("1");
  press("s");
  assert.equal(root.find("board__hint").textContent, "Summary 1 gets the same SD as which one?");
  press("3");
  assert.deepEqual([board.selected, board.crosses.s1?.sd], ["s1", 0.8]);
  press("t");
  press("Escape");
  press("3");
  assert.deepEqual([board.selected, board.crosses.s1?.tc], ["s3", 0.1]);
  scope.dispose();
});

test("a button that does nothing now says why, seen and heard", () => {
  const { board, root, press, scope, click } = mount();
  const button = (act: string) => [...root.all()].find((element) => element.getAttribute("data-act") === act);
  const summary = () => [...root.all()].find(({ tag }) => tag === "summary");
  const told = () => [root.find("board__hint").textContent, root.find("sr-only").textContent];
  const said = (element: FakeElement | undefined) => {
    element?.dispatchEvent(new Event("click", { cancelable: true }));
    return told();
  };
  const both = (why: string) => [why, why];
  assert.deepEqual(said(button("settle")), both("Place a cross first"));
  assert.deepEqual(said(button("lift")), both("Place a cross first"));
  assert.deepEqual(said(button("undo")), both("Nothing to undo"));
  assert.deepEqual(said(button("redo")), both("Nothing to redo"));
  assert.deepEqual(said(summary()), both("Needs two crosses on the plane"));
  press("z", { ctrlKey: true });
  assert.deepEqual(told(), both("Nothing to undo"));
  board.select("s1");
  click(at(0.3, 0.6));
  said(button("settle"));
  assert.equal(board.crosses.s1?.decided, true);
  assert.deepEqual(said(button("settle")), both("Decided already"));
  scope.dispose();
});

test("letters switched off mean nothing, arrows still do", () => {
  const { board, press, keys, scope } = mount({ crosses: { s1: { tc: 0.1, sd: 0.2, decided: true } } });
  board.select("s1");
  keys.enabled = false;
  press("2");
  press("s");
  press("ArrowUp");
  assert.deepEqual([board.selected, board.crosses.s1?.sd], ["s1", 0.21]);
  scope.dispose();
});

test("each cross is a group with two ranges that say where it stands; figures are seen only in the open list", () => {
  const { board, root, press, scope } = mount({ crosses: { s2: { tc: 0.4237, sd: 0.68, decided: false } } });
  const list = root.find("board__list");
  const row = [...list.all()].filter((element) => element.className === "board__row")[1] as FakeElement;
  assert.equal(row.getAttribute("aria-label"), "Summary 2, TC 0.42 of maximum, SD 0.68 of maximum, tentative");
  assert.equal(row.getAttribute("aria-roledescription"), "2D slider");
  const [tc, sd] = [...row.all()].filter((element) => element.tag === "input") as [FakeElement, FakeElement];
  assert.equal(tc.getAttribute("aria-valuetext"), "0.42 of maximum");
  list.open = true;
  for (const value of ["0.7", "0.75"]) {
    sd.value = value;
    sd.dispatchEvent(new Event("input"));
  }
  sd.dispatchEvent(new Event("change"));
  assert.deepEqual(board.crosses.s2, { tc: 0.4237, sd: 0.75, decided: false });
  press("Enter", {}, tc);
  assert.equal(board.crosses.s2?.decided, true);
  const [slid, decided] = board.takeMoves();
  assert.deepEqual([slid?.to, slid?.input, slid?.numbers], [[0.4237, 0.75], "range", true]);
  assert.equal(decided?.decided, true);
  board.focus();
  assert.equal(list.open, false, "the plane has its place back");
  scope.dispose();
});

test("what happens is said: the whole on choosing, one axis on moving, relations on demand", () => {
  const { press, root, scope } = mount({
    crosses: { s1: { tc: 0.1, sd: 0.2, decided: true }, s3: { tc: 0.7, sd: 0.8, decided: true } },
  });
  const said = () => root.find("sr-only").textContent;
  press("2");
  assert.equal(said(), "Summary 2, not placed");
  press("3");
  assert.equal(said(), "Summary 3, TC 0.70 of maximum, SD 0.80 of maximum, decided");
  press("ArrowDown");
  assert.equal(said(), "SD 0.79 of maximum");
  press("i");
  assert.equal(said(), "Summary 3 is above 1; right of 1.");
  scope.dispose();
});

test("a summary is played from its token, which chooses it", () => {
  const { board, root, did, scope } = mount();
  root.find("board__play").dispatchEvent(new Event("click"));
  assert.deepEqual([board.selected, did], ["s1", ["changed", "play s1"]]);
  scope.dispose();
});

test("a thousand mounts leave nothing behind", () => {
  const outer = new Scope();
  const keys = new Keys(outer);
  const before = { ...left, owned: outer.size };
  const root = new FakeElement("div");
  for (let index = 0; index < 1000; index += 1) {
    const scope = outer.child();
    const board = mountBoard(root as never, { tokens: ["s1"], crosses: {}, play() {}, changed() {} }, keys, scope);
    board.select("s1");
    scope.dispose();
  }
  assert.deepEqual({ ...left, owned: outer.size }, before);
  assert.equal(root.children.length, 0);
});

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

test("with Shift a cross moves along the axis of the larger movement only", () => {
  const { board, surface, point, scope } = mount({ crosses: { s1: { tc: 0.5, sd: 0.5, decided: false } } });
  const drag = (to: readonly [number, number]) => {
    const { tc = 0, sd = 0 } = board.crosses.s1 ?? {};
    point("pointerdown", at(tc, sd), surface, true);
    point("pointermove", to, surface, true);
    point("pointerup", to, surface, true);
  };
  drag(at(0.8, 0.6));
  assert.deepEqual(board.crosses.s1, { tc: 0.8, sd: 0.5, decided: false });
  drag(at(0.7, 0.2));
  assert.deepEqual(board.crosses.s1, { tc: 0.8, sd: 0.2, decided: false });
  scope.dispose();
});

test("where summaries are placed first, the others are seen only once the chosen one has its cross", () => {
  const crosses = { s1: { tc: 0.5, sd: 0.5, decided: true } };
  const { board, find, click, scope } = mount({ crosses, alone: true });
  const seen = (token: string) => find("board__cross", token).getAttribute("visibility");
  board.select("s2");
  assert.equal(seen("s1"), "hidden");
  assert.equal(find("board__token", "s1").getAttribute("aria-label"), "Summary 1, placed");
  click(at(0.5, 0.5));
  assert.equal(board.selected, "s2", "what is not seen is not hit");
  assert.deepEqual([seen("s1"), seen("s2")], ["visible", "visible"]);
  board.select("s3");
  assert.deepEqual([seen("s1"), seen("s2")], ["hidden", "hidden"]);
  board.select("s1");
  assert.equal(seen("s2"), "visible");
  scope.dispose();
});

test("a cross of a summary that was never played is marked until it is heard", () => {
  const heard = new Set<string>();
  const { root, board, find, click, scope } = mount({ heard: (token) => heard.has(token) });
  board.select("s2");
  click(at(0.5, 0.5));
  assert.equal(root.find("board__hint").dataset.state, "unheard");
  assert.equal(find("board__token", "s2").getAttribute("data-heard"), "no");
  heard.add("s2");
  board.draw();
  assert.equal(root.find("board__hint").dataset.state, "usual");
  assert.equal(find("board__token", "s2").getAttribute("data-heard"), "yes");
  scope.dispose();
});

test("undo, G and closing make sure that the plane is seen", () => {
  let revealed = 0;
  const crosses = { s1: { tc: 0.5, sd: 0.5, decided: false } };
  const reveal = () => {
    revealed += 1;
  };
  const { board, press, scope } = mount({ crosses, reveal });
  press("g");
  press("z", { ctrlKey: true });
  board.decideAll();
  assert.equal(revealed, 3);
  scope.dispose();
});
