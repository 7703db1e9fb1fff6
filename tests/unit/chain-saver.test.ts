import { createSaver, type SavedNode } from "@cardkeep/local/chainSaver";
import { describe, expect, test } from "bun:test";

const takeMs = (ms: number): void => {
  const endsAtMs = performance.now() + ms;
  while (performance.now() < endsAtMs);
};

/** A saver of a node that answers at once but for its state, and counts the states that were written. */
function open(slow: { dumpMs: number; saveMs: number }) {
  const node: SavedNode = {
    getAutomine: async () => true,
    getBlockNumber: async () => 7n,
    dumpState: async () => {
      takeMs(slow.dumpMs);
      return "0x";
    },
    getTxpoolStatus: async () => ({ pending: 0 }),
    mine: async () => {},
    setAutomine: async () => {},
  };
  let saved = 0;
  const saver = createSaver(node, async () => {
    takeMs(slow.saveMs);
    saved++;
  });
  return { saver, countSaved: () => saved };
}

/** A block with transactions comes right behind a save. */
async function saveTwice(slow: { dumpMs: number; saveMs: number }): Promise<number> {
  const { saver, countSaved } = open(slow);
  await saver.tick();
  saver.noteTransactions();
  await saver.tick();
  return countSaved();
}

describe("a chain's saver", () => {
  test("waits twenty times as long as its node was kept from answering", async () =>
    expect(await saveTwice({ dumpMs: 500, saveMs: 0 })).toBe(1));

  test("does not wait for what it takes itself, such as a slow disk", async () =>
    expect(await saveTwice({ dumpMs: 0, saveMs: 500 })).toBe(2));
});
