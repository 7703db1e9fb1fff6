/**
 * The time of a simulated world. Dates and timers of the process go by it once `start` is called; before, and for what
 * waits for the real Postgres and node, the real ones count.
 *
 * A timer is a message like all others: it fires when the scheduler releases it.
 */

import { AsyncLocalStorage } from "node:async_hooks";

export interface Due {
  readonly atMs: number;
  readonly order: number;
  readonly caller: Caller;
  readonly fire: () => void;
}

const RealDate = Date;
const real = {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  sleep: Bun.sleep,
  now: performance.now.bind(performance),
};

/** Waits by the real time, for real processes. */
export const sleepReally = (ms: number): Promise<void> => real.sleep(ms);

class Timer {
  readonly [Symbol.toStringTag] = "Timer";
  constructor(readonly id: number) {}
  ref = () => this;
  unref = () => this;
  hasRef = () => true;
  refresh = () => {
    const known = timers.get(this.id);
    if (known) timers.set(this.id, { ...known, atMs: nowMs + known.pauseMs, order: ++made });
    return this;
  };
  close = () => {
    timers.delete(this.id);
    return this;
  };
  [Symbol.toPrimitive] = () => this.id;
  [Symbol.dispose] = () => void timers.delete(this.id);
}

interface Waiting extends Due {
  readonly pauseMs: number;
  /** Fires with the time itself: it only ends a call that waits. */
  readonly isQuiet: boolean;
}

let [isVirtual, nowMs, startMs, made] = [false, 0, 0, 0];
const timers = new Map<number, Waiting>();
/** Who sets a timer; null for the drivers of real parts, whose timers stay real. */
let findCaller = (): Caller | null => null;

interface Caller {
  readonly name: string;
  readonly process: { readonly name: string; readonly isDead: boolean };
}

class VirtualDate extends RealDate {
  constructor(...given: ConstructorParameters<typeof RealDate>) {
    // oxlint-disable-next-line no-constant-condition -- `new Date()` alone asks for the time
    if ((given as unknown[]).length === 0 && isVirtual) super(Math.floor(nowMs));
    else super(...given);
  }
  static override now = (): number => (isVirtual ? Math.floor(nowMs) : RealDate.now());
  static override [Symbol.hasInstance] = (value: unknown): boolean => value instanceof RealDate;
}

interface Options {
  readonly caller: Caller;
  readonly isQuiet?: boolean;
  readonly id?: number;
}

function add(fire: () => void, pauseMs: number, { caller, isQuiet = false, id = ++made }: Options): Timer {
  const atMs = nowMs + Math.max(1, pauseMs || 0);
  const bound = AsyncLocalStorage.bind(fire);
  timers.set(id, { atMs, order: ++made, caller, fire: bound, pauseMs, isQuiet });
  return new Timer(id);
}

const idOf = (timer: unknown): number => (timer instanceof Timer ? timer.id : Number(timer));

type Fire = (...given: unknown[]) => void;

const virtual = {
  setTimeout: (caller: Caller, [fire, pauseMs = 0, ...given]: [Fire, number?, ...unknown[]]) =>
    add(() => fire(...given), pauseMs, { caller }),
  setInterval: (caller: Caller, [fire, pauseMs = 0, ...given]: [Fire, number?, ...unknown[]]) => {
    const turn = (): void => {
      add(turn, pauseMs, { caller, id });
      fire(...given);
    };
    const id = ++made;
    return add(turn, pauseMs, { caller, id });
  },
  clear: (timer: unknown) => void timers.delete(idOf(timer)),
  timeout: (caller: Caller, [ms]: [number]): AbortSignal => {
    const controller = new AbortController();
    const abort = () => controller.abort(new DOMException("The operation timed out.", "TimeoutError"));
    add(abort, ms, { caller, isQuiet: true });
    return controller.signal;
  },
};

const findActor = (): Caller | null => (isVirtual ? findCaller() : null);

/** Waits by the world's time. */
export const sleepVirtually = (ms: number): Promise<void> => {
  const caller = findActor();
  return caller === null ? real.sleep(ms) : new Promise((resolve) => void add(() => resolve(), ms, { caller }));
};

/** Replaces dates and timers of this process. @param caller answers who sets a timer: those of a dead process never fire */
export function installTime(caller: () => Caller | null): void {
  findCaller = caller;
  const realTimeout = AbortSignal.timeout.bind(AbortSignal);
  const choose =
    <A extends unknown[]>(ours: (caller: Caller, given: A) => unknown, theirs: (...given: A) => unknown) =>
    (...given: A): unknown => {
      const actor = findActor();
      return actor === null ? theirs(...given) : ours(actor, given);
    };
  const clear = (theirs: (timer: never) => void) => (timer: unknown) =>
    timer instanceof Timer ? virtual.clear(timer) : theirs(timer as never);
  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout: choose(virtual.setTimeout, real.setTimeout as never),
    setInterval: choose(virtual.setInterval, real.setInterval as never),
    clearTimeout: clear(real.clearTimeout),
    clearInterval: clear(real.clearInterval),
  });
  Object.assign(performance, { now: () => (isVirtual ? nowMs - startMs : real.now()) });
  Object.assign(AbortSignal, { timeout: choose(virtual.timeout, realTimeout) });
  Object.assign(Bun, { sleep: sleepVirtually });
}

/** The world's time begins. */
export function startTime(atMs: number): void {
  [isVirtual, nowMs, startMs] = [true, atMs, atMs];
}

/** The real time counts again. */
export function stopTime(): void {
  isVirtual = false;
  timers.clear();
}

export const readMs = (): number => nowMs;

/** Moves the time, never back, and ends calls whose time is over. */
export function moveTo(atMs: number): void {
  dropDead();
  nowMs = Math.max(nowMs, atMs);
  for (const [id, timer] of listTimers(nowMs))
    if (timer.isQuiet) {
      timers.delete(id);
      timer.fire();
    }
}

function dropDead(): void {
  for (const [id, { caller }] of timers) if (caller.process.isDead) timers.delete(id);
}

const listTimers = (untilMs: number): [number, Waiting][] =>
  [...timers]
    .filter(([, { atMs }]) => atMs <= untilMs)
    .toSorted(([, a], [, b]) => a.atMs - b.atMs || a.order - b.order);

/** The timers whose time has come, the oldest first. Firing one removes it. */
export function listDue(): Due[] {
  dropDead();
  return listTimers(nowMs).map(([id, timer]) => ({
    ...timer,
    fire: () => {
      timers.delete(id);
      timer.fire();
    },
  }));
}

/** When the next timer that is more than a limit is due; null without one. @param counts whether those of a process count */
export function findNextMs(counts: (process: Caller["process"]) => boolean): number | null {
  dropDead();
  let next: number | null = null;
  for (const { atMs, isQuiet, caller } of timers.values()) {
    if (isQuiet || !counts(caller.process)) continue;
    if (next === null || atMs < next) next = atMs;
  }
  return next;
}
