/** Random card payments and withdrawals around a random moment to which the database is put back. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { findNewestReconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import { cardPayments, cardTransfers, delayTransactions, ledgerEntries } from "@cardkeep/db/schema/tables";
import { seed } from "@cardkeep/sandbox/seed";
import { sql } from "drizzle-orm";
import { createRandom, type Random } from "../lives/random.ts";
import { copyDatabase, putInPlace, untilConnected } from "../support/database.ts";
import { until } from "../support/poll.ts";
import { testSeed } from "../support/seed.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder, cent, euro, follow, untilSettled, use } from "../support/spending.ts";
import { eure } from "../support/tokens.ts";

const destination = "0x000000000000000000000000000000000000bEEF";
const acts = 14;
const patience = { timeoutMs: 40_000 };

let service: Service;
let holder: CardHolder;
beforeAll(async () => {
  service = await startService({ ownStore: true, env: { RELAYED_OPERATIONS_PER_HOUR: "1000" } });
  holder = await becomeCardHolder(service, 5_000n * euro);
});
afterAll(() => service.stop());

interface Use {
  threadId: string;
  cents: number;
  refunded: number;
  state: "held" | "cleared" | "over";
}
const uses: Use[] = [];

/** One act of a person or a merchant, where one fits. */
async function act(random: Random): Promise<void> {
  const held = uses.find(({ state }) => state === "held");
  const cleared = uses.find(({ state, cents, refunded }) => state === "cleared" && refunded + 100 < cents);
  const choice = random(5);
  if (choice === 0 && held) {
    held.state = random(2) === 0 ? "cleared" : "over";
    return follow(holder, held.threadId, held.state === "cleared" ? "clear" : "reverse");
  }
  if (choice === 1 && held) {
    held.state = "cleared";
    held.cents -= 50;
    return follow(holder, held.threadId, "clear", { amount: held.cents });
  }
  if (choice === 2 && cleared) {
    cleared.refunded += 100;
    return follow(holder, cleared.threadId, "refund", { amount: 100 });
  }
  if (choice === 3) {
    const transfer = { tokenAddress: eure, to: destination, amount: String(1 + random(1_000)) };
    const { status } = await holder.person.ask(
      "POST",
      "/accounts/withdraw",
      await holder.person.signWithdrawal(transfer),
    );
    expect(status).toBe(200);
    // A card declines while an operation waits.
    await until(async () => (await service.runtime.db.select().from(delayTransactions)).every(isQueued), patience);
    // A card declines while a spend is unmined for a third of the cooldown.
    await untilSettled(service);
    await holder.person.sandbox("POST", "/chain/advance", { seconds: 181 });
    return until(
      async () =>
        (await service.runtime.db.select().from(delayTransactions)).every(({ status: now }) => now === "EXECUTED"),
      patience,
    );
  }
  const cents = 500 + random(500);
  const { approved, reason, threadId } = await use(holder, cents);
  expect({ approved, reason }).toMatchObject({ approved: true });
  uses.push({ threadId, cents, refunded: 0, state: "held" });
}

const isQueued = ({ status }: typeof delayTransactions.$inferSelect): boolean =>
  status === "WAITING" || status === "EXECUTED";

async function readAll() {
  const { db } = service.runtime;
  const { kind, amount, status, executedHash } = delayTransactions;
  return {
    delays: await db.select({ kind, amount, status, executedHash }).from(delayTransactions).orderBy(executedHash),
    payments: await db
      .select({
        threadId: cardPayments.threadId,
        status: cardPayments.status,
        target: cardPayments.target,
        refunded: cardPayments.refundedCents,
      })
      .from(cardPayments)
      .orderBy(cardPayments.threadId),
    transfers: (await db.select().from(cardTransfers))
      .map(({ direction, amount: moved, hash }) => `${direction} ${moved} ${hash}`)
      .sort(),
    books: await db
      .select({
        settlement: sql<string>`sum(${ledgerEntries.settlement})`,
        held: sql<string>`sum(${ledgerEntries.held})`,
      })
      .from(ledgerEntries),
  };
}

test(`what happened after a random moment is the same again, seed ${testSeed}`, async () => {
  const random = createRandom(testSeed);
  const moment = random(acts);
  for (let index = 0; index < moment; index++) await act(random);
  const url = service.env["DATABASE_URL"] ?? "";
  const copy = await copyDatabase(url);
  await untilConnected(service.runtime.db);
  for (let index = moment; index < acts; index++) await act(random);
  await untilSettled(service);
  const before = await readAll();
  await putInPlace(copy, url);
  await untilConnected(service.runtime.db);
  await seed(service.runtime);
  await until(async () => {
    const newest = await findNewestReconciliation(service.runtime.db);
    return newest?.reason === "restored" && newest.endedAt !== null;
  }, patience);
  await until(async () => Bun.deepEquals(await readAll(), before), patience).catch(async () => {
    expect(await readAll()).toEqual(before);
  });
  await untilSettled(service);
  const { settlementAddress } = service.runtime.settings.policy;
  const settled = uses.reduce(
    (sum, { cents, refunded, state }) => (state === "over" ? sum : sum + BigInt(cents - refunded)),
    0n,
  );
  expect(await service.runtime.chain.getTokenBalance(eure, settlementAddress)).toBe(settled * cent);
  expect(BigInt(before.books[0]?.settlement ?? 0)).toBe(settled * cent);
}, 120_000);
