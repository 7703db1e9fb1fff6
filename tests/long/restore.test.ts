import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseQueueLog } from "@cardkeep/chain/delayLogs";
import { getClockOffsetSeconds } from "@cardkeep/db/queries/core/clock";
import { issuerObjects } from "@cardkeep/db/sandbox/tables";
import { cardPayments, delayTransactions, foreignEntries, ledgerEntries } from "@cardkeep/db/schema/tables";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { openStore, type SandboxRuntime } from "@cardkeep/sandbox/core/openStore";
import { seed } from "@cardkeep/sandbox/seed";
import { createServer, type Server } from "@cardkeep/server/server";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { eq, sql } from "drizzle-orm";
import { copyDatabase, type TestDatabase, untilConnected } from "../support/database.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, euro, follow, untilSettled, use } from "../support/spending.ts";
import { eure } from "../support/tokens.ts";

const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
let restored: TestDatabase;
let runtime: SandboxRuntime;
let server: Server;
let worker: Worker;
let ada: Person;
beforeAll(async () => {
  service = await startService({ worker: false, ownStore: true });
  ada = new Person(service);
});
afterAll(async () => {
  await worker.stop();
  await server.stop();
  await runtime.close();
  await restored.drop();
  await service.stop();
});

const sign = (person: Person, amount: string) => person.signWithdrawal({ tokenAddress: eure, to: destination, amount });
const send = async (person: Person, body: Awaited<ReturnType<typeof sign>>): Promise<string> =>
  (await person.ask("POST", "/accounts/withdraw", body)).body.data.id;
const submit = async (person: Person, amount: string): Promise<string> => send(person, await sign(person, amount));
const statusesIn = async (where: Runtime) =>
  (await where.db.select().from(delayTransactions)).map(({ status }) => status).sort();

/** Makes every waiting job run now, instead of in a minute. */
const wake = () =>
  runtime.db.execute(
    sql`select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs where locked_at is null), run_at := now())`,
  );

async function countEntries(delayAddress: `0x${string}`): Promise<number> {
  const { number: toBlock } = await service.runtime.chain.getBlock();
  const logs = await service.runtime.chain.getLogs({ addresses: [delayAddress], fromBlock: 0n, toBlock });
  return logs.filter((log) => parseQueueLog(log) !== null).length;
}

/** The balances of the ledger's accounts, and the result of each card payment. */
const booksOf = async ({ db }: Runtime) => ({
  ledger: await db
    .select({
      safe: sql<string>`sum(${ledgerEntries.safe})`,
      held: sql<string>`sum(${ledgerEntries.held})`,
      settlement: sql<string>`sum(${ledgerEntries.settlement})`,
      owed: sql<string>`sum(${ledgerEntries.owed})`,
      advanced: sql<string>`sum(${ledgerEntries.advanced})`,
    })
    .from(ledgerEntries),
  payments: await db
    .select({
      threadId: cardPayments.threadId,
      status: cardPayments.status,
      authorized: cardPayments.authorizedCents,
      captured: cardPayments.capturedCents,
      refunded: cardPayments.refundedCents,
      target: cardPayments.target,
    })
    .from(cardPayments)
    .orderBy(cardPayments.threadId),
});

test("yesterday's database beside today's chain and issuer: nothing moves twice, entries without a row are reported, work continues", async () => {
  const first = await startWorker(service.runtime);
  const address = await ada.becomeAccountHolder();
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1000" });
  const bea = await becomeCardHolder(service, 100n * euro);
  const known = await use(bea, 300);
  await follow(bea, known.threadId, "clear");
  const open = await use(bea, 500);
  await untilSettled(service);
  await submit(ada, "1");
  await until(async () => (await statusesIn(service.runtime)).every((status) => status === "WAITING"));
  await first.stop();
  await submit(ada, "10");
  // A use that the issuer got no answer to in time is repeated, and is a payment too.
  const paid = (await booksOf(service.runtime)).payments.map(({ threadId }) => threadId);
  // The content of the backup: one operation in its queue, one accepted.
  restored = await copyDatabase(service.env["DATABASE_URL"] ?? "");
  await untilConnected(service.runtime.db);

  const second = await startWorker(service.runtime);
  await follow(bea, known.threadId, "refund", { amount: 100 });
  await follow(bea, open.threadId, "clear");
  const lost = await use(bea, 700);
  await follow(bea, lost.threadId, "clear");
  const held = await use(bea, 900);
  await untilSettled(service);
  const sentAgain = await sign(ada, "100");
  const lostId = await send(ada, sentAgain);
  await until(async () => (await statusesIn(service.runtime)).every((status) => status === "WAITING"), {
    timeoutMs: 20_000,
  });
  await second.stop();
  const { settlementAddress } = service.runtime.settings.policy;
  const books = await booksOf(service.runtime);
  const settled = await service.runtime.chain.getTokenBalance(eure, settlementAddress);
  expect(books.payments.map(({ threadId }) => threadId)).toContain(held.threadId);
  const [row] = await service.runtime.db.select().from(delayTransactions);
  const delay = row?.delayAddress ?? "0x";
  expect(await countEntries(delay)).toBe(3);

  const settings = readSettings({ ...service.env, DATABASE_URL: restored.url });
  runtime = openStore(await createRuntime(settings, "worker"));
  expect((await statusesIn(runtime)).length).toBe(2);
  expect((await booksOf(runtime)).payments.map(({ threadId }) => threadId)).toEqual(paid);
  server = createServer(runtime);
  const later = new Person({ url: `http://127.0.0.1:${server.listen(0)}`, sandboxUrl: service.sandboxUrl });
  Object.assign(later, { account: ada.account, token: ada.token });
  worker = await startWorker(runtime);
  // Nobody tells the worker that the database went back. The operation that it lost gets its row from the chain.
  await until(async () => Bun.deepEquals(await statusesIn(runtime), ["WAITING", "WAITING", "WAITING"]), {
    timeoutMs: 20_000,
  });
  const [last] = await runtime.db.select().from(delayTransactions).where(eq(delayTransactions.queueNonce, 2n));
  expect(last).toMatchObject({ kind: "withdrawal", amount: 100n, signer: ada.account.address });
  expect(last?.id).toBe(lostId);
  expect(await send(later, sentAgain)).toBe(last?.id ?? "");
  expect(await runtime.db.$count(foreignEntries)).toBe(0);
  expect(await countEntries(delay)).toBe(3);

  // The issuer is asked for the card payments since: the ledger is the same again, and no money moved.
  await until(async () => Bun.deepEquals(await booksOf(runtime), books));
  expect(await runtime.chain.getTokenBalance(eure, settlementAddress)).toBe(settled);

  const id = await submit(later, "5");
  await until(async () => (await later.findDelay(id))?.status === "WAITING");
  expect(await countEntries(delay)).toBe(4);
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  await wake();
  await until(async () => (await statusesIn(runtime)).every((status) => status === "EXECUTED"), { timeoutMs: 30_000 });
  // The partners stayed: they are in a database of their own, and so is the time that the sandbox had moved to.
  expect(await runtime.db.$count(issuerObjects)).toBe(0);
  expect(await runtime.store.$count(issuerObjects)).toBeGreaterThan(0);
  expect(await getClockOffsetSeconds(runtime.db)).toBe(0);
  await seed(runtime);
  expect(await getClockOffsetSeconds(runtime.db)).toBe(181);
  // The entry without a row was before one of ours, and was executed with the others.
  expect(await runtime.chain.getTokenBalance(eure, destination)).toBe(116n);
}, 120_000);
