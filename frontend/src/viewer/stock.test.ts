import assert from "node:assert/strict";
import { test } from "node:test";
import { Scope } from "../lib/scope.ts";
import { Stock } from "./stock.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

interface Thing {
  name: string;
  complete: boolean;
}

/** Room for three things of thirty bytes; while `ready` is false they come incomplete. */
function makeStock() {
  const scope = new Scope();
  const server = { ready: true, asked: [] as string[], late: Promise.resolve() };
  const released: string[] = [];
  const stock = new Stock<Thing>(
    { scope, changed: () => {} },
    {
      limitBytes: 100,
      fetch: async (name) => {
        server.asked.push(name);
        await server.late;
        return { name, complete: server.ready };
      },
      byteCount: () => 30,
      release: ({ name }) => released.push(name),
    },
  );
  return { scope, server, stock, released };
}

test("what is here is not fetched again, and counts as used when it is wanted", async () => {
  const { server, stock, released } = makeStock();
  stock.want(["a", "b", "c"]);
  await settled();
  stock.want(["a", "d"]);
  await settled();
  assert.deepEqual(server.asked, ["a", "b", "c", "d"]);
  assert.deepEqual(released, ["b"]);
  assert.equal(stock.peek("a")?.name, "a");
});

test("what came incomplete serves until more is ready, and is then fetched again when it is wanted", async () => {
  const { server, stock } = makeStock();
  stock.want(["whole"]);
  await settled();
  server.ready = false;
  stock.want(["part"]);
  await settled();
  stock.want(["whole", "part"]);
  assert.deepEqual(server.asked, ["whole", "part"], "nothing more is ready yet");
  server.ready = true;
  stock.refresh();
  assert.equal(stock.get("part")?.complete, false);
  for (let round = 0; round < 2; round += 1) {
    stock.want(["whole", "part"]);
    await settled();
  }
  assert.deepEqual(server.asked, ["whole", "part", "part"]);
  assert.equal(stock.get("part")?.complete, true);
});

test("the end of the scope lets everything go, and what arrives after it is not kept", async () => {
  const { scope, server, stock, released } = makeStock();
  stock.want(["a"]);
  await settled();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.late = promise;
  stock.want(["b"]);
  scope.dispose();
  resolve();
  await settled();
  assert.deepEqual([released, stock.has("a"), stock.has("b")], [["a"], false, false]);
});
