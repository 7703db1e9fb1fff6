/** How a simulated world is played on: until an actor has ended, or until nothing but the time can go on. */
import { say } from "./oracles/names.ts";
import type { Actor, Process, Scheduler } from "./scheduler.ts";
import { readMs } from "./virtualTime.ts";

export interface Playing {
  /** Plays until `isOver` says so. @throws Error where that never comes */
  play(isOver: () => boolean, what: string): Promise<void>;
  /** Plays until nothing but the time can go on, and nothing is open. @throws Error with what is, where that never comes */
  rest(listOpen: () => Promise<string[]>, what: string): Promise<void>;
  /** Starts an actor; the returned object says when it has ended. */
  begin(name: string, work: () => Promise<void>, process?: Process): Begun;
  /** Plays one actor until its end, and answers what it answered. */
  one<T>(name: string, work: () => Promise<T>): Promise<T>;
}

interface Begun {
  readonly isOver: boolean;
  readonly error: unknown;
}

/** An operation that cannot be executed expires after half an hour. */
const playMsMax = 9_000_000;
/** Of steps between which the time stands still, or nearly so. */
const stepsMax = 100_000;

export function createPlaying(input: {
  scheduler: Scheduler;
  outside: Process;
  /** Releases a message, begins a job, or lets the time pass where nothing else can go on. */
  step(): Promise<"released" | "passed">;
  /** Passes the time in which no person acts and no transaction waits for a block: only periodic jobs run in it. */
  doze(): Promise<void>;
}): Playing {
  const { scheduler, step } = input;
  const limit = (what: string, open: readonly string[] = []) => {
    const endsMs = readMs() + playMsMax;
    let steps = 0;
    return () => {
      if (readMs() <= endsMs && ++steps < stepsMax) return;
      throw new Error(
        say(
          "rest",
          `${what} is not over after ${playMsMax / 1000} s of the world's time, or ${stepsMax} steps${open.map((each) => `, ${each}`).join("")}`,
        ),
      );
    };
  };
  const begin: Playing["begin"] = (name, work, process = input.outside) => {
    const state = { isOver: false, error: null as unknown };
    const actor: Actor = { name, process };
    void scheduler.run(actor, work).then(
      () => (state.isOver = true),
      (error: unknown) => Object.assign(state, { isOver: true, error }),
    );
    return state;
  };
  const go = async (): Promise<"released" | "passed"> => {
    const went = await step();
    if (went === "passed") await input.doze();
    return went;
  };
  const play: Playing["play"] = async (isOver, what) => {
    const check = limit(what);
    for (; !isOver(); check()) await go();
  };
  return {
    begin,
    play,
    rest: async (listOpen, what) => {
      const open: string[] = [];
      const check = limit(what, open);
      const isOpen = async (): Promise<boolean> => {
        open.splice(0, open.length, ...(await listOpen()));
        return open.length > 0;
      };
      for (let last = "released"; last !== "passed" || (await isOpen()); check()) last = await go();
    },
    one: async <T>(name: string, work: () => Promise<T>) => {
      const result: { value?: T } = {};
      const state = begin(name, async () => {
        result.value = await work();
      });
      await play(() => state.isOver, name);
      if (state.error !== null) throw state.error;
      return result.value as T;
    },
  };
}
