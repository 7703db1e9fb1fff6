import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { verifyDelivery } from "@cardkeep/client/webhooks";
import { publish } from "@cardkeep/domain/core/publish";
import { setStop } from "@cardkeep/domain/operators/stops/setStop";
import { changePartner, enableWebhook, setPartnerStatus } from "@cardkeep/domain/partners/partners/changePartner";
import { fanOut } from "@cardkeep/domain/partners/webhooks/fanOut";
import { getDelivery, listDeliveries, replayDeliveries } from "@cardkeep/domain/partners/webhooks/listDeliveries";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { listSecrets, rotatePartnerKey } from "@cardkeep/domain/partners/partners/keys";
import { resealAll } from "@cardkeep/domain/operations/housekeeping/resealSecrets";
import { createSecrets } from "@cardkeep/domain/core/secrets/secrets";
import { setUserStatus } from "@cardkeep/domain/users/users/setUserStatus";
import { eraseUser } from "@cardkeep/domain/users/users/eraseUser";
import { findIban, findOauthState, getOrInsertIban, insertOauthState } from "@cardkeep/db/queries/users/ibans";
import { listFeed } from "@cardkeep/db/queries/partners/deliveries/feed";
import { findPartner, updatePartner } from "@cardkeep/db/queries/partners/partners";
import { development } from "@cardkeep/runtime/development";
import { deliveries, events as eventRows } from "@cardkeep/db/schema/tables";
import { deliveryMachine } from "@cardkeep/contract/partners/deliveries";
import { type EventType, events } from "@cardkeep/contract/partners/events";
import { eventExamples } from "@cardkeep/contract/openapi/examples";
import { createPublicKey, randomUUID, verify } from "node:crypto";
import { type AddressInfo, createServer } from "node:net";
import type { z } from "zod";
import { and, eq, sql } from "drizzle-orm";
import { decodeJwt, importJWK, SignJWT } from "jose";
import { Webhook } from "standardwebhooks";
import { createRandom } from "../lives/random.ts";
import { askCli } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { isOfTable, type Move, recordMoves } from "../support/moves.ts";
import { operatorOf } from "../support/operator.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { testSeed } from "../support/seed.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";
import { awaitAttempts, contextOf, publishEvents, readInbox, registerPartner, subscribe } from "../support/webhooks.ts";

const [developmentKey] = JSON.parse(development.ACCESS_TOKEN_KEYS).keys;

let service: Service;
let listMoves: () => Promise<Move[]>;
beforeAll(async () => {
  service = await startService();
  listMoves = await recordMoves(service.ownerDb, "deliveries");
});
afterAll(() => service.stop());

const newPerson = async (): Promise<Person> => (await new Person(service).signIn()).signUp();
const advance = (person: Person, seconds: number) => person.sandbox("POST", "/chain/advance", { seconds });
const behave = (person: Person, name: string, statuses: number[], delayMs = 0) =>
  person.sandbox("POST", `/inbox/${name}/behaviour`, { statuses, delayMs });
/**
 * Waits until this many attempts have arrived and are recorded: a retry is timed from the record, not from the arrival.
 */
async function awaitEndedAttempts(person: Person, name: string, count: number) {
  const { services } = service.runtime;
  await until(async () => {
    const rows = await listDeliveries(services, { partnerId: name, limit: 100 });
    return rows.reduce((sum, { attempts }) => sum + attempts, 0) >= count;
  });
  return awaitAttempts(person, name, count);
}
/** No run with a partner's endpoint is under way: its job has planned the next one, and the clock may be moved. */
const untilPlanned = (partnerId: string) =>
  until(async () => {
    const running = sql`select id from graphile_worker._private_jobs where locked_at is not null
      and task_id = (select id from graphile_worker._private_tasks where identifier = 'webhook.deliver')
      and payload->>'partnerId' = ${partnerId}`;
    return (await service.runtime.db.execute(running)).length === 0;
  });
const pull = (key: string, query = "") =>
  fetch(`${service.url}/api/v1/partners/events${query}`, { headers: { Authorization: `Bearer ${key}` } });
const sequenceOf = ({ headers }: { headers: Record<string, string> }) => Number(headers["webhook-sequence"]);

