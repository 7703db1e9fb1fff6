/**
 * The one scheduler of a simulated world.
 *
 * - message: a statement for Postgres, a call to the node, a request to a partner or its answer, a timer, a job that begins.
 * - actor: who waits for messages: a person, a job, a request of a server, a chore. - process: what dies as a whole.
 * - release: one message goes on its way, alone; the next one waits until it has arrived and all that follows from it waits again.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";
import type { Stream } from "./seededRandom.ts";
import { listDue, readMs, sleepReally } from "./virtualTime.ts";

export interface Actor {
  readonly name: string;
  readonly process: Pick<Process, "name" | "isDead">;
}

/** A process of the world. Of a dead one no message is released and none arrives. */
export interface Process {
  readonly name: string;
  isDead: boolean;
}

export type Kind = "sql" | "rpc" | "request" | "answer" | "timer" | "job" | "chore" | "block";

export interface Message {
  readonly kind: Kind;
  readonly text: string;
  /** Of Postgres: it may wait for the locks of others. */
  readonly mayBlock?: boolean;
  /** Messages of one connection go in their own order, as the statements of a transaction. */
  readonly lane?: object;
}

interface Entry {
  readonly actor: Actor;
  readonly message: Message;
  readonly order: number;
  readonly perform: () => Promise<unknown>;
  readonly settle: (outcome: PromiseSettledResult<unknown>) => void;
  /** It is held until so many messages were released and this time has come, or until nothing else goes on by then. */
  readonly stall: Stall | null;
}

/** How long a process stands still before a message of it goes on its way. */
export interface Stall {
  readonly steps: number;
  readonly ms: number;
}

/** A message that is under way in Postgres and waits for a lock. */
interface Blocked {
  readonly entry: Entry;
  outcome: PromiseSettledResult<unknown> | null;
}

export interface Scheduler {
  /** Runs `work` as an actor; of a dead process nothing comes back. */
  run<T>(actor: Actor, work: () => Promise<T>): Promise<T>;
  /** The actor that runs now; null outside of all, and while a message is under way in a driver. */
  current(): Actor | null;
  /** Holds a message until it is released, performs it, and answers what it answered. */
  pass<T>(message: Message, perform: () => Promise<T>, process?: Process): Promise<T>;
  /** Releases one message; null where none waits. */
  releaseOne(): Promise<string | null>;
  /** Waits until everything waits for a release. */
  settle(): Promise<void>;
  readonly count: number;
}

export interface SchedulerInput {
  random: Stream;
  onRelease(entry: { actor: Actor; message: Message }, outcome: PromiseSettledResult<unknown> | null): void;
  /** How many statements of this world wait for locks in Postgres now. */
  countLockWaits(): Promise<number>;
  /** The world outside, whose actors are those of the program itself. */
  outside: Process;
  /** Native work that is under way, such as signatures, and will go on by itself. */
  hasNativeWork(): boolean;
  /** Whether the actor stands still at this message. */
  drawStall(actor: Actor, message: Message): Stall | null;
}

const turnsQuiet = 3;
/** Most statements take less: one that takes longer may wait for a lock. */
const blockedMs = 10;

