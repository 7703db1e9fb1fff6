import { expect, test } from "bun:test";
import { testSeed } from "../support/seed.ts";
import { runStorm } from "../chaos/storm.ts";

test("server, workers, Postgres and node killed at random: accepted operations are enqueued and executed once, no nonce is missing", async () => {
  const { accepted, rows, enqueued, arrived, lanes, shortfall } = await runStorm({
    safes: 4,
    operations: 8,
    seconds: 4,
    seed: testSeed,
  });
  expect({ testSeed, rows, enqueued, arrived }).toEqual({
    testSeed,
    rows: { EXECUTED: accepted },
    enqueued: accepted,
    arrived: accepted,
  });
  expect(shortfall).toBeNull();
  expect(lanes.length).toBeGreaterThan(0);
  for (const lane of lanes) expect(lane).toEqual({ missing: 0, open: 0 });
}, 240_000);
