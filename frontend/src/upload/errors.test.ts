import assert from "node:assert/strict";
import { test } from "node:test";
import { Unreadable } from "./droppedFiles.ts";
import { recoveryOf } from "./errors.ts";

function answered(status: number, code = "", retryAfter?: string): unknown {
  const body = code ? JSON.stringify({ code, detail: `said ${code}` }) : "<html>";
  return {
    originalResponse: { getStatus: () => status, getHeader: () => retryAfter, getBody: () => body },
    causingError: null,
  };
}

test("a lost network, a restart and a proxy without a server are waited out", () => {
  for (const problem of [{ originalResponse: null }, new Error("?"), answered(0), answered(500), answered(502)])
    assert.deepEqual(recoveryOf(problem), { verdict: "again", trouble: "network", pauseMs: null });
});

test("what mends itself is tried again without a word", () => {
  for (const status of [408, 409, 423, 460, 503])
    assert.deepEqual(recoveryOf(answered(status)), { verdict: "again", trouble: null, pauseMs: null });
  assert.deepEqual(recoveryOf(answered(423, "upload.busy", "2")), { verdict: "again", trouble: null, pauseMs: 2000 });
});

test("a full disk and a lost session are told and waited out", () => {
  assert.deepEqual(recoveryOf(answered(507, "upload.disk_full", "30")), {
    verdict: "again",
    trouble: "disk",
    pauseMs: 30_000,
  });
  for (const status of [401, 403])
    assert.deepEqual(recoveryOf(answered(status)), { verdict: "again", trouble: "session", pauseMs: null });
});

test("an import that is over stops everything, a file that is gone only itself", () => {
  assert.deepEqual(recoveryOf(answered(410)), { verdict: "over" });
  assert.deepEqual(recoveryOf(answered(409, "upload.closed")), { verdict: "over" });
  assert.deepEqual(recoveryOf(answered(404)), { verdict: "failed", why: "gone", detail: "" });
});

test("an error is passed on in the server's words, and a file that cannot be read is named as such", () => {
  assert.deepEqual(recoveryOf(answered(413, "upload.too_long")), {
    verdict: "failed",
    why: "refused",
    detail: "said upload.too_long",
  });
  assert.deepEqual(recoveryOf({ causingError: new Unreadable("a.wav", "gone"), originalResponse: null }), {
    verdict: "failed",
    why: "unreadable",
    detail: "",
  });
});
