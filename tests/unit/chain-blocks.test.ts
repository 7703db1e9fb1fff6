import { expect, test } from "bun:test";
import { createEmptyBlocks, findQuietPause } from "@cardkeep/local/chainBlocks";

/** A node whose blocks are counted. */
function startCounting() {
  let head = 0n;
  const node = {
    mine: async () => {
      head += 1n;
    },
  };
  const blocks = createEmptyBlocks(node, { everySeconds: 1, quietEverySeconds: 12 });
  const run = async (seconds: number): Promise<number> => {
    const before = head;
    for (let count = 0; count < seconds; count++) await blocks.tick();
    return Number(head - before);
  };
  return { run, transact: blocks.noteTransactions };
}

test("a local chain mines each second, and every 12 s after ten minutes without a transaction", async () => {
  const { run } = startCounting();
  expect(await run(600)).toBe(600);
  expect(await run(1_200)).toBe(100);
});

test("a local chain mines each second again from the second after a transaction", async () => {
  const { run, transact } = startCounting();
  await run(1_500);
  transact();
  expect(await run(600)).toBe(600);
  expect(await run(120)).toBe(10);
});

test("a quiet chain has five blocks within a third of the cooldown, and never more than 12 s between two", () => {
  expect([0, 5, 30, 180, 86_400].map(findQuietPause)).toEqual([1, 1, 2, 12, 12]);
});
