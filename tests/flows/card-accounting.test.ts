import { afterAll, beforeAll, expect, test } from "bun:test";
import { playCards } from "../support/cardAccounts.ts";
import { type Service, startService } from "../support/service.ts";

/** `bun run test:chaos` plays a thousand. */
const events = 80;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test("after random card events, withdrawals and emptied Safes the ledger, the balances, the issuer and the chain agree to the base unit", async () => {
  const seed = 1 + (Date.now() % 1_000_000);
  const books = await playCards(service, { people: 4, events, seed });
  expect([seed, books.differences]).toEqual([seed, []]);
  expect(books.events).toBeGreaterThanOrEqual(events);
}, 120_000);