describe("the partner named at sign-up", () => {
  const isBalanceOf = ({ userId }: Person) =>
    and(eq(eventRows.userId, userId ?? ""), eq(eventRows.eventType, "account.balance.changed"));
  const awaitBalances = (person: Person, count: number) =>
    until(async () => (await service.runtime.db.$count(eventRows, isBalanceOf(person))) === count);

  /** A person signed up with a partner, who has money in a Safe before any subscription. */
  async function fundSafe(partnerId: string, amount: string): Promise<Person> {
    await registerPartner(new Person(service), partnerId);
    const person = await (await new Person(service).signIn()).signUp({ partnerId });
    await person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome: "approved" });
    await person.call("POST", "/safe/deploy");
    await until(async () => (await person.call("GET", "/safe/deploy")).body.status === "ok");
    const safe = (await person.call("GET", "/safe/config")).body.address;
    await person.sandbox("POST", "/chain/faucet", { address: safe, token: "EURe", amount });
    await awaitBalances(person, 1);
    return person;
  }

  test("gets the balances from before the first subscription of any person, in sequence", async () => {
    const ada = await fundSafe("balances", "5000000000000000000");
    const withdrawal = await ada.signWithdrawal({
      tokenAddress: eure,
      to: "0x000000000000000000000000000000000000bEEF",
      amount: "7",
    });
    expect((await ada.call("POST", "/accounts/withdraw", withdrawal)).status).toBe(200);
    await awaitBalances(ada, 2);

    await subscribe(ada, "balances");
    const count = await service.runtime.db.$count(eventRows, eq(eventRows.userId, ada.userId ?? ""));
    const attempts = (await awaitAttempts(ada, "balances", count)).toSorted((a, b) => sequenceOf(a) - sequenceOf(b));
    expect(attempts.map(sequenceOf)).toEqual(attempts.map((_, index) => index + 1));
    const arrived = attempts.map(({ body }) => JSON.parse(body));
    const total = "5000000000000000000";
    expect(arrived.filter(({ eventType }) => eventType === "account.balance.changed").map(({ data }) => data)).toEqual([
      { userId: ada.userId, total, spendable: total, pending: "0" },
      { userId: ada.userId, total, spendable: "4999999999999999993", pending: "7" },
    ]);
  }, 60_000);

  test("gets the balance of a Safe that an earlier version published to no one", async () => {
    const ada = await fundSafe("earlier", "3");
    await service.ownerDb.delete(eventRows).where(isBalanceOf(ada));
    await service.ownerDb.execute(sql`delete from published_balances
      where safe_id in (select id from safes where user_id = ${ada.userId})`);

    await subscribe(ada, "earlier");
    await awaitBalances(ada, 1);
  }, 60_000);

  test("gets an event that is committed beside its first subscription", async () => {
    const host = new Person(service);
    await registerPartner(host, "beside");
    const ada = await (await new Person(service).signIn()).signUp({ partnerId: "beside" });
    const [isWritten, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const beside = contextOf(service.runtime).commit(async (work) => {
      const userId = ada.userId ?? "";
      await publish(work, "physical.card.pin.changed", userId, { userId, cardToken: "card" });
      isWritten.resolve();
      await mayEnd.promise;
    });
    await isWritten.promise;
    try {
      await subscribe(ada, "beside");
    } finally {
      mayEnd.resolve();
    }
    await beside;
    const attempts = await awaitAttempts(ada, "beside", 2);
    expect(attempts.map(sequenceOf).toSorted((a, b) => a - b)).toEqual([1, 2]);
  });

  test("gets events from before its first subscription, user.created as sequence 1; no other partner does", async () => {
    const host = new Person(service);
    await registerPartner(host, "signup");
    await registerPartner(host, "elsewhere");
    const ada = await (await new Person(service).signIn()).signUp({ partnerId: "signup" });
    await ada.sandbox("POST", `/kyc/${ada.userId}/review`, { outcome: "approved" });
    await subscribe(ada, "elsewhere");
    await subscribe(ada, "signup");
    const attempts = await awaitAttempts(ada, "signup", 2);
    const typeOf = ({ body }: { body: string }): string => JSON.parse(body).eventType;
    const first = attempts.find((attempt) => sequenceOf(attempt) === 1);
    expect(first && typeOf(first)).toBe("user.created");
    expect(attempts.map(sequenceOf).toSorted((a, b) => a - b)).toEqual(attempts.map((_, index) => index + 1));

    await publishEvents(service.runtime, ada.userId, 1);
    const [begun] = await awaitAttempts(ada, "elsewhere", 1);
    expect(begun && sequenceOf(begun)).toBe(1);
    const all = await awaitAttempts(ada, "signup", attempts.length + 1);
    expect(new Set(all.map(sequenceOf)).size).toBe(attempts.length + 1);

    await ada.call("DELETE", "/webhooks/subscription/signup");
    await subscribe(ada, "signup");
    await publishEvents(service.runtime, ada.userId, 1);
    expect(await awaitAttempts(ada, "signup", all.length + 1)).toHaveLength(all.length + 1);
  });
});

test("a partner gets no event from before its subscription or between two, however late they are handed out", async () => {
  const late = await startService({ worker: false });
  try {
    const ada = await (await new Person(late).signIn()).signUp();
    for (const name of ["early", "late"]) await registerPartner(ada, name);
    await subscribe(ada, "early");
    const sequencesOf = async (partnerId: string) =>
      (
        await late.runtime.db
          .select({ sequence: deliveries.sequence })
          .from(deliveries)
          .where(eq(deliveries.partnerId, partnerId))
          .orderBy(deliveries.position)
      ).map(({ sequence }) => Number(sequence));
    await publishEvents(late.runtime, ada.userId, 2);
    await subscribe(ada, "late");
    await ada.call("DELETE", "/webhooks/subscription/late");
    await publishEvents(late.runtime, ada.userId, 1);
    await subscribe(ada, "late");
    const ctx = { ...contextOf(late.runtime), stopping: new AbortController().signal };
    await fanOut(ctx);
    expect([await sequencesOf("early"), await sequencesOf("late")]).toEqual([[1, 2, 3], []]);
    await publishEvents(late.runtime, ada.userId, 1);
    await fanOut(ctx);
    expect([await sequencesOf("early"), await sequencesOf("late")]).toEqual([[1, 2, 3, 4], [1]]);
    // A turn that has taken its time ends behind a batch, and the next one goes on.
    await publishEvents(late.runtime, ada.userId, 501);
    const turn = new AbortController();
    const commit: typeof ctx.commit = (write) => ctx.commit(write).finally(() => turn.abort());
    await fanOut({ ...ctx, commit, stopping: turn.signal });
    expect(await sequencesOf("late")).toHaveLength(501);
    await fanOut(ctx);
    expect(await sequencesOf("late")).toHaveLength(502);
    // What was on its way at the end of the subscription is not read either once it goes on.
    await ada.call("DELETE", "/webhooks/subscription/late");
    await subscribe(ada, "late");
    await publishEvents(late.runtime, ada.userId, 1);
    await fanOut(ctx);
    const feed = await listFeed(late.runtime.db, { partnerId: "late", after: 0n, limit: 10 });
    expect(feed.map(({ sequence }) => sequence)).toEqual([503n]);
  } finally {
    await late.stop();
  }
});

