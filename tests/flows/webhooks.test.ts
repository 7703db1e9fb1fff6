import { afterAll, beforeAll, expect, test } from "bun:test";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";
import {
  type Attempt,
  awaitAttempts,
  publishEvents,
  readInbox,
  registerPartner,
  subscribe,
} from "../support/webhooks.ts";

const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
let worker: AppProcess;
let ada: Person;
let safe: string;
beforeAll(async () => {
  service = await startService({ worker: false });
  worker = await spawnApp("worker", service.env);
  ada = new Person(service);
  safe = await ada.becomeAccountHolder();
});
afterAll(async () => {
  worker.kill("SIGKILL");
  await worker.exited;
  await service.stop();
});

const eventsOf = (attempts: readonly Attempt[]) =>
  attempts.map(({ body }) => JSON.parse(body) as { eventType: string; data: Record<string, unknown> });

test("a changed balance causes one event per change of the numbers, in addition to the withdrawal's", async () => {
  await registerPartner(ada, "money");
  await subscribe(ada, "money");
  const readBalances = async () =>
    eventsOf(await readInbox(ada, "money"))
      .filter(({ eventType }) => eventType === "account.balance.changed")
      .map(({ data }) => data);
  const reported = async (count: number) => {
    await until(async () => (await readBalances()).length >= count);
    return (await readBalances()).at(-1);
  };
  const userId = ada.userId;
  await ada.sandbox("POST", "/chain/faucet", { address: safe, token: "EURe", amount: "1000000000000000007" });
  expect(await reported(1)).toEqual({
    userId,
    total: "1000000000000000007",
    spendable: "1000000000000000007",
    pending: "0",
  });

  const withdrawal = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "7" });
  const { body } = await ada.call("POST", "/accounts/withdraw", withdrawal);
  expect(await reported(2)).toEqual({
    userId,
    total: "1000000000000000007",
    spendable: "1000000000000000000",
    pending: "7",
  });
  await until(async () => (await ada.findDelay(body.data.id))?.status === "WAITING");
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  await until(async () => (await ada.findDelay(body.data.id))?.status === "EXECUTED");
  expect(await reported(3)).toEqual({
    userId,
    total: "1000000000000000000",
    spendable: "1000000000000000000",
    pending: "0",
  });

  // Another token in the Safe does not change the published balance.
  await ada.sandbox("POST", "/chain/faucet", { address: safe, token: "GBPe", amount: "5" });
  await ada.sandbox("POST", "/chain/faucet", { address: safe, token: "EURe", amount: "1" });
  expect(await reported(4)).toMatchObject({ total: "1000000000000000001" });
  expect(await readBalances()).toHaveLength(4);
  const completed = eventsOf(await readInbox(ada, "money")).filter(
    ({ eventType }) => eventType === "account.withdrawal.completed",
  );
  expect(completed).toHaveLength(1);
  expect(completed[0]?.data).toMatchObject({ id: body.data.id, status: "EXECUTED" });
}, 60_000);

test("kill -9 of the worker during deliveries: everything arrives at least once, under the same id", async () => {
  await registerPartner(ada, "killed");
  await subscribe(ada, "killed");
  await ada.sandbox("POST", "/inbox/killed/behaviour", { statuses: [], delayMs: 3_000 });
  await publishEvents(service.runtime, ada.userId, 3);
  const before = await awaitAttempts(ada, "killed", 3);
  worker.kill("SIGKILL");
  await worker.exited;
  await ada.sandbox("POST", "/inbox/killed/behaviour", { statuses: [], delayMs: 0 });
  worker = await spawnApp("worker", service.env);
  const attempts = (await awaitAttempts(ada, "killed", 6)).slice(3);
  const idsOf = (some: readonly Attempt[]) => some.map(({ headers }) => headers["webhook-id"]).toSorted();
  expect(idsOf(attempts)).toEqual(idsOf(before));
  expect(attempts.every(({ verified }) => verified)).toBe(true);
}, 30_000);

test("SIGTERM of the worker while a receiver hangs: it ends within 10 seconds, and leaves no job locked", async () => {
  await registerPartner(ada, "hung");
  await subscribe(ada, "hung");
  await ada.sandbox("POST", "/inbox/hung/behaviour", { statuses: [], delayMs: 25_000 });
  await publishEvents(service.runtime, ada.userId, 1);
  await awaitAttempts(ada, "hung", 1);
  const startedAt = Date.now();
  worker.kill("SIGTERM");
  expect(await worker.exited).toBe(0);
  expect(Date.now() - startedAt).toBeLessThan(10_000);
  const { sql } = await import("drizzle-orm");
  const locked = await service.runtime.db.execute(
    sql`select id from graphile_worker._private_jobs where locked_at is not null`,
  );
  expect([...locked]).toEqual([]);
}, 30_000);
