import assert from "node:assert/strict";
import { test } from "node:test";
import { NotesModel } from "./notesModel.ts";

function opened(written: ConstructorParameters<typeof NotesModel>[0] = {}) {
  const told = { times: 0 };
  return { told, book: new NotesModel(written, () => (told.times += 1)) };
}

test("a source is in the list once, however it is written", () => {
  const { book, told } = opened();
  assert.equal(book.addSource("  church   bells "), "church bells");
  assert.equal(book.addSource("Church Bells"), "church bells");
  assert.equal(book.addSource("   "), null);
  assert.deepEqual(book.sources, ["church bells"]);
  assert.equal(told.times, 1);
});

test("a source that stands in an hour cannot be removed, and can be afterwards", () => {
  const { book } = opened({ sources: ["rain"] });
  book.toggle(8, "rain");
  assert.equal(book.removeSource("rain"), false);
  book.toggle(8, "rain");
  assert.equal(book.removeSource("rain"), true);
  assert.deepEqual(book.sources, []);
});

test("an hour is noted by a source or a sentence, and no longer when both are gone", () => {
  const { book } = opened({ sources: ["rain"] });
  book.setNote(3, "quiet");
  assert.equal(book.isNoted(3), true);
  book.setNote(3, " ");
  assert.equal(book.isNoted(3), false);
  book.toggle(3, "rain");
  assert.deepEqual(book.hours, [{ hour: 3, present: ["rain"], note: " " }]);
});

test("what was written before is there again, in the order of the day", () => {
  const { book } = opened({
    sources: ["cars"],
    hours: [
      { hour: 9, present: ["cars"], note: "" },
      { hour: 2, present: [], note: "x" },
    ],
  });
  assert.deepEqual(
    book.hours.map(({ hour }) => hour),
    [2, 9],
  );
  assert.equal(book.uses("cars"), 1);
});