describe("a subscription", () => {
  test("starts with the issued message, signed by the user's wallet, and ends with a DELETE", async () => {
    const ada = await newPerson();
    expect((await ada.call("GET", "/webhooks/subscription/sandbox")).body).toEqual({
      subscribed: false,
    });
    const { status, body } = await ada.call("GET", "/webhooks/message/sandbox");
    expect(status).toBe(200);
    expect(body.message).toContain(`Nonce: ${body.nonce}`);
    const signature = await ada.account.signMessage({ message: body.message });
    const signed = { message: body.message, signature };

    const byMessageAlone = new Person(service);
    const begun = await byMessageAlone.call("POST", "/webhooks/subscribe/sandbox", signed);
    expect(begun.status).toBe(200);
    expect(begun.body).toEqual({ success: true, subscriptionId: expect.any(String) });
    const { subscriptionId } = begun.body;
    expect((await ada.call("POST", "/webhooks/subscribe/sandbox", signed)).status).toBe(409);
    const reported = await ada.call("GET", "/webhooks/subscription/sandbox");
    expect(reported.body).toEqual({ subscribed: true, subscriptionId });

    expect((await ada.call("DELETE", "/webhooks/subscription/sandbox")).body).toEqual({ success: true });
    expect((await ada.call("DELETE", "/webhooks/subscription/sandbox")).body).toEqual({ success: true });
    expect((await ada.call("POST", "/webhooks/subscribe/sandbox", signed)).status).toBe(400);
    expect(await subscribe(ada, "sandbox")).toBe(subscriptionId);
  });

  test("is refused while its person is deactivated, by a message that was issued before too", async () => {
    const ada = await newPerson();
    const { message } = (await ada.call("GET", "/webhooks/message/sandbox")).body;
    const signed = { message, signature: await ada.account.signMessage({ message }) };
    const change = (status: "ACTIVE" | "DEACTIVATED") =>
      setUserStatus(operatorOf(service.runtime), { reference: ada.userId ?? "", status });
    await change("DEACTIVATED");
    const key = { "Idempotency-Key": randomUUID() };
    for (const caller of [ada, new Person(service)])
      expect(await caller.call("POST", "/webhooks/subscribe/sandbox", signed, key)).toMatchObject({
        status: 403,
        body: { error: "The user is deactivated and can only withdraw" },
      });
    expect((await ada.call("GET", "/webhooks/subscription/sandbox")).body).toEqual({ subscribed: false });
    await change("ACTIVE");
    // That refusal is not stored: the person is active again.
    expect((await ada.call("POST", "/webhooks/subscribe/sandbox", signed, key)).status).toBe(200);
  });

  test("is refused for other wallets, texts, users, partners and times", async () => {
    const [ada, eve] = [await newPerson(), await newPerson()];
    await registerPartner(ada, "elsewhere");
    const { message } = (await ada.call("GET", "/webhooks/message/sandbox")).body;
    const signature = await ada.account.signMessage({ message });
    const send = (person: Person, partner: string, body: unknown) =>
      person.call("POST", `/webhooks/subscribe/${partner}`, body);

    const foreign = { message, signature: await eve.account.signMessage({ message }) };
    expect(await send(ada, "sandbox", foreign)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    expect((await send(eve, "sandbox", { message, signature })).status).toBe(401);
    expect((await send(ada, "elsewhere", { message, signature })).status).toBe(400);
    expect((await send(ada, "nobody", { message, signature })).status).toBe(404);
    const other = message.replace("notifications", "money");
    const forged = { message: other, signature: await ada.account.signMessage({ message: other }) };
    expect((await send(ada, "sandbox", forged)).status).toBe(400);
    expect((await send(ada, "sandbox", { message })).status).toBe(400);
    expect((await send(ada, "sandbox", { message: "", signature: "0x00" })).status).toBe(400);

    const wallet = eve.account.address;
    expect((await ada.call("GET", `/webhooks/message/sandbox?walletAddress=${wallet}`)).status).toBe(400);
    expect((await ada.call("GET", "/webhooks/message/sandbox?walletAddress=0x12")).status).toBe(422);
    expect((await ada.call("GET", "/webhooks/message/nobody")).status).toBe(404);
    expect((await ada.call("GET", "/webhooks/subscription/nobody")).status).toBe(404);
    expect((await ada.call("DELETE", "/webhooks/subscription/nobody")).status).toBe(404);
    expect((await new Person(service).call("GET", "/webhooks/message/sandbox")).body).toEqual({
      message: "Unauthorized",
    });

    await advance(ada, 601);
    expect((await send(ada, "sandbox", { message, signature })).status).toBe(400);
  });

  test("is refused with an access token that is no valid one, on both surfaces; without a token the message is enough", async () => {
    const ada = await newPerson();
    const { message } = (await ada.call("GET", "/webhooks/message/sandbox")).body;
    const signed = { message, signature: await ada.account.signMessage({ message }) };
    const payload = decodeJwt(ada.token ?? "");
    const expired = await new SignJWT({ ...payload, exp: Math.floor(Date.now() / 1000) - 61 })
      .setProtectedHeader({ alg: "ES256", kid: "development", typ: "at+jwt" })
      .sign(await importJWK(developmentKey, "ES256"));
    for (const [token, code] of [
      ["junk", "auth.token_invalid"],
      [expired, "auth.token_expired"],
    ] as const) {
      const caller = new Person(service, ada.privateKey);
      caller.token = token;
      const refused = await caller.call("POST", "/webhooks/subscribe/sandbox", signed);
      expect(refused).toMatchObject({ status: 401, body: { message: "Unauthorized" } });
      expect(refused.headers.get("x-error-code")).toBe(code);
      const asked = caller.trpc().webhooks.subscribe.mutate({ partnerId: "sandbox", ...signed });
      expect(await asked.catch(({ data }) => data.error)).toBe(code);
    }
    expect((await ada.call("GET", "/webhooks/subscription/sandbox")).body).toEqual({ subscribed: false });
    expect((await new Person(service).call("POST", "/webhooks/subscribe/sandbox", signed)).status).toBe(200);
  });
});

describe("a delivery", () => {
  test("that failed twice is delivered once, with the same id, a fresh timestamp and valid signatures each time", async () => {
    const ada = await newPerson();
    const partner = await registerPartner(ada, "flaky");
    await subscribe(ada, "flaky");
    await behave(ada, "flaky", [500, 500]);
    await publishEvents(service.runtime, ada.userId, 1);
    await awaitEndedAttempts(ada, "flaky", 1);
    await advance(ada, 61);
    await awaitEndedAttempts(ada, "flaky", 2);
    await advance(ada, 301);
    const attempts = await awaitEndedAttempts(ada, "flaky", 3);
    expect(attempts.map(({ status }) => status)).toEqual([500, 500, 200]);
    expect(attempts.map(({ verified }) => verified)).toEqual([true, true, true]);
    expect(new Set(attempts.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(attempts.map(({ body }) => body)).size).toBe(1);

    const pem = (await ada.call("GET", "/public-key")).body;
    expect(pem).toEqual((await ada.call("GET", "/webhooks/public-key")).body);
    const jwks = (await ada.call("GET", "/webhooks/jwks.json")).body;
    for (const { headers, body } of filled(attempts)) {
      // Verified as a partner's own code would do it, without our code.
      const own = `${headers["x-webhook-timestamp"]}.${body}`;
      const signature = Buffer.from(headers["x-webhook-signature"] ?? "", "base64");
      expect(verify(null, Buffer.from(own), createPublicKey(pem.publicKey), signature)).toBe(true);
      expect(new Webhook(partner.webhookSecret).verify(body, headers)).toEqual(JSON.parse(body));
      const verified = await verifyDelivery({ headers, body, publicKeys: jwks.keys, secret: partner.webhookSecret });
      expect(verified).toMatchObject({ sequence: 1, eventType: "physical.card.pin.changed" });
    }
    expect(JSON.parse(attempts[0]?.body ?? "")).toEqual({
      eventType: "physical.card.pin.changed",
      data: { userId: ada.userId, cardToken: "card-0" },
    });
    const [delivery] = await listDeliveries(service.runtime.services, { partnerId: "flaky", limit: 10 });
    expect(delivery).toMatchObject({ status: "DELIVERED", attempts: 3 });
    const { log } = await getDelivery(service.runtime.services, { id: delivery?.id ?? "" });
    expect(log.map(({ status }) => status)).toEqual([500, 500, 200]);
  });

  test("is retried after 1, 5 and 15 minutes, then 1, 6 and 24 hours, and then given up", async () => {
    const ada = await newPerson();
    await registerPartner(ada, "down");
    await subscribe(ada, "down");
    await behave(
      ada,
      "down",
      Array.from({ length: 20 }, () => 503),
    );
    await publishEvents(service.runtime, ada.userId, 1);
    const waits = [60, 300, 900, 3_600, 21_600, 86_400];
    for (const [index, seconds] of waits.entries()) {
      await awaitEndedAttempts(ada, "down", index + 1);
      // Not earlier.
      await advance(ada, seconds - 20);
      expect(await readInbox(ada, "down")).toHaveLength(index + 1);
      await advance(ada, Math.ceil(seconds * 0.1) + 25);
    }
    await awaitAttempts(ada, "down", waits.length + 1);
    const find = async () => (await listDeliveries(service.runtime.services, { partnerId: "down", limit: 1 }))[0];
    await until(async () => (await find())?.status === "FAILED");
    expect(await replayDeliveries(operatorOf(service.runtime), { id: (await find())?.id ?? "" })).toEqual({
      replayed: 1,
    });
    const again = (await awaitAttempts(ada, "down", waits.length + 2)).at(-1);
    expect(again?.headers["webhook-id"]).toBe((await find())?.id ?? "");
    expect(again?.verified).toBe(true);
  });

  test("of a receiver that was down for an hour arrives with all the others, and the sequence has no gap", async () => {
    const ada = await newPerson();
    const partner = await registerPartner(ada, "hour");
    await subscribe(ada, "hour");
    await behave(
      ada,
      "hour",
      Array.from({ length: 12 }, () => 500),
    );
    await publishEvents(service.runtime, ada.userId, 4);
    await awaitEndedAttempts(ada, "hour", 4);
    for (const seconds of [61, 301]) {
      const before = (await readInbox(ada, "hour")).length;
      await advance(ada, seconds);
      await awaitEndedAttempts(ada, "hour", before + 4);
    }
    await publishEvents(service.runtime, ada.userId, 3);
    await advance(ada, 3_600);
    await until(async () => {
      const delivered = (await readInbox(ada, "hour")).filter(({ status }) => status === 200);
      return new Set(delivered.map(sequenceOf)).size === 7;
    });
    const delivered = (await readInbox(ada, "hour")).filter(({ status }) => status === 200);
    expect(delivered.map(sequenceOf).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7]);

    const feed = await (await pull(partner.apiKey)).json();
    expect(feed.events.map((event: { sequence: number }) => event.sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(feed.next).toBe(7);
    const pushed = new Map(delivered.map(({ headers, body }) => [headers["webhook-id"] ?? "", JSON.parse(body)]));
    expect(feed.events).toHaveLength(7);
    for (const { id, eventType, data } of feed.events) expect(pushed.get(id)).toEqual({ eventType, data });
    const rest = await (await pull(partner.apiKey, "?after=5&limit=1")).json();
    expect(rest).toMatchObject({ events: [{ sequence: 6 }], next: 6 });
  });

  test("of 100 events of five users, at a receiver that fails at random: no sequence has a gap, and pulled events equal pushed ones", async () => {
    const people = await Promise.all(Array.from({ length: 5 }, newPerson));
    const [ada = new Person(service)] = people;
    const partner = await registerPartner(ada, "random");
    for (const person of people) await subscribe(person, "random");
    // Only first attempts and some second ones fail: a delivery that failed seven times would be given up.
    const random = createRandom(testSeed);
    const statuses = Array.from({ length: 120 }, () => (random(4) === 0 ? 500 : 200));
    await behave(ada, "random", statuses);
    await Promise.all(people.map(({ userId }) => publishEvents(service.runtime, userId, 20)));
    const { services } = service.runtime;
    await until(
      async () => {
        const rows = await listDeliveries(services, { partnerId: "random", limit: 500 });
        const open = rows.filter(({ status }) => status !== "DELIVERED");
        const now = await services.clock.now(services.db);
        // A failed delivery waits until all others were tried.
        if (open.length > 0 && open.every(({ nextAttemptAt }) => nextAttemptAt > now)) await advance(ada, 901);
        return rows.length === 100 && open.length === 0;
      },
      { timeoutMs: 60_000, everyMs: 250 },
    );
    const attempts = await readInbox(ada, "random");
    const pushed = new Map(
      attempts.filter(({ status }) => status === 200).map((attempt) => [attempt.headers["webhook-id"] ?? "", attempt]),
    );
    const bodies = new Map<string, string>();
    for (const { headers, body } of filled(attempts)) {
      const id = headers["webhook-id"] ?? "";
      expect(body).toBe(bodies.get(id) ?? body);
      bodies.set(id, body);
    }
    for (const { userId } of people) {
      const sequences = [...pushed.values()]
        .filter(({ body }) => JSON.parse(body).data.userId === userId)
        .map(sequenceOf);
      expect(sequences.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    }
    const feed = await (await pull(partner.apiKey, "?limit=500")).json();
    expect(feed.events).toHaveLength(100);
    for (const [index, { id, sequence, subscriptionSequence, eventType, data }] of feed.events.entries()) {
      const { headers = {}, body = "{}" } = pushed.get(id) ?? {};
      expect({ eventType, data }).toEqual(JSON.parse(body));
      expect([sequence, subscriptionSequence]).toEqual([index + 1, sequenceOf({ headers })]);
    }
    expect(filled(await listMoves()).filter((move) => !isOfTable(deliveryMachine, move))).toEqual([]);
  }, 70_000);

  test("exists if and only if its change was committed, in any order of commits", async () => {
    const ada = await newPerson();
    const partner = await registerPartner(ada, "outbox");
    await subscribe(ada, "outbox");
    const { commit } = contextOf(service.runtime);
    const userId = ada.userId ?? "";
    const changes = Array.from({ length: 20 }, async (_, index) => {
      const change = commit(async (work) => {
        await publish(work, "physical.card.pin.changed", userId, { userId, cardToken: `card-${index}` });
        // Published in one order, committed in another.
        await Bun.sleep(((index * 7) % 10) * 20);
        if (index % 2 === 1) throw new Error("rolled back");
      });
      if (index % 2 === 1) await expect(change).rejects.toThrow("rolled back");
      else await change;
    });
    await Promise.all(changes);
    const attempts = await awaitAttempts(ada, "outbox", 10);
    const reported = attempts.map(({ body }) => JSON.parse(body).data.cardToken);
    expect(reported.toSorted()).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18].map((index) => `card-${index}`).toSorted());
    const { events: pulled } = await (await pull(partner.apiKey)).json();
    expect(pulled).toHaveLength(10);
  });

  test("waits alone where its person's subscription is locked: another person's event goes out meanwhile", async () => {
    const [held, free] = [await newPerson(), await newPerson()];
    await registerPartner(held, "gated");
    await subscribe(held, "gated");
    await subscribe(free, "gated");
    const ofFree = ({ body }: { body: string }) => body.includes(free.userId ?? "");
    await service.ownerDb.transaction(async (tx) => {
      await tx.execute(sql`select from subscriptions where user_id = ${held.userId} for update`);
      await publishEvents(service.runtime, held.userId, 2);
      await publishEvents(service.runtime, free.userId, 1);
      await until(async () => (await readInbox(free, "gated")).some(ofFree));
    });
    const ofHeld = (await awaitAttempts(held, "gated", 3)).filter((attempt) => !ofFree(attempt));
    expect(ofHeld.map(sequenceOf).toSorted((a, b) => a - b)).toEqual([1, 2]);
  });

  test.each<[string, (person: Person, partner: string) => Promise<unknown>]>([
    ["has unsubscribed", (person, partner) => person.call("DELETE", `/webhooks/subscription/${partner}`)],
    ["was erased", ({ userId }) => eraseUser(operatorOf(service.runtime), { reference: userId ?? "" })],
  ])("is not sent once the user %s, not even when it was on its way", async (what, end) => {
    const [ada, control] = [await newPerson(), await newPerson()];
    const name = what.replace(" ", "-");
    const partner = await registerPartner(ada, name);
    await subscribe(ada, name);
    await behave(ada, name, [500], 1_000);
    await publishEvents(service.runtime, ada.userId, 100);
    await awaitAttempts(ada, name, 1);
    await end(ada, name);
    // Who is read a quarter of a second before the end still gets deliveries. Each takes a second, sixteen at once, and
    // sixteen more may be under way to the inbox.
    const most = (await readInbox(ada, name)).length + 32;
    await publishEvents(service.runtime, ada.userId, 1);
    await subscribe(control, name);
    await publishEvents(service.runtime, control.userId, 1);
    const ofControl = ({ body }: { body: string }) => body.includes(control.userId ?? "");
    await until(async () => (await readInbox(ada, name)).some(ofControl));
    await advance(ada, 7_200);
    await publishEvents(service.runtime, control.userId, 1);
    await until(async () => (await readInbox(ada, name)).filter(ofControl).length === 2);
    const sent = (await readInbox(ada, name)).filter((attempt) => !ofControl(attempt));
    expect(sent.length).toBeLessThanOrEqual(Math.min(most, 99));
    const { events: pulled } = await (await pull(partner.apiKey)).json();
    expect(pulled).toHaveLength(2);
    const pending = await listDeliveries(service.runtime.services, { partnerId: name, status: "PENDING", limit: 10 });
    expect(pending.filter(({ userId }) => userId === ada.userId)).toEqual([]);
  });

  test("names only the user for a partner with thin deliveries; the partner pulls the rest", async () => {
    const ada = await newPerson();
    const partner = await registerPartner(ada, "thin", { payload: "thin" });
    await subscribe(ada, "thin");
    await publishEvents(service.runtime, ada.userId, 1);
    const [attempt] = await awaitAttempts(ada, "thin", 1);
    expect(JSON.parse(attempt?.body ?? "")).toEqual({
      eventType: "physical.card.pin.changed",
      data: { userId: ada.userId },
    });
    const { events } = await (await pull(partner.apiKey)).json();
    expect(events[0]).toMatchObject({ id: attempt?.headers["webhook-id"], data: { cardToken: "card-0" } });
  });

  test("to one endpoint is not delayed by another that hangs", async () => {
    const ada = await newPerson();
    for (const name of ["hangs", "quick"]) await registerPartner(ada, name).then(() => subscribe(ada, name));
    const hangsMs = 20_000;
    await behave(ada, "hangs", [], hangsMs);
    await publishEvents(service.runtime, ada.userId, 60);
    const startedAt = Date.now();
    const attempts = await awaitAttempts(ada, "quick", 60);
    expect(Date.now() - startedAt).toBeLessThan(hangsMs);
    expect(new Set(attempts.map(sequenceOf)).size).toBe(60);
    await behave(ada, "hangs", [], 0);
  });
});

describe("an endpoint", () => {
  const showPartner = (id: string) => findPartner(service.runtime.db, id);

  test("that answers 410 is disabled, and gets the kept events when it is enabled again", async () => {
    const ada = await newPerson();
    await registerPartner(ada, "gone");
    await subscribe(ada, "gone");
    await behave(ada, "gone", [410]);
    await publishEvents(service.runtime, ada.userId, 1);
    await until(async () => (await showPartner("gone"))?.webhookStatus === "DISABLED");
    await publishEvents(service.runtime, ada.userId, 2);
    await advance(ada, 3_600);
    expect(await readInbox(ada, "gone")).toHaveLength(1);
    await enableWebhook(operatorOf(service.runtime), { id: "gone" });
    const attempts = await awaitAttempts(ada, "gone", 4);
    expect(new Set(attempts.slice(1).map(sequenceOf))).toEqual(new Set([1, 2, 3]));
  });

  test.each([
    ["is gone", { status: 410 }],
    ["asks for an hour's pause", { status: 503, headers: { "Retry-After": "3600" } }],
  ])("that %s changes nothing of the address that took its place, and gets nothing more", async (how, answer) => {
    const ada = await newPerson();
    const id = `moved-${answer.status}`;
    await registerPartner(ada, id);
    const held = Promise.withResolvers<void>();
    const [before, after]: [string[], string[]] = [[], []];
    const listen = (bodies: string[], reply: () => Promise<Response>) =>
      Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: async (request) => {
          bodies.push(await request.text());
          return reply();
        },
      });
    const former = listen(before, async () => held.promise.then(() => new Response(null, answer)));
    const present = listen(after, async () => new Response());
    const operator = operatorOf(service.runtime);
    await changePartner(operator, { id, webhookUrl: `http://localhost:${former.port}/hook` });
    await subscribe(ada, id);
    await publishEvents(service.runtime, ada.userId, 1);
    await until(() => before.length === 1);
    await changePartner(operator, { id, webhookUrl: `http://localhost:${present.port}/hook`, payload: "thin" });
    await publishEvents(service.runtime, ada.userId, 2);
    held.resolve();
    const isOver = async () => after.length >= 2 || (await showPartner(id))?.webhookStatus === "DISABLED";
    await until(isOver);
    // The event that the former address refused may be among them.
    expect([how, before.length, after.length >= 2]).toEqual([how, 1, true]);
    expect(await showPartner(id)).toMatchObject({ webhookStatus: "ACTIVE", failingSince: null, pausedUntil: null });
    await Promise.all([former.stop(true), present.stop(true)]);
  });

  test.each<[string, (id: string, url: string, delivery: string) => Promise<unknown>]>([
    ["its endpoint is replaced", (id, url) => changePartner(operatorOf(service.runtime), { id, webhookUrl: url })],
    ["it is sent again", (_, __, delivery) => replayDeliveries(operatorOf(service.runtime), { id: delivery })],
  ])("is not given up by a last attempt that ends after %s", async (how, restart) => {
    const ada = await newPerson();
    const id = `last-${how.length}`;
    await registerPartner(ada, id);
    const held = Promise.withResolvers<void>();
    const [statuses, taken]: [number[], string[]] = [[503, 503], []];
    let attempts = 0;
    const listen = (path: string) =>
      Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: async (request) => {
          const status = path === "former" ? (statuses[attempts++] ?? 200) : 200;
          if (path === "former" && attempts === 2) await held.promise;
          if (status === 200) taken.push(await request.text());
          return new Response(null, { status });
        },
      });
    const [former, present] = [listen("former"), listen("present")];
    const urlOf = ({ port }: { port?: number | undefined }) => `http://localhost:${port}/hook`;
    const { services, db } = service.runtime;
    const find = async () => (await listDeliveries(services, { partnerId: id, limit: 1 }))[0];
    await changePartner(operatorOf(service.runtime), { id, webhookUrl: urlOf(former) });
    await subscribe(ada, id);
    await publishEvents(service.runtime, ada.userId, 1);
    await until(async () => (await find())?.attempts === 1);
    const delivery = (await find())?.id ?? "";
    // As five more failed attempts leave it.
    const nextAttemptAt = await services.clock.now(db);
    await db.update(deliveries).set({ attempts: 6, nextAttemptAt }).where(eq(deliveries.id, delivery));
    await advance(ada, 61);
    await until(() => attempts === 2);
    await restart(id, urlOf(present), delivery);
    held.resolve();
    await until(async () => (await find())?.status === "DELIVERED");
    expect([how, taken.length]).toEqual([how, 1]);
    await Promise.all([former.stop(true), present.stop(true)]);
  });

  test("that failed for five days is disabled, with one mail to its partner; enabled again, it gets each missed event once", async () => {
    const ada = await newPerson();
    const email = "ops@partner.example";
    await registerPartner(ada, "fails", { email });
    await subscribe(ada, "fails");
    await behave(
      ada,
      "fails",
      Array.from({ length: 100 }, () => 500),
    );
    const { services } = service.runtime;
    const from = await services.clock.now(services.db);
    const list = () => listDeliveries(services, { partnerId: "fails", limit: 50 });
    for (let day = 0; day < 6; day++) {
      const before = (await readInbox(ada, "fails")).length;
      await publishEvents(service.runtime, ada.userId, 1);
      // An attempt at an older event may disable the endpoint first. Then the new one is kept without an attempt.
      await until(
        async () =>
          (await readInbox(ada, "fails")).length > before || (await showPartner("fails"))?.webhookStatus === "DISABLED",
      );
      await untilPlanned("fails");
      await advance(ada, 86_400);
    }
    await until(async () => (await showPartner("fails"))?.webhookStatus === "DISABLED");
    const countMails = async () => (await ada.sandbox("GET", `/mailbox?to=${email}`)).body.length;
    await until(async () => (await countMails()) > 0);

    const untilDisabled = (await readInbox(ada, "fails")).length;
    await publishEvents(service.runtime, ada.userId, 2);
    await advance(ada, 86_400);
    await until(async () => (await list()).length === 8);
    expect(await readInbox(ada, "fails")).toHaveLength(untilDisabled);

    // As a seventh attempt would leave the oldest one.
    const oldest = (await list()).at(-1)?.id ?? "";
    const endedAt = await services.clock.now(services.db);
    await services.db.update(deliveries).set({ status: "FAILED", endedAt }).where(eq(deliveries.id, oldest));

    await behave(ada, "fails", []);
    await askCli(service, "webhooks", "enable", "fails");
    await until(async () => (await list()).every(({ status }) => status === "DELIVERED"));
    const now = await services.clock.now(services.db);
    const span = ["--partner", "fails", "--from", from.toISOString(), "--until", now.toISOString()];
    const replay = (...words: string[]) => askCli<{ replayed: number }>(service, "webhooks", "replay", ...words);
    await replay(...span);
    await until(async () => (await list()).every(({ status }) => status === "DELIVERED"));
    const taken = (await readInbox(ada, "fails")).slice(untilDisabled);
    expect(taken.map(sequenceOf).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await replay(...span)).toEqual({ replayed: 0 });
    expect(await replay(...span, "--all")).toEqual({ replayed: 8 });
    await awaitAttempts(ada, "fails", untilDisabled + 16);
    await expect(replay(...span, "--id", "msg_1")).rejects.toThrow("either --id, or --partner");
    await expect(replay("--id", "msg_1")).rejects.toThrow("There is no such delivery");
    expect(await countMails()).toBe(1);
  }, 30_000);

  test.each<[string, (id: string, ada: Person) => Promise<unknown>]>([
    [
      "its partner is disabled",
      async (id) => {
        const operator = operatorOf(service.runtime);
        await setPartnerStatus(operator, { id, status: "DISABLED" });
        await setPartnerStatus(operator, { id, status: "ACTIVE" });
      },
    ],
    [
      "deliveries are stopped",
      async () => {
        const operator = operatorOf(service.runtime, "The issuer asked for it");
        await setStop(operator, { name: "deliveries", isStopped: true });
        await setStop(operator, { name: "deliveries", isStopped: false });
      },
    ],
    [
      "nothing happened to its users",
      async (id, ada) => {
        const { services } = service.runtime;
        const endedAt = await services.clock.now(services.db);
        // As its seventh attempt would leave it.
        await services.db.update(deliveries).set({ status: "FAILED", endedAt }).where(eq(deliveries.partnerId, id));
        await advance(ada, 6 * 86_400);
        await publishEvents(service.runtime, ada.userId, 1);
        await awaitEndedAttempts(ada, id, 2);
      },
    ],
  ])("that failed before is not disabled by its first attempt after the days in which %s", async (what, stop) => {
    const ada = await newPerson();
    const id = what.replaceAll(" ", "-");
    await registerPartner(ada, id);
    await subscribe(ada, id);
    // The end of the stop sends what waits at once, and the hour behind it once more.
    await behave(ada, id, [500, 500, 500, 500, 500, 500]);
    await publishEvents(service.runtime, ada.userId, 1);
    await until(async () => (await showPartner(id))?.failingSince != null);
    const { services } = service.runtime;
    const now = await services.clock.now(services.db);
    await updatePartner(services.db, id, { failingSince: new Date(now.getTime() - 6 * 86_400_000) });
    await stop(id, ada);
    await advance(ada, 3_600);
    await awaitEndedAttempts(ada, id, 2);
    expect(await showPartner(id)).toMatchObject({ webhookStatus: "ACTIVE", failingSince: expect.any(Date) });
  });

  test("under another name of this machine cannot be registered; written to the database, it gets no connection, and the log names the reason", async () => {
    const ada = await newPerson();
    let connections = 0;
    const canary = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((listening) => canary.listen(0, () => listening()));
    const webhookUrl = `http://127.0.0.2:${(canary.address() as AddressInfo).port}/hook`;
    const { services } = service.runtime;
    await registerPartner(ada, "inside");
    await expect(changePartner(operatorOf(service.runtime), { id: "inside", webhookUrl })).rejects.toMatchObject({
      code: "partners.invalid_url",
    });
    await subscribe(ada, "inside");
    await updatePartner(service.runtime.db, "inside", { webhookUrl });
    await publishEvents(service.runtime, ada.userId, 1);
    const find = async () => (await listDeliveries(services, { partnerId: "inside", limit: 1 }))[0];
    await until(async () => (await find())?.attempts === 1);
    const { log } = await getDelivery(services, { id: (await find())?.id ?? "" });
    expect(log).toMatchObject([{ status: null, error: "deliveries cannot go to this address" }]);
    expect(connections).toBe(0);
    canary.close();
  });
});

