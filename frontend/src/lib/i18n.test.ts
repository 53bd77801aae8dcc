import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { decimal, fill, gettext, ngettext } from "./i18n.ts";

const page = globalThis as { django?: object; document?: object };

afterEach(() => {
  delete page.django;
  delete page.document;
});

test("a page without a catalogue is in English", () => {
  assert.equal(gettext("Saved"), "Saved");
  assert.deepEqual(
    [0, 1, 2].map((count) => fill(ngettext("{count} clip", "{count} clips", count), { count })),
    ["0 clips", "1 clip", "2 clips"],
  );
});

test("a page with Django's catalogue is in its language, by the plural forms of that language", () => {
  page.django = {
    gettext: (text: string) => (text === "Saved {time}" ? "Enregistré à {time}" : text),
    ngettext: (_one: string, _many: string, count: number) => (count < 2 ? "{count} extrait" : "{count} extraits"),
  };
  assert.equal(fill(gettext("Saved {time}"), { time: "14:02" }), "Enregistré à 14:02");
  assert.equal(gettext("unknown"), "unknown");
  assert.deepEqual(
    [0, 1, 2].map((count) => fill(ngettext("{count} clip", "{count} clips", count), { count })),
    ["0 extrait", "1 extrait", "2 extraits"],
  );
});

test("a number has the decimal sign of the page's language, and no other change", () => {
  const written = ["en", "fr", "de", "es", ""].map((lang) => {
    page.document = { documentElement: { lang } };
    return decimal("1234.50");
  });
  assert.deepEqual(written, ["1234.50", "1234,50", "1234,50", "1234,50", "1234.50"]);
  delete page.document;
  assert.equal(decimal("0:03.250"), "0:03.250");
});

test("places are filled with texts and numbers; one that nothing fills stays visible", () => {
  assert.equal(fill(gettext("{n} of {of}"), { n: 0, of: "three" }), "0 of three");
  assert.equal(fill("{lost}" as string, {}), "{lost}");
});
