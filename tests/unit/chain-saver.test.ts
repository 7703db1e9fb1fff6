import { createSaver, type SavedNode } from "@cardkeep/local/chainSaver";
import { describe, expect, spyOn, test } from "bun:test";

let nowMs = 0;
const takeMs = (ms: number): void => {
  nowMs += ms;
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
  // Nothing else of this process runs before it is restored: no promise here waits for anything.
  const clock = spyOn(performance, "now").mockImplementation(() => nowMs);
  try {
    const { saver, countSaved } = open(slow);
    await saver.tick();
    saver.noteTransactions();
    await saver.tick();
    return countSaved();
  } finally {
    clock.mockRestore();
  }
}

describe("a chain's saver", () => {
  test("waits twenty times as long as its node was kept from answering", async () =>
    expect(await saveTwice({ dumpMs: 500, saveMs: 0 })).toBe(1));

  test("does not wait for what it takes itself, such as a slow disk", async () =>
    expect(await saveTwice({ dumpMs: 0, saveMs: 500 })).toBe(2));
});