test("a receiver of the developer at localhost gets the deliveries, outside production", async () => {
  const bodies: string[] = [];
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      bodies.push(await request.text());
      return new Response();
    },
  });
  const ada = await newPerson();
  await registerPartner(ada, "developer");
  const webhookUrl = `http://localhost:${receiver.port}/hook`;
  await changePartner(operatorOf(service.runtime), { id: "developer", webhookUrl });
  await subscribe(ada, "developer");
  await publishEvents(service.runtime, ada.userId, 1);
  await until(() => bodies.length === 1);
  await receiver.stop(true);
});

describe("each kind of event", () => {
  // The catalogue's keys are its event types.
  const kinds = Object.keys(events) as EventType[];

  test("arrives as in the catalogue, with at most 64 kB, without secrets", async () => {
    const ada = await newPerson();
    await registerPartner(ada, "all", { hasAllEvents: true });
    await subscribe(ada, "all");
    await contextOf(service.runtime).commit(async (work) => {
      for (const kind of kinds) {
        const schema: z.ZodType = events[kind];
        await publish(work, kind, ada.userId ?? "", schema.parse(eventExamples[kind]) as never);
      }
    });
    // Such a partner gets the closes of the books too, of whom no one event is: the clock was moved over the end of a month.
    const listOwn = async () => (await readInbox(ada, "all")).filter(({ body }) => !body.includes('"books.closed"'));
    await until(async () => (await listOwn()).length >= kinds.length);
    const attempts = await listOwn();
    expect(attempts.every(({ verified }) => verified)).toBe(true);
    const reported = new Map(attempts.map(({ body }) => [JSON.parse(body).eventType, body]));
    expect([...reported.keys()].toSorted()).toEqual(kinds.toSorted());
    for (const kind of kinds) {
      const body = reported.get(kind) ?? "";
      expect(JSON.parse(body)).toEqual({ eventType: kind, data: eventExamples[kind] });
      expect(Buffer.byteLength(body)).toBeLessThan(64 * 1024);
      // Card numbers, access tokens, keys; and names of fields with secrets.
      expect(body).not.toMatch(/(?<![\w.+])\d{13,19}(?![\w.])|eyJ[\w-]+\.|whsec_|ckp_|BEGIN/);
      expect(body).not.toMatch(/"(pan|cvv|cvc|pin|otp|secret|password|token|signature|sealed\w*)"/i);
    }
  });
});

