// Fake server for tests: a real HTTP server on loopback that answers votes as it is told to, and what was heard of a clip.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Heard, Result, VoteBody, VoteEvent } from "./events.ts";

type Reply = { status: number; results?: Result[]; retryAfterS?: number } | "hang up";

/** A real HTTP server that answers votes as the test tells it to, and remembers every body. */
export class FakeServer {
  readonly bodies: VoteBody[] = [];
  readonly stored = new Map<string, VoteEvent>();
  readonly fetched: string[] = [];
  /** The status of a sound that is asked for. */
  sound: (path: string) => number = () => 200;
  reply: (body: VoteBody) => Reply = (body) => ({
    status: 200,
    results: body.events.map((event) => this.store(event)),
  });
  #server: Server | null = null;

  store(event: VoteEvent): Result {
    const known = this.stored.has(event.event_id);
    this.stored.set(event.event_id, event);
    return { event_id: event.event_id, status: known ? "replay" : "stored", revision: 1 };
  }

  async start(): Promise<string> {
    const server = createServer(async (incoming, outgoing) => {
      if (incoming.method === "GET") {
        this.fetched.push(incoming.url ?? "");
        outgoing.writeHead(this.sound(incoming.url ?? ""), { Connection: "close" });
        return void outgoing.end("RIFF");
      }
      const parts: Buffer[] = [];
      for await (const part of incoming) parts.push(part as Buffer);
      const body = JSON.parse(Buffer.concat(parts).toString()) as VoteBody;
      this.bodies.push(body);
      const reply = this.reply(body);
      if (reply === "hang up") return void outgoing.destroy();
      const answered = { answered: this.stored.size, total: 99, saved_at: "2026-01-01T12:00:00Z" };
      const retry = reply.retryAfterS ? { "Retry-After": String(reply.retryAfterS) } : {};
      outgoing.writeHead(reply.status, { "Content-Type": "application/json", Connection: "close", ...retry });
      outgoing.end(JSON.stringify(reply.results ? { results: reply.results, ...answered } : { code: "some.error" }));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/votes/`;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

export const HEARD: Heard = {
  plays: 1,
  heard_ms: 2000,
  heard_full: true,
  sample_rate_hz: 48000,
  started_ms: 1000,
  ended_ms: 3000,
  stall_ms: 0,
  interruptions: [],
  answer_ms: 900,
  level_db: 0,
  latency_ms: 20,
};
