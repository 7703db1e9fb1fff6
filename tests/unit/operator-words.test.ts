import { expect, test } from "bun:test";
import { formatMoreHint } from "@cardkeep/cli/lists";
import { describeEntry } from "@cardkeep/domain/accounts/delays/timelineWords";

test("a list on a terminal offers a higher limit only where there is one", () => {
  const rows = (count: number) => Array.from({ length: count });
  expect(formatMoreHint(rows(49), 50)).toBe("");
  expect(formatMoreHint(rows(50), 50)).toContain("--limit 100");
  expect(formatMoreHint(rows(700), 700)).toContain("--limit 1000");
  expect(formatMoreHint(rows(1_000), 1_000)).toMatch(/most that a list shows.*narrower filter/);
});

test("each hash of a timeline says what it is the hash of", () => {
  const at = new Date("2030-01-01T00:00:00Z");
  const hash = `0x${"ab".repeat(32)}` as const;
  const by = { isOurs: true, address: null } as const;
  const entries = [
    { step: "mined", at, purpose: "delay.enqueue", blockNumber: 7n, hash: `0x${"cd".repeat(32)}`, blockHash: hash },
    { step: "queued", at, queueNonce: 1n, blockNumber: 7n, by, hash },
    { step: "executed", at, blockNumber: 9n, by, hash },
  ] as const;
  const facts = entries.map((entry) => describeEntry(entry).facts.at(-1));
  expect(facts).toEqual([`block hash ${hash}`, `transaction ${hash}`, `transaction ${hash}`]);
});