export function createScheduler(input: SchedulerInput): Scheduler {
  const storage = new AsyncLocalStorage<Actor | null>();
  const waiting = new Set<Entry>();
  const blocked = new Set<Blocked>();
  let [made, count] = [0, 0];
  const current = (): Actor | null => storage.getStore() ?? null;

  /** All promises that can go on have done so once no new message came in some turns of the engine's loop. */
  const settle = async (): Promise<void> => {
    for (let quiet = 0, before = made; quiet < turnsQuiet;) {
      await setImmediate();
      quiet = made === before && !input.hasNativeWork() ? quiet + 1 : 0;
      before = made;
    }
  };

  const finish = async (entry: Entry, outcome: PromiseSettledResult<unknown>): Promise<void> => {
    if (entry.actor.process.isDead) return;
    input.onRelease(entry, outcome);
    entry.settle(outcome);
    await settle();
  };

  /** Performs a message; null where it waits for a lock. */
  const perform = async (entry: Entry): Promise<PromiseSettledResult<unknown> | null> => {
    const under: Blocked = { entry, outcome: null };
    const performed = storage
      .run(null, () => Promise.allSettled([entry.perform()]))
      .then(([outcome]) => {
        under.outcome = outcome ?? null;
      });
    if (entry.message.mayBlock !== true) {
      await performed;
      return under.outcome;
    }
    blocked.add(under);
    await Promise.race([performed, sleepReally(blockedMs)]);
    await untilStill();
    if (under.outcome !== null) blocked.delete(under);
    return under.outcome;
  };

  const countOpen = (): number => [...blocked].filter(({ outcome }) => outcome === null).length;

  /** Waits until each statement under way has ended or waits for a lock. */
  const untilStill = async (): Promise<void> => {
    for (;;) {
      const expected = countOpen();
      if (expected === 0) return;
      if ((await input.countLockWaits()) === expected && countOpen() === expected) return;
      await sleepReally(1);
    }
  };

  /** Statements that got their locks arrive one by one. */
  const arrive = async (): Promise<void> => {
    if (blocked.size === 0) return;
    await untilStill();
    const arrived = [...blocked].filter(({ outcome }) => outcome !== null);
    for (const one of arrived.toSorted((a, b) => a.entry.order - b.entry.order)) {
      blocked.delete(one);
      if (one.outcome !== null) await finish(one.entry, one.outcome);
    }
  };

  const scheduler: Scheduler = {
    run: (actor, work) => storage.run(actor, work),
    current,
    settle,
    get count() {
      return count;
    },
    pass: <T>(message: Message, performOne: () => Promise<T>, process?: Process) => {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const caller = current();
      const actor = { name: caller?.name ?? "world", process: process ?? caller?.process ?? input.outside };
      const settleOne: Entry["settle"] = (outcome) =>
        outcome.status === "fulfilled" ? resolve(outcome.value as T) : reject(outcome.reason);
      const drawn = input.drawStall(actor, message);
      const stall = drawn && { steps: count + drawn.steps, ms: readMs() + drawn.ms };
      waiting.add({ actor, message, order: ++made, perform: performOne, settle: settleOne, stall });
      return promise;
    },
    releaseOne: async () => {
      for (const entry of waiting) if (entry.actor.process.isDead) waiting.delete(entry);
      for (const one of blocked) if (one.entry.actor.process.isDead) blocked.delete(one);
      // By actor, so that the order in which promises went on does not count.
      const lanes = new Set<unknown>([...blocked].map(({ entry }) => entry.message.lane));
      const isFirst = ({ message: { lane } }: Entry): boolean => {
        if (lane === undefined) return true;
        if (lanes.has(lane)) return false;
        lanes.add(lane);
        return true;
      };
      // A set keeps the order in which they came.
      const first = [...waiting]
        .filter(isFirst)
        .toSorted((a, b) => compare(a.actor.name, b.actor.name) || a.order - b.order);
      const due = listDue();
      const awake = first.filter(({ stall }) => stall === null || (count >= stall.steps && readMs() >= stall.ms));
      const ready = awake.length + due.length > 0 ? awake : first.filter(({ stall }) => readMs() >= (stall?.ms ?? 0));
      // Of several statements that wait for new keys of one transaction, Postgres wakes all at once, and any may be the first.
      const keys = new Set([...blocked].flatMap(({ entry }) => keyOf(entry.message) ?? []));
      const free = ready.filter(({ message }) => !keys.has(keyOf(message) ?? ""));
      const entries = free.length + due.length > 0 ? free : ready;
      const total = entries.length + due.length;
      if (total === 0) return null;
      count++;
      const chosen = input.random.below(total);
      const timer = due[chosen - entries.length];
      if (timer) {
        input.onRelease({ actor: timer.caller, message: { kind: "timer", text: "" } }, null);
        timer.fire();
        await settle();
        return "timer";
      }
      const entry = entries[chosen];
      if (!entry) throw new Error("No message was chosen");
      waiting.delete(entry);
      const outcome = await perform(entry);
      if (outcome !== null) await finish(entry, outcome);
      else input.onRelease(entry, null);
      await arrive();
      return entry.message.kind;
    },
  };
  return scheduler;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The statement without its values; null for what inserts nothing. */
const keyOf = ({ text }: Message): string | null =>
  /\binsert into\b/.test(text) ? (/^[^[]*/.exec(text)?.[0] ?? text) : null;
