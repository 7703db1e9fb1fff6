import { beforeAll, beforeEach, expect, test } from "bun:test";
import { addMessage, listMessages } from "@cardkeep/db/queries/users/messages";
import { listSignInWallets } from "@cardkeep/db/queries/users/users";
import type { WarningSubject } from "@cardkeep/db/queries/users/warnings";
import { addIdleMessageJobs } from "@cardkeep/db/queue/missing";
import { users } from "@cardkeep/db/schema/tables";
import { createRateLimits } from "@cardkeep/domain/core/limits/rateLimits";
import { notify } from "@cardkeep/domain/core/messages/notify";
import { sendMessages } from "@cardkeep/domain/users/messages/sendMessages";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import { eq, sql } from "drizzle-orm";
import { filled } from "../support/filled.ts";
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
/** What was sent, in words. */
let said: string[];
beforeAll(async () => {
  service = await shareService({ worker: false });
});
beforeEach(async () => {
  [away, sent, said] = [null, [], []];
  person = await (await new Person(service).signIn()).signUp();
  userId = person.userId ?? "";
  await person.call("POST", "/eoa-accounts", { address: new Person(service).account.address });
  await person.call("PUT", "/user/messages", { signIns: "mail", withdrawals: "sms" });
  await service.runtime.db
    .update(users)
    .set({ phone: nextPhone(), isPhoneValidated: true, emailProvenAt: new Date() })
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
  const sendBy = (way: Way) => async (message: { text: string }) => {
    if (way === away) throw new ProviderUnavailable(`${way} is away`);
    sent.push(way);
    said.push(message.text);
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

const wallet = "0x000000000000000000000000000000000000bEEF";
const notifyOf = (what: WarningSubject) =>
  createWorkerContext(service.runtime).commit((work) =>
    notify(work, { userId, what, address: wallet, id: crypto.randomUUID() }),
  );

test.each(["signedIn", "removed", "added", "token"] as const)(
  "that a wallet %s goes by mail and by text against the person's choice, and each way once",
  async (what) => {
    await person.call("PUT", "/user/messages", { signIns: "none" });
    await notifyOf(what);
    // As a wallet that a thief removes before the warning is sent.
    await service.runtime.db.execute(sql`
      update user_messages set subject_id = 'signedIn:mail:' || ${wallet}::text || ':' || subject_id
      where user_id = ${userId} and subject_id not like '%:%'`);
    away = "sms";
    await run();
    expect(sent).toEqual(["mail"]);
    away = null;
    await run();
    expect([sent, await waiting()]).toEqual([["mail", "sms"], []]);
    for (const text of filled(said)) expect(text).toContain(wallet);
  },
);

test("a first sign-in is shown before twenty other messages", async () => {
  const [added] = await listSignInWallets(service.runtime.db, userId);
  if (!added) throw new Error("The person has no wallet");
  await addDecline();
  for (let time = 0; time < 19; time++) await notifyOf("token");
  await createWorkerContext(service.runtime).commit((work) =>
    notify(work, { userId, what: "signedIn", address: added.address, id: added.id }),
  );
  await run();
  expect([sent, await waiting()]).toEqual([["mail", "sms"], []]);
  for (const text of filled(said)) expect(text).toContain(`${added.address} signed in for the first time`);
  // What was merely done with a card makes room.
  expect(said[0]).not.toContain("Vanderlate");
});

test("warnings are five texts a day, which no choice uses up, and every one of them is in a mail", async () => {
  await runEachMinute(new Date(), 20);
  let nowMs = Date.now();
  const clock = { ...service.runtime.services.clock, now: async () => new Date(nowMs) };
  const rateLimits = createRateLimits({ db: service.runtime.db, clock, log: service.runtime.log });
  for (let time = 0; time < 7; time++, nowMs += 61_000) {
    await notifyOf("removed");
    await run({ rateLimits });
  }
  const count = (way: Way) => sent.filter((each) => each === way).length;
  expect([count("mail"), count("sms"), await waiting()]).toEqual([7, 5, []]);
});

test("a warning's text outlives a gateway that is away for a minute, and the next warning has its text too", async () => {
  let tries = 0;
  const sms = {
    send: async () => {
      tries++;
      throw new ProviderUnavailable("the gateway is away", { isWithoutEffect: true });
    },
  };
  await notifyOf("removed");
  // The mail goes out, and then a try every three seconds.
  await run({ sms });
  for (let time = 0; time < 25; time++) await expect(run({ sms })).rejects.toThrow("the gateway is away");
  expect([tries, sent]).toEqual([26, ["mail"]]);
  await run();
  await notifyOf("added");
  await run();
  expect([sent, await waiting()]).toEqual([["mail", "sms", "mail", "sms"], []]);
});

test("a flood of warnings leaves a bounded number of rows", async () => {
  for (let time = 0; time < 3; time++)
    await service.runtime.db.execute(sql`
      insert into user_messages (id, user_id, kind, about, subject_id, request_id, created_at)
      select gen_random_uuid(), ${userId}, 'signIns', 'wallet', gen_random_uuid(), 'test', now() from generate_series(1, 200)`);
  await notifyOf("removed");
  expect(await listMessages(service.runtime.db, userId, 1_000)).toHaveLength(600);
});

/** Adds a declined payment of a merchant that the tests look for. */
async function addDecline(): Promise<void> {
  const event = {
    threadId: "thread",
    merchant: { name: "Vanderlate" },
    billingAmount: "1234",
    billingCurrency: { symbol: "EUR", decimals: 2 },
  };
  const id = Bun.randomUUIDv7();
  await service.runtime.db.execute(sql`
    insert into events (id, user_id, request_id, event_type, data, is_pending, created_at)
    values (${id}, ${userId}, 'test', 'card.transaction.declined', ${JSON.stringify({ event })}::jsonb, false, now())`);
  await service.runtime.db.execute(sql`
    insert into user_messages (id, user_id, kind, about, subject_id, request_id, created_at)
    values (${id}, ${userId}, 'declines', 'event', ${id}, 'test', now())`);
}

test("an unproven address gets as many mails as codes, without merchant and amount; a proven one all at once", async () => {
  const { db, log, services } = service.runtime;
  const prove = (emailProvenAt: Date | null) => db.update(users).set({ emailProvenAt }).where(eq(users.id, userId));
  await prove(null);
  await db.update(users).set({ phone: null, isPhoneValidated: false }).where(eq(users.id, userId));
  let nowMs = Date.now();
  const clock = { ...services.clock, now: async () => new Date(nowMs) };
  const rateLimits = createRateLimits({ db, clock, log });
  const play = async (times: number) => {
    for (let time = 0; time < times; time++, nowMs += 5 * 60_000) {
      await notifyOf("signedIn");
      await addDecline();
      await run({ rateLimits });
    }
  };
  await play(10);
  expect(sent).toEqual(Array.from({ length: 5 }, (): Way => "mail"));
  expect(said.join("\n")).toContain("A card payment was declined.");
  expect(said.join("\n")).not.toMatch(/Vanderlate|12\.34/);
  // Nothing is lost: the rest waits, and is one mail.
  expect(await waiting()).toHaveLength(10);
  nowMs += 60 * 60_000;
  await Bun.sleep(1_100);
  await run({ rateLimits });
  expect([sent.length, await waiting()]).toEqual([6, []]);
  await prove(new Date());
  await addDecline();
  await run({ rateLimits });
  expect(said.at(-1)).toContain("€12.34 at Vanderlate: declined.");
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
