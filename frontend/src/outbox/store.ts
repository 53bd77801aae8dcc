// Store of the outbox: IndexedDB with strict durability, or memory where the browser has no storage.
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Scope } from "../lib/scope.ts";
import type { VoteEvent } from "./events.ts";

export interface Store {
  /** False means that a closed tab forgets: the page must then wait for the server before it goes on. */
  readonly durable: boolean;
  /** Resolves when the event is on the disk. */
  add(event: VoteEvent): Promise<void>;
  /** Every waiting event of this visit, oldest first. */
  waiting(): Promise<VoteEvent[]>;
  remove(eventIds: readonly string[]): Promise<void>;
  close(): void;
}

interface Schema extends DBSchema {
  events: {
    key: number;
    value: { visit: string; event: VoteEvent };
    indexes: { visit: string };
  };
}

const DATABASE = "earmark-outbox";
const OPEN_LIMIT_MS = 4000;

class IndexedStore implements Store {
  readonly durable = true;
  readonly #visit: string;
  #database: IDBPDatabase<Schema>;

  constructor(database: IDBPDatabase<Schema>, visit: string) {
    this.#database = database;
    this.#visit = visit;
  }

  add(event: VoteEvent): Promise<void> {
    return this.#with(async (database) => {
      const transaction = database.transaction("events", "readwrite", { durability: "strict" });
      await Promise.all([transaction.store.add({ visit: this.#visit, event }), transaction.done]);
    });
  }

  waiting(): Promise<VoteEvent[]> {
    return this.#with(async (database) => {
      const rows = await database.getAllFromIndex("events", "visit", this.#visit);
      return rows.map((row) => row.event);
    });
  }

  remove(eventIds: readonly string[]): Promise<void> {
    return this.#with(async (database) => {
      const transaction = database.transaction("events", "readwrite", { durability: "strict" });
      for await (const cursor of transaction.store.index("visit").iterate(this.#visit))
        if (eventIds.includes(cursor.value.event.event_id)) await cursor.delete();
      await transaction.done;
    });
  }

  close(): void {
    this.#database.close();
  }

  // Browsers close idle connections on their own account; one reconnection tells that apart from a full disk.
  async #with<T>(work: (database: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
    try {
      return await work(this.#database);
    } catch {
      this.#database.close();
      this.#database = await openDatabase();
      return work(this.#database);
    }
  }
}

export class MemoryStore implements Store {
  readonly durable: boolean = false;
  #events: VoteEvent[] = [];

  async add(event: VoteEvent): Promise<void> {
    this.#events.push(event);
  }

  async waiting(): Promise<VoteEvent[]> {
    return [...this.#events];
  }

  async remove(eventIds: readonly string[]): Promise<void> {
    this.#events = this.#events.filter((event) => !eventIds.includes(event.event_id));
  }

  close(): void {}
}

/** Open the device's store; where there is none (private modes, policies, a broken disk), hold answers in memory. */
export async function openStore(visit: string, scope: Scope): Promise<Store> {
  const patience = scope.child();
  // Some browsers neither open nor refuse; an open that never answers must not hold up the listener.
  const tooLate = new Promise<never>((_, reject) => {
    patience.after(OPEN_LIMIT_MS, () => reject(new Error("IndexedDB does not answer")));
  });
  try {
    const store = new IndexedStore(await Promise.race([openDatabase(), tooLate]), visit);
    scope.own(() => store.close());
    return store;
  } catch {
    return new MemoryStore();
  } finally {
    patience.dispose();
  }
}

function openDatabase(): Promise<IDBPDatabase<Schema>> {
  return openDB<Schema>(DATABASE, 1, {
    upgrade(database) {
      database.createObjectStore("events", { autoIncrement: true }).createIndex("visit", "visit");
    },
  });
}
