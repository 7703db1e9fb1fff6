/** The time of a simulated world, of its database and of its chain: they go on together. */
import type { WorldNode } from "./chainClock.ts";
import type { Disturbances } from "./disturbances.ts";
import type { Faults } from "./faults.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Trace } from "./trace.ts";
import { moveTo, readMs } from "./virtualTime.ts";
import type { WorldDatabase } from "./worldDatabase.ts";

/**
 * - given: a later reorganisation may remove it, and its transaction gets into another block. - fixed: no later one removes the blocks
 * so far, as it might fail in another block. - taken: the same, and money left an account without the service.
 */
export type Kept = "given" | "fixed" | "taken";

export interface WorldClock {
  /** Unix seconds of the newest block. */
  readonly lastBlock: number;
  /** Whether what a decision read before money was taken without the service is over. */
  readonly isCalm: boolean;
  /** Does what a person does on the chain beside the service, while no reorganisation happens. */
  keep<T>(work: () => Promise<T>, kind: Kept): Promise<T>;
  /** The time goes to an instant, without the chain. */
  setTime(atMs: number): Promise<void>;
  /** The time goes to an instant, and the chain with it. */
  passTo(atMs: number): Promise<void>;
}

const calmAfterMs = 5_000;

export function createWorldClock(input: {
  beginsAt: number;
  database: WorldDatabase;
  node: WorldNode;
  faults: Faults;
  disturbances: Disturbances;
  scheduler: Scheduler;
  trace: Trace;
}): WorldClock {
  const { database, node, faults } = input;
  let lastBlock = input.beginsAt / 1000;
  let databaseMs = input.beginsAt;
  let [kept, taking, takenAtMs] = [0, 0, 0];
  const setTime = async (atMs: number): Promise<void> => {
    moveTo(atMs);
    const now = Math.floor(readMs());
    if (now === databaseMs) return;
    databaseMs = now;
    await database.setTime(now);
  };
  return {
    get lastBlock() {
      return lastBlock;
    },
    get isCalm() {
      return taking === 0 && readMs() - takenAtMs > calmAfterMs;
    },
    setTime,
    keep: async (work, kind) => {
      kept++;
      if (kind === "taken") taking++;
      return work().finally(() => {
        kept--;
        if (kind === "taken") [taking, takenAtMs] = [taking - 1, readMs()];
        if (kind !== "given") node.keep();
      });
    },
    passTo: async (atMs) => {
      await setTime(atMs);
      const second = Math.floor(readMs() / 1000);
      if (second <= lastBlock) return;
      lastBlock = second;
      const removed = kept > 0 ? 0 : faults.drawReorganisation();
      if (removed > 0) await node.reorganise(removed, await input.disturbances.listSenders());
      // Afterwards: what waits for a block loses what pays for it where blocks are removed.
      if (await input.disturbances.disturb()) takenAtMs = readMs();
      await node.mine(second);
      input.trace.note("chain", { kind: "block", text: String(second) }, null);
      await input.scheduler.settle();
    },
  };
}
