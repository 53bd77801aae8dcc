import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpRequest, HttpResponse, HttpStack } from "tus-js-client";
import { Scope } from "../lib/scope.ts";
import { Silence, TusHttpStack, type Wiring } from "./tusHttpStack.ts";

class FakeRequest implements HttpRequest {
  readonly headers = new Map<string, string>();
  sent: unknown[] = [];
  aborted = false;
  progress: (bytes: number) => void = () => {};
  answer: (response: HttpResponse) => void = () => {};
  getMethod = () => "PATCH";
  getURL = () => "/api/v1/uploads/1/";
  setHeader = (name: string, value: string) => void this.headers.set(name, value);
  getHeader = (name: string) => this.headers.get(name);
  setProgressHandler = (handler: (bytes: number) => void) => {
    this.progress = handler;
  };
  getUnderlyingObject = () => null;
  send(body: unknown): Promise<HttpResponse> {
    this.sent.push(body);
    return new Promise((resolve) => {
      this.answer = resolve;
    });
  }
  async abort(): Promise<void> {
    this.aborted = true;
  }
}

const RESPONSE = { getStatus: () => 204 } as HttpResponse;
const tick = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

function checked(wiring: Partial<Wiring> = {}): { inner: FakeRequest; outer: HttpRequest; scope: Scope } {
  const inner = new FakeRequest();
  const stack: HttpStack = { createRequest: () => inner, getName: () => "fake" };
  const scope = new Scope();
  const digest: Wiring["digest"] = async (start, end) => ({
    piece: `piece ${start}-${end}`,
    whole: end === 10 ? "whole" : null,
  });
  const outer = new TusHttpStack(stack, { digest, csrf: () => "token", scope, ...wiring }).createRequest("PATCH", "/");
  return { inner, outer, scope };
}

test("a piece carries its checksum, and the last one the digest of the whole file", async () => {
  for (const [offset, expected] of [
    [4, { "Upload-Checksum": "sha256 piece 4-7", "Repr-Digest": undefined }],
    [7, { "Upload-Checksum": "sha256 piece 7-10", "Repr-Digest": "sha-256=:whole:" }],
  ] as const) {
    const { inner, outer, scope } = checked();
    outer.setHeader("Upload-Offset", String(offset));
    const answer = outer.send(new Blob(["abc"]));
    await tick();
    for (const [name, value] of Object.entries(expected)) assert.equal(inner.headers.get(name), value);
    assert.equal(inner.headers.get("X-CSRFToken"), "token");
    inner.answer(RESPONSE);
    assert.equal(await answer, RESPONSE);
    assert.equal(scope.size, 0, "no timer is left");
  }
});

test("a request without a body carries no checksum", async () => {
  const { inner, outer } = checked();
  const answer = outer.send(null);
  await tick();
  assert.equal(inner.headers.has("Upload-Checksum"), false);
  inner.answer(RESPONSE);
  await answer;
});

test("a request during which nothing moves is given up, and one that moves is not", async ({ mock }) => {
  const { inner, outer, scope } = checked({ silenceMs: 60 });
  mock.timers.enable({ apis: ["setTimeout"] });
  outer.setProgressHandler(() => {});
  const answer = outer.send(new Blob(["abc"]));
  answer.catch(() => {});
  await new Promise((resolve) => setImmediate(resolve)); // the digest is there, and it is sent
  for (let n = 0; n < 6; n += 1) {
    inner.progress(n);
    mock.timers.tick(59);
  }
  assert.equal(inner.aborted, false);
  mock.timers.tick(1);
  await assert.rejects(answer, Silence);
  assert.equal(inner.aborted, true);
  assert.equal(scope.size, 0);
});

test("what is aborted while its digest is computed is never sent", async () => {
  const { inner, outer } = checked();
  void outer.send(new Blob(["abc"]));
  await outer.abort();
  await tick(5);
  assert.deepEqual(inner.sent, []);
});

test("a file that cannot be read fails the request", async () => {
  const { outer } = checked({ digest: () => Promise.reject(new Error("gone")) });
  await assert.rejects(outer.send(new Blob(["abc"])), /gone/);
});
