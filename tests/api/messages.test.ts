import { beforeAll, beforeEach, expect, test } from "bun:test";
import { addMessage, listMessages } from "@cardkeep/db/queries/users/messages";
import { listSignInWallets } from "@cardkeep/db/queries/users/users";
import { addIdleMessageJobs } from "@cardkeep/db/queue/missing";
import { users } from "@cardkeep/db/schema/tables";
import { createRateLimits } from "@cardkeep/domain/core/limits/rateLimits";
import { sendMessages } from "@cardkeep/domain/users/messages/sendMessages";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import { eq, sql } from "drizzle-orm";
import { nextPhone } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";
import { createWorkerContext } from "../support/workerContext.ts";

type Way = "mail" | "sms";
let service: RunningService;
let person: Person;
let userId: string;
let away: Way | null;
let sent: Way[];
beforeAll(async () => {
  service = await shareService({ worker: false });
});
beforeEach(async () => {
  [away, sent] = [null, []];
  person = await (await new Person(service).signIn()).signUp();
  userId = person.userId ?? "";
  await person.call("POST", "/eoa-accounts", { address: new Person(service).account.address });
  await person.call("PUT", "/user/messages", { signIns: "mail", withdrawals: "sms" });
  await service.runtime.db
    .update(users)
    .set({ phone: nextPhone(), isPhoneValidated: true })
    .where(eq(users.id, userId));
});

/** Adds one message for each way. */
async function addBoth(): Promise<void> {
  const wallets = await listSignInWallets(service.runtime.db, userId);
  for (const [index, kind] of (["signIns", "withdrawals"] as const).entries()) await add(kind, wallets[index]?.id);
}

/** Adds a message that goes by text. */
async function addWithdrawal(): Promise<void> {
  const [wallet] = await listSignInWallets(service.runtime.db, userId);
  await add("withdrawals", wallet?.id);
}

/** A message's words may be about any subject; a wallet is one that each person here has. */
async function add(kind: "signIns" | "withdrawals", subjectId = ""): Promise<void> {
  const message = { id: crypto.randomUUID(), userId, kind, about: "wallet", subjectId } as const;
  await addMessage(service.runtime.db, { ...message, requestId: "test", createdAt: new Date() });
}

const waiting = async () => (await listMessages(service.runtime.db, userId, 10)).map(({ kind }) => kind);

/** Runs the job with partners of which one may be away. */
function run(parts: Partial<ReturnType<typeof createWorkerContext>> = {}): Promise<void> {
  const sendBy = (way: Way) => async () => {
    if (way === away) throw new ProviderUnavailable(`${way} is away`);
    sent.push(way);
  };
  const partners = { mailer: { send: sendBy("mail") }, sms: { send: sendBy("sms") } };
  return sendMessages(
    { ...createWorkerContext(service.runtime), ...partners, ...parts },
    { userId, requestId: "test" },
  );
}

test.each([
  ["sms", "mail", "withdrawals"],
  ["mail", "sms", "signIns"],
] as const)("while %s is away, %s goes out, and once: its messages are not sent again", async (gone, other, left) => {
  await addBoth();
  away = gone;
  await run();
  expect([sent, await waiting()]).toEqual([[other], [left]]);
  await expect(run()).rejects.toThrow(`${gone} is away`);
  expect([sent, await waiting()]).toEqual([[other], [left]]);
  away = null;
  await run();
  expect([sent, await waiting()]).toEqual([[other, gone], []]);
});

/** Runs the job at instants a minute apart, each time with a withdrawal to report; answers by which ways they went. */
async function runEachMinute(from: Date, times: number): Promise<Way[]> {
  const { db } = service.runtime;
  let nowMs = from.getTime();
  // A limit's clock alone: other files use the service's.
  const clock = { ...service.runtime.services.clock, now: async () => new Date(nowMs) };
  const limits = createRateLimits({ db, clock, log: service.runtime.log });
  for (let time = 0; time < times; time++, nowMs += 61_000) {
    await addWithdrawal();
    await run({ rateLimits: limits });
  }
  return sent.splice(0);
}

test("a person gets twenty text messages a day by choice, and the same messages by mail beyond", async () => {
  const texts = Array.from({ length: 20 }, (): Way => "sms");
  const mails = Array.from({ length: 10 }, (): Way => "mail");
  const start = new Date();
  expect(await runEachMinute(start, 30)).toEqual([...texts, ...mails]);
  expect(await waiting()).toEqual([]);
  const nextDay = new Date(start.getTime() + 86_400_000);
  expect(await runEachMinute(nextDay, 21)).toEqual([...texts, "mail"]);
});

test("beyond the day's text messages all that waits is one mail", async () => {
  await runEachMinute(new Date(), 20);
  await addBoth();
  await run();
  expect([sent, await waiting()]).toEqual([["mail"], []]);
});

test("messages for a number that is not proven any more go by mail", async () => {
  await addBoth();
  const isPerson = eq(users.id, userId);
  await service.runtime.db.update(users).set({ isPhoneValidated: false }).where(isPerson);
  await run();
  expect([sent, await waiting()]).toEqual([["mail"], []]);
});

test("a kind that a person does not want any more is deleted unsent", async () => {
  await addBoth();
  await person.call("PUT", "/user/messages", { withdrawals: "none" });
  await run();
  expect([sent, await waiting()]).toEqual([["mail"], []]);
});

test("five hundred people whose jobs wait out their pause hold up no one behind them", async () => {
  const undone = new Error("undone");
  const ended = service.runtime.db.transaction(async (tx) => {
    await tx.execute(sql`insert into users (id, email, kyc_status, created_at)
      select 'idle-' || n, 'idle-' || n || '@example.org', 'notStarted', now() from generate_series(100, 600) n`);
    await tx.execute(sql`insert into user_messages (id, user_id, kind, about, subject_id, request_id, created_at)
      select id, id, 'signIns', 'wallet', id, 'test', now() from users where id like 'idle-%'`);
    await tx.execute(sql`select graphile_worker.add_job('user.messages', job_key := 'user.messages:' || id,
      run_at := now() + interval '1 day') from users where id like 'idle-%' and id < 'idle-600'`);
    const listReady = () =>
      tx.execute(sql`select key from graphile_worker.jobs
      where key like 'user.messages:idle-%' and run_at <= now()`);
    // With many rows Postgres takes people in the order of their ids.
    await tx.execute(sql`set local enable_hashagg = off`);
    expect(await listReady()).toBeEmpty();
    await addIdleMessageJobs(tx);
    expect((await listReady()).map(({ key }) => key)).toEqual(["user.messages:idle-600"]);
    throw undone;
  });
  await expect(ended).rejects.toBe(undone);
});
