import { expect, test } from "bun:test";
import { chores, turnMsOf } from "@cardkeep/domain/operations/housekeeping/chores";
import { runTurn } from "../../apps/worker/src/runTurn.ts";

/** Work without an end, which looks at its signal before each item. */
const countItems = async (stopping: AbortSignal): Promise<number> => {
  for (let items = 0; ; items++) {
    if (stopping.aborted) return items;
    await Bun.sleep(1);
  }
};

test("a turn of a chore ends after its time, or when the worker stops, and the next one goes on", async () => {
  const worker = new AbortController();
  const takeTurn = async (turnMs: number | null): Promise<number> => {
    let items = 0;
    await runTurn({ stopping: worker.signal, turnMs }, async (stopping) => {
      items = await countItems(stopping);
    });
    return items;
  };
  expect(await takeTurn(20)).toBeGreaterThan(0);
  expect(worker.signal.aborted).toBe(false);
  const turns = [takeTurn(60_000), takeTurn(null)];
  worker.abort();
  expect(Math.min(...(await Promise.all(turns)))).toBeGreaterThanOrEqual(0);
  expect(await takeTurn(60_000)).toBe(0);
});

test("a turn of a chore ends at half of the time after which it is overdue, but for one that would begin anew", () => {
  expect(turnMsOf("fanOut")).toBe(30_000);
  expect(turnMsOf("postBooks")).toBe(45_000);
  expect(turnMsOf("resealSecrets")).toBe(180_000);
  const whole = (Object.keys(chores) as (keyof typeof chores)[]).filter((name) => turnMsOf(name) === null);
  expect(whole).toEqual(["closeBooks"]);
});
