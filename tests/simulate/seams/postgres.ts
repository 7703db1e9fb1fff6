/** The driver of a simulated world: each statement is a message, and so is the begin and the end of a transaction. */
import { AsyncLocalStorage } from "node:async_hooks";
import real from "postgres";
import { findWorld, theWorld } from "../current.ts";
import { orderRows } from "../rowOrder.ts";
import type { Message, Process } from "../scheduler.ts";

type Sql = ReturnType<typeof real>;
type Query = ReturnType<Sql["unsafe"]>;
type Work = (tx: Sql) => unknown;

/** A statement that is sent when it is awaited, as the driver's own. */
class HeldQuery implements PromiseLike<unknown> {
  private isValues = false;
  private sent: Promise<unknown> | null = null;

  constructor(
    private readonly process: Process,
    readonly message: Message,
    /** Sends nothing before it is awaited. */
    readonly query: Query,
  ) {}

  values(): this {
    this.isValues = true;
    return this;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- the driver's queries are, too
  then: Promise<unknown>["then"] = (done, failed) => {
    this.sent ??= theWorld().pass(
      this.message,
      async () => orderRows(this.message.text, await (this.isValues ? this.query.values() : this.query)),
      this.process,
    );
    // oxlint-disable-next-line promise/no-callback-in-promise -- it is the promise's own
    return this.sent.then(done, failed);
  };

  catch<B>(failed: (reason: unknown) => B): Promise<unknown> {
    return this.then(null, failed);
  }

  finally(last: () => void): Promise<unknown> {
    return this.then(null, null).finally(last);
  }
}

const describe = (text: string, parameters: unknown): string =>
  `${text} ${JSON.stringify(parameters, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value)) ?? ""}`;

/** @param lane the transaction whose client it is */
function hold(client: Sql, process: Process, lane?: object): Sql {
  const build = (text: string): Message => ({ kind: "sql", text, mayBlock: true, ...(lane && { lane }) });
  return new Proxy(client, {
    get: (target, key) => {
      if (key === "unsafe")
        return (...[text, parameters, options]: Parameters<Sql["unsafe"]>) =>
          new HeldQuery(process, build(describe(text, parameters)), target.unsafe(text, parameters, options));
      if (key === "begin" || key === "savepoint") {
        const run: (work: Work) => Promise<unknown> = Reflect.get<object, string>(target, key).bind(target);
        return (work: Work) => transact(run, work, { key, process, lane: lane ?? {} });
      }
      return Reflect.get(target, key);
    },
    apply: (target, self, given: [TemplateStringsArray | object, ...unknown[]]) => {
      const [first] = given;
      // A query within a query is a part of its text.
      const parts = given.map((each) => (each instanceof HeldQuery ? each.query : each));
      const query: Query = Reflect.apply(target as never, self, parts);
      if (!("raw" in first)) return query;
      const said = given.slice(1).map((each) => (each instanceof HeldQuery ? each.message.text : each));
      return new HeldQuery(process, build(describe([...(first as TemplateStringsArray)].join("?"), said)), query);
    },
  });
}

/** A transaction whose begin and whose end are released one after the other. */
function transact(
  run: (work: Work) => Promise<unknown>,
  work: Work,
  { key, process, lane }: { key: string; process: Process; lane: object },
): Promise<unknown> {
  const ended = Promise.withResolvers<unknown>();
  const begun = Promise.withResolvers<void>();
  const pass = (text: string, perform: () => Promise<unknown>) =>
    theWorld().pass({ kind: "sql", text, mayBlock: true, lane }, perform, process);
  const settleEnd = (settled: Promise<unknown>) =>
    settled.then(
      () => null,
      () => null,
    );
  // The driver calls back in its own context.
  const inContext = AsyncLocalStorage.snapshot();
  const begin = async () => {
    const settled: Promise<unknown> = run(async (tx) => {
      begun.resolve();
      const outcome = await Promise.allSettled([inContext(async () => work(hold(tx, process, lane)))]);
      const [first] = outcome;
      const release = Promise.withResolvers<void>();
      void inContext(pass, first.status === "fulfilled" ? `end of ${key}` : `rollback of ${key}`, async () => {
        release.resolve();
        await settleEnd(settled);
      });
      await release.promise;
      if (first.status === "rejected") throw first.reason;
      return first.value;
    });
    settled.then(ended.resolve, (error: unknown) => {
      begun.resolve();
      if (!process.isDead) ended.reject(error);
    });
    await begun.promise;
  };
  return pass(key, begin).then(() => ended.promise);
}

/** So many that no statement ever waits inside of the driver, where the scheduler could not see it. */
const connectionsMax = 60;

interface Options {
  readonly setup?: string;
  readonly max?: number;
  readonly connection?: object;
}

/** Settings of a session without those that go by the real time: a statement waits as long as the scheduler holds others. */
const keepTimeless = (setup = ""): string =>
  setup.replaceAll(/set (?:statement_timeout|idle_in_transaction_session_timeout|tcp_\w+) = \d+;/g, "");

/** Opens a client in the name of the process that is being built. */
function openHeld(url: string, options: Parameters<typeof real>[1]): Sql;
function openHeld(options: Parameters<typeof real>[0]): Sql;
function openHeld(...[first, second]: readonly unknown[]): Sql {
  const world = findWorld();
  const [url, options] = typeof first === "string" ? [first, second] : [null, first];
  const plain = (given: unknown): Sql => (url === null ? real(given as never) : real(url, given as never));
  if (world === null) return plain(options);
  const { setup, max, connection } = options as Options;
  const client = plain({
    ...(options as Options),
    setup: keepTimeless(setup),
    max: max === 1 ? 1 : connectionsMax,
    // Connections end with their process, never by the real time.
    idle_timeout: 0,
    max_lifetime: null,
    connection: { ...connection, application_name: world.building.name },
  });
  world.noteClient(client);
  return hold(client, world.building);
}

// oxlint-disable-next-line import/no-default-export -- it stands in the place of the driver's
export default Object.assign(openHeld, real);
