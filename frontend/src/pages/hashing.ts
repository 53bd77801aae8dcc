// Worker of the upload page: reads files and computes their digests (upload/hashing.ts asks).
import { Scope } from "../lib/scope.ts";
import { type Answer, type Ask, Digests } from "../upload/hashing.ts";

const here = self as unknown as EventTarget & { postMessage(answer: Answer): void };
const digests = new Digests();

async function answer(ask: Ask): Promise<void> {
  if ("forget" in ask) {
    digests.forget(ask.forget);
    return;
  }
  try {
    here.postMessage({ id: ask.id, digested: await digests.of(ask.key, ask.file, ask.start, ask.end) });
  } catch (problem) {
    here.postMessage({ id: ask.id, error: String(problem) });
  }
}

new Scope().listen<MessageEvent<Ask>>(here, "message", ({ data }) => void answer(data));