describe("keys", () => {
  test("are rotated with an overlap: both secrets sign, later the new one alone; an API key likewise", async () => {
    const ada = await newPerson();
    const partner = await registerPartner(ada, "rotates");
    await subscribe(ada, "rotates");
    const rotate = (kind: "api" | "secret") =>
      rotatePartnerKey(operatorOf(service.runtime), { id: "rotates", kind, overlapSeconds: 3_600 });
    const [secret, api] = [await rotate("secret"), await rotate("api")];
    await publishEvents(service.runtime, ada.userId, 1);
    const [during] = await awaitAttempts(ada, "rotates", 1);
    for (const each of [partner.webhookSecret, secret.key])
      new Webhook(each).verify(during?.body ?? "", during?.headers ?? {});
    for (const key of [partner.apiKey, api.key]) expect((await pull(key)).status).toBe(200);
    await advance(ada, 3_601);
    await publishEvents(service.runtime, ada.userId, 1);
    const [, after] = await awaitAttempts(ada, "rotates", 2);
    new Webhook(secret.key).verify(after?.body ?? "", after?.headers ?? {});
    expect(() => new Webhook(partner.webhookSecret).verify(after?.body ?? "", after?.headers ?? {})).toThrow();
    expect((await pull(partner.apiKey)).status).toBe(401);
    expect((await pull(api.key)).status).toBe(200);
    expect((await pull("ckp_nobody")).status).toBe(401);
    expect((await ada.call("GET", "/partners/events")).status).toBe(401);
  });

  test("that no key opens fail their deliveries, and doctor names the partners; waiting deliveries are sent afterwards", async () => {
    const ada = await newPerson();
    const partner = await registerPartner(ada, "locked");
    await subscribe(ada, "locked");
    const { services } = service.runtime;
    const { db } = services;
    const setSealed = (sealed: string) =>
      db.execute(sql`update partner_keys set value = ${sealed} where partner_id = 'locked' and kind = 'secret'`);
    const findSecrets = async () => (await diagnose(services)).find(({ check }) => check === "secrets");
    expect(await findSecrets()).toMatchObject({ severity: "ok" });
    const lost = createSecrets([{ kid: "lost", k: Buffer.alloc(32, 5).toString("base64url") }]);
    await setSealed(await lost.seal("locked", partner.webhookSecret));
    await publishEvents(service.runtime, ada.userId, 1);
    const find = async () => (await listDeliveries(services, { partnerId: "locked", limit: 1 }))[0];
    await until(async () => ((await find())?.attempts ?? 0) > 0);
    const delivery = await getDelivery(services, { id: (await find())?.id ?? "" });
    expect(delivery.log[0]).toMatchObject({ error: "not sent: the partner's webhook secret cannot be opened" });
    expect(await readInbox(ada, "locked")).toEqual([]);
    expect(await findSecrets()).toMatchObject({
      severity: "fault",
      text: expect.stringMatching(
        /^The webhook secret of partner locked cannot be opened.*partners rotate locked --overlap-hours 0/,
      ),
    });
    await expect(resealAll(services)).rejects.toThrow("1 secrets cannot be opened");

    await setSealed(await services.secrets.seal("locked", partner.webhookSecret));
    expect(await findSecrets()).toMatchObject({ severity: "ok" });
    await advance(ada, 3_600);
    const [arrived] = await awaitAttempts(ada, "locked", 1);
    new Webhook(partner.webhookSecret).verify(arrived?.body ?? "", arrived?.headers ?? {});
  });

  test("are sealed again with the first key, in every table, also by parallel workers", async () => {
    const { services, settings } = service.runtime;
    const [ada, { db }] = [await newPerson(), services];
    const partner = await registerPartner(ada, "resealed");
    const userId = ada.userId ?? "";
    const now = await services.clock.now(db);
    const older = services.secrets;
    await db.transaction(async (tx) => {
      const [sealedToken, sealedVerifier] = [await older.seal(userId, "token"), await older.seal(userId, "verifier")];
      const row = {
        userId,
        id: userId,
        status: "NOTSTARTED",
        profileId: userId,
        requestId: "test",
        createdAt: now,
        updatedAt: now,
      } as const;
      await getOrInsertIban(tx, { ...row, sealedToken });
      const expiresAt = new Date(now.getTime() + 60_000);
      await insertOauthState(tx, { stateHash: "resealed", userId, sealedVerifier, callbackUrl: null, expiresAt });
    });
    const key = { kid: "newer", k: Buffer.alloc(32, 6).toString("base64url") };
    const rotated = { ...services, secrets: createSecrets([key, ...settings.secretsKeys]) };
    const before = (await diagnose(rotated)).find(({ check }) => check === "secrets");
    expect([before?.severity, before?.text]).toEqual([
      "warning",
      expect.stringMatching(/^\d+ are sealed with an older key/),
    ]);
    let looks = 0;
    // A turn that has taken its time ends behind one secret, and later ones seal the others.
    const cut = await resealAll(rotated, () => (looks += 1) > 1);
    expect(cut).toBe(1);
    const counts = await Promise.all([resealAll(rotated), resealAll(rotated)]);
    expect(counts.reduce((sum, count) => sum + count, cut)).toBe(Number(before?.text.split(" ")[0]));
    expect(await resealAll(rotated)).toBe(0);
    expect((await diagnose(rotated)).find(({ check }) => check === "secrets")?.severity).toBe("ok");
    const newer = createSecrets([key]);
    const [secret] = await listSecrets({ db, secrets: newer }, { partnerId: "resealed", now });
    expect(secret).toBe(partner.webhookSecret);
    expect(await newer.unseal(userId, (await findIban(db, userId))?.sealedToken ?? "")).toBe("token");
    expect(await newer.unseal(userId, (await findOauthState(db, "resealed", now))?.sealedVerifier ?? "")).toBe(
      "verifier",
    );
    // The running service knows only the older key.
    await resealAll({ ...services, secrets: createSecrets([...settings.secretsKeys, key]) });
  });

  test("are stored in no table in clear", async () => {
    const partner = await registerPartner(new Person(service), "secretive");
    const rows = await service.runtime.db.execute(sql`select row_to_json(k)::text as row from partner_keys k`);
    const text = JSON.stringify(rows);
    expect(text).toContain("secretive");
    expect(text).not.toContain(partner.apiKey);
    expect(text).not.toContain(partner.webhookSecret.slice(6));
  });
});
