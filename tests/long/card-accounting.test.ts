import { afterAll, beforeAll, expect, test } from "bun:test";
import { cardLivesEnv, playCards } from "../lives/cardWorld.ts";
import { citusVariable } from "../support/citus.ts";
import { testSeed } from "../support/seed.ts";
import { type Service, startService } from "../support/service.ts";

const logsApprovals = process.env[citusVariable] === undefined;

let service: Service;
beforeAll(async () => {
  service = await startService({ env: cardLivesEnv });
});
afterAll(() => service.stop());

/** `bun run test:lives` plays a thousand cards. */
test("after random lives of cards the ledger, the balances, the issuer and the chain agree to the base unit, and no rule was broken", async () => {
  const books = await playCards(service, { people: 3, cardsEach: 2, eventsEach: 12, seed: testSeed, logsApprovals });
  expect([testSeed, books.differences]).toEqual([testSeed, []]);
  expect(books.approvals > 0).toBe(logsApprovals);
}, 120_000);
