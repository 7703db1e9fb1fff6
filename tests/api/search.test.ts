import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ibans, users } from "@cardkeep/db/schema/tables";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { generateId } from "@cardkeep/domain/core/generateId";
import { type FoundGroup, search } from "@cardkeep/domain/operations/search/search";
import { development } from "@cardkeep/runtime/development";
import { eq, sql } from "drizzle-orm";
import { askCli, runCliOn } from "../support/cli.ts";
import { operatorOf } from "../support/operator.ts";
import { signInWithKey } from "../support/operatorPages.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { untilSettled } from "../support/spending.ts";
import { awaitAttempts, registerPartner, subscribe } from "../support/webhooks.ts";

const requestId = "withdrawal-of-ada";

let service: Service;
let ada: Person;
let safe: string;
let cardToken: string;
let operationId: string;
let threadId: string;
beforeAll(async () => {
  service = await startService();
  const maker = new Person(service);
  const applicant = { firstName: "Ada Mary", lastName: "Lovelace" };
  const options = { balance: "50", card: "virtual", iban: true, applicant };
  const { body: made } = await maker.sandbox("POST", "/people", options);
  ada = new Person(service, made.privateKey);
  await ada.signIn();
  ada.userId = made.id;
  safe = made.safe;
  cardToken = made.cards[0].cardToken;
  await registerPartner(ada, "shop", { name: "Bücher & Co" });
  await subscribe(ada, "shop");
  const use = { amount: 2_000, currency: "EUR", merchant: "Shop", mcc: "5411", country: "DE" };
  threadId = (await ada.sandbox("POST", `/issuer/cards/${cardToken}/authorizations`, use)).body.threadId;
  const amount = 10n ** 18n;
  const tokenAddress = "0xcB444e90D8198415266c6a2724b7900fb12FC56E";
  const withdrawal = await ada.signWithdrawal({ tokenAddress, to: ada.account.address, amount: `${amount}` });
  const accepted = await ada.call("POST", "/accounts/withdraw", withdrawal, { "x-request-id": requestId });
  operationId = accepted.body.data.id;
  await awaitAttempts(ada, "shop", 2);
  await untilSettled(service);
});
afterAll(() => service.stop());

const find = async (text: string): Promise<FoundGroup[]> =>
  (await search(operatorOf(service.runtime), { text })).groups;
/** Kinds and ids that a text leads to. */
const idsOf = async (text: string): Promise<Record<string, string[]>> =>
  Object.fromEntries((await find(text)).map(({ kind, hits }) => [kind, hits.map(({ id }) => id)]));
/** A row that the worker writes sooner or later. */
const read = async <T extends Record<string, string>>(query: ReturnType<typeof sql>): Promise<T> => {
  const ask = async () => (await service.runtime.db.execute<Record<string, string>>(query))[0];
  await until(async () => (await ask()) !== undefined);
  const row = await ask();
  if (!row) throw new Error("There is no such row");
  return row as T;
};

describe("the search", () => {
  test("finds a user by parts of mail address, name and phone number, in any letter case", async () => {
    const { email, phone } = await read<{ email: string; phone: string }>(
      sql`update users set phone = '+4915112345678', last_name = 'Love%lace', email = 'a3f29bd7c1e05f62@example.org' where id = ${ada.userId} returning email, phone`,
    );
    const texts = [
      email.toUpperCase(),
      email.slice(2, 12),
      "love%",
      "LACE ada",
      "Mary Love%lace",
      "+49 (151) 123-45",
      "45678",
    ];
    for (const text of [...texts, phone])
      expect([text, (await idsOf(text))["users"]]).toEqual([text, [ada.userId ?? ""]]);
    for (const text of [`${email.slice(4)}`, `${email.split("@")[0]?.slice(-5)}@exam`])
      expect([text, (await idsOf(text))["users"]]).toEqual([text, [ada.userId ?? ""]]);
    for (const text of ["@example.org", "EXAMPLE.O"]) expect((await idsOf(text))["users"]).toContain(ada.userId ?? "");
    for (const text of ["love_lace", "nobody@example.org", "ada lovelace", "%%%", "+49 151 999"])
      expect([text, (await idsOf(text))["users"]]).toEqual([text, undefined]);
  });

  test("finds users and Safes by address: all of it, its first digits, or both its ends", async () => {
    const { address } = ada.account;
    for (const text of [
      address,
      address.toLowerCase(),
      address.slice(0, 12),
      `${address.slice(0, 6)}…${address.slice(-4)}`,
    ])
      expect(await idsOf(text)).toEqual({ users: [ada.userId ?? ""] });
    const { id } = await read<{ id: string }>(sql`select id from safes where address = ${safe}`);
    expect(await idsOf(safe.toUpperCase().replace("0X", "0x"))).toEqual({ safes: [id] });
  });

  test("finds cards by token and last four digits, payments by thread and id, IBANs by a part with blanks", async () => {
    const card = await read<{ id: string; four: string }>(
      sql`select id, last_four_digits as four from cards where card_token = ${cardToken}`,
    );
    expect((await idsOf(cardToken))["cards"]).toEqual([card.id]);
    expect((await idsOf(card.four))["cards"]).toEqual([card.id]);
    const { id: paymentId } = await read<{ id: string }>(
      sql`select id from card_payments where thread_id = ${threadId}`,
    );
    for (const text of [threadId, paymentId]) expect((await idsOf(text))["payments"]).toEqual([paymentId]);
    const { id: ibanId, iban } = await read<{ id: string; iban: string }>(sql`select id, iban from ibans`);
    const printed = iban.replaceAll(/(.{4})/g, "$1 ").trim();
    for (const text of [iban, printed, printed.slice(0, 14), iban.slice(-6), iban.toLowerCase()])
      expect((await idsOf(text))["ibans"]).toEqual([ibanId]);
  });

  test("finds operation, relay transaction, delivery, event, order and job by id, and what a hash belongs to", async () => {
    await until(async () =>
      (await find(operationId)).some(({ hits }) => hits.some(({ status }) => status === "WAITING")),
    );
    const { hash, relay } = await read<{ hash: string; relay: string }>(sql`
      select a.hash, a.relay_transaction_id as relay from relay_attempts a
        join relay_subjects s on s.relay_transaction_id = a.relay_transaction_id where s.subject_id = ${operationId}`);
    expect(await idsOf(hash)).toEqual({ delays: [operationId], relayTransactions: [relay] });
    expect(await idsOf(relay)).toMatchObject({ relayTransactions: [relay] });
    const { spend, paymentId } = await read<{ spend: string; paymentId: string }>(sql`
      select a.hash as spend, split_part(s.subject_id, ':', 1) as "paymentId" from relay_attempts a
        join relay_subjects s on s.relay_transaction_id = a.relay_transaction_id where s.purpose = 'card.spend'`);
    expect((await idsOf(spend.toUpperCase().replace("0X", "0x")))["payments"]).toEqual([paymentId]);
    const delivery = await read<{ id: string; event: string }>(
      sql`select id, event_id as event from deliveries limit 1`,
    );
    expect(await idsOf(delivery.id)).toEqual({ deliveries: [delivery.id] });
    expect(await idsOf(delivery.event)).toEqual({ deliveries: [delivery.id], events: [delivery.event] });
    const { db } = service.runtime;
    await db.transaction((tx) =>
      enqueue(tx, "relay.confirm", { relayTransactionId: relay, requestId: "later" }, 600_000),
    );
    expect((await find(relay)).find(({ kind }) => kind === "jobs")?.hits.map(({ title }) => title)).toContain(
      "relay.confirm",
    );
  });

  test("finds what a request caused by its id", async () => {
    expect(await idsOf(requestId)).toMatchObject({ delays: [operationId] });
    const { request, paymentId } = await read<{ request: string; paymentId: string }>(
      sql`select request_id as request, id as "paymentId" from card_payments where thread_id = ${threadId}`,
    );
    const caused = await idsOf(request);
    expect([caused["payments"], caused["events"]?.length]).toEqual([[paymentId], expect.any(Number)]);
    const { db } = service.runtime;
    const job = { relayTransactionId: "none", requestId: "failed-once" };
    await db.transaction((tx) => enqueue(tx, "relay.confirm", job, 600_000));
    expect(await find("failed-once")).toEqual([]);
    await db.execute(
      sql`update graphile_worker._private_jobs set last_error = 'It failed' where key = 'relay.confirm:none'`,
    );
    expect((await find("failed-once")).map(({ kind }) => kind)).toEqual(["jobs"]);
  });

  test("finds partners by id, and by a part of their name or domain", async () => {
    for (const text of ["shop", "bücher", "her & c"]) expect((await idsOf(text))["partners"]).toEqual(["shop"]);
  });

  test("finds merchants of the last months by the beginning of their name, each once, and leads to their payments", async () => {
    const { id } = await read<{ id: string }>(sql`select id from card_payments where thread_id = ${threadId}`);
    const { db } = service.runtime;
    const copy = async (payment: string, merchant: string) =>
      db.execute(sql`insert into card_payments select (jsonb_populate_record(p, ${JSON.stringify({ id: payment, thread_id: payment, merchant_name: merchant })}::jsonb)).*
        from card_payments p where p.id = ${id}`);
    for (const merchant of ["Kaffee Blau", "KAFFEE BLAU", "Kaffee Rot", "Blauer Kaffee", "Kaff%"])
      await copy(generateId(), merchant);
    for (let n = 0; n < 12; n++) await copy(generateId(), `Zoo ${n}`);
    const merchantsOf = async (text: string) => (await find(text)).find(({ kind }) => kind === "merchants");
    expect((await merchantsOf("kaffee"))?.hits.map(({ title }) => title)).toEqual(["KAFFEE BLAU", "Kaffee Rot"]);
    expect((await merchantsOf("Kaff%"))?.hits.map(({ title }) => title)).toEqual(["Kaff%"]);
    expect([await merchantsOf("blau k"), await merchantsOf("ka")]).toEqual([undefined, undefined]);
    const many = await merchantsOf("zoo");
    expect([many?.hits.length, many?.isMore]).toEqual([10, true]);
    const signedIn = await signInWithKey(service.url);
    const answer = await fetch(`${service.url}/operator/search`, {
      method: "POST",
      headers: { Cookie: signedIn, Origin: service.url },
      body: new URLSearchParams({ text: "Kaffee" }),
    });
    expect(await answer.text()).toContain("/operator/payments?merchant=Kaffee+Rot");
  });

  test("shows ten of each kind and says that there are more; the one that is named exactly comes first", async () => {
    const { db } = service.runtime;
    await db.execute(sql`insert into users (id, email, kyc_status, created_at)
      select 'many-' || n, 'x' || n || 'grace@example.org', 'approved', now() from generate_series(1, 30) n`);
    await db.execute(sql`insert into users (id, email, kyc_status, created_at)
      values ('grace', 'grace@example.org', 'approved', now() - interval '1 year')`);
    const [group] = await find("Grace@example.org");
    expect([group?.hits.length, group?.isMore, group?.hits[0]?.id]).toEqual([10, true, "grace"]);
    const [all] = await find("x30grace");
    expect([all?.hits.length, all?.isMore]).toEqual([1, false]);
  });

  test("refuses an empty and an endless text, and finds nothing for hostile ones", async () => {
    for (const text of ["", "  ", "a".repeat(10_000)])
      await expect(find(text)).rejects.toMatchObject({ code: "request.invalid" });
    for (const text of [
      "\0\0\0",
      "\ud800abc",
      "'; drop table users; --",
      "\\\\\\",
      "__________",
      "{}",
      "0x",
      "0x%%%%",
      "'\"`",
    ])
      expect([text, await idsOf(text)]).toEqual([text, {}]);
  });

  test("shows an operator without a role nothing, whatever the text", async () => {
    const ctx = operatorOf(service.runtime);
    for (const text of [safe, ada.account.address, cardToken, operationId, requestId, "shop", "example"])
      expect((await search({ ...ctx, actor: { ...ctx.actor, roles: [] } }, { text })).groups).toEqual([]);
  });

  test("is on every page: by POST, it shows groups, opens the page of the only row, and keeps the text out of addresses", async () => {
    const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(`${service.url}/operator${path}`, {
        method: "POST",
        headers: { Origin: service.url, ...headers },
        body: new URLSearchParams(form),
        redirect: "manual",
      });
    const text = ada.account.address;
    expect((await post("/search", { text })).status).toBe(401);
    const signedIn = await post("/sign-in", { key: development.OPERATOR_API_KEY });
    const Cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
    const ask = async (given: string) => {
      const answer = await post("/search", { text: given }, { Cookie });
      return [answer.status, answer.headers.get("location"), await answer.text()];
    };
    const { email } = await read<{ email: string }>(sql`select email from users where id = ${ada.userId}`);
    expect(await ask(email)).toEqual([303, `/operator/users/${ada.userId}?done=found`, ""]);
    expect(await ask(text)).toEqual([200, null, expect.stringContaining(`/operator/users/${ada.userId}`)]);
    expect(await ask("<script>alert(1)</script>")).toEqual([200, null, expect.stringContaining("Nothing was found.")]);
    expect((await ask("a".repeat(10_000)))[0]).toBe(422);
    expect((await post("/search", { text }, { Cookie, Origin: "https://evil.example" })).status).toBe(403);
    for (const path of ["", "/search", "/jobs"]) {
      const page = await (await fetch(`${service.url}/operator${path}`, { headers: { Cookie } })).text();
      expect(page).toContain('role="search" method="post" action="/operator/search"');
    }
  });

  test("answers on a terminal, as text and as JSON", async () => {
    const { code, out } = await runCliOn(service.runtime, "search", safe);
    expect([code, out]).toEqual([0, expect.stringMatching(/^Safes\nid .*\n.*0x[0-9a-fA-F]{40} +EURe/)]);
    expect(await askCli(service, "search", "nothing-of-ours")).toEqual({ text: "nothing-of-ours", groups: [] });
    expect((await runCliOn(service.runtime, "search", "nothing-of-ours")).out).toBe("Nothing was found.\n");
  });
});

test("finds nobody by a name, a phone number or an IBAN for a viewer, who would learn it from the hit", async () => {
  const ctx = operatorOf(service.runtime);
  const { db } = service.runtime;
  const [row] = await db
    .select({ iban: ibans.iban, id: ibans.id })
    .from(ibans)
    .where(eq(ibans.userId, ada.userId ?? ""));
  await db
    .update(users)
    .set({ phone: "+49301234567", lastName: "Byron" })
    .where(eq(users.id, ada.userId ?? ""));
  const [user] = await db
    .select({ email: users.email })
    .from(users)
    .where(eq(users.id, ada.userId ?? ""));
  const findFor = async (roles: typeof ctx.actor.roles, text: string) => {
    const { groups } = await search({ ...ctx, actor: { ...ctx.actor, roles } }, { text });
    return groups.flatMap(({ kind, hits }) => (kind === "users" || kind === "ibans" ? hits : []));
  };
  const [number = "", tail = ""] = [row?.iban ?? "", row?.iban?.slice(-6) ?? ""];
  for (const text of ["Byron", "+49301234567", "4567", number, tail]) {
    expect([text, await findFor(["support"], text)]).toEqual([text, expect.arrayContaining([expect.anything()])]);
    expect([text, await findFor(["viewer"], text)]).toEqual([text, []]);
  }
  expect(await findFor(["viewer"], user?.email ?? "")).toMatchObject([{ id: ada.userId, detail: null }]);
  expect(JSON.stringify(await findFor(["viewer"], row?.id ?? ""))).not.toContain(number);
});

test("shows a person's name to those who may act for the person, and to no viewer", async () => {
  const ctx = operatorOf(service.runtime);
  const detailFor = async (roles: typeof ctx.actor.roles) => {
    const { groups } = await search({ ...ctx, actor: { ...ctx.actor, roles } }, { text: ada.userId ?? "" });
    return groups.find(({ kind }) => kind === "users")?.hits.map(({ detail }) => detail);
  };
  expect([await detailFor(["support"]), await detailFor(["viewer"])]).toEqual([
    [expect.stringContaining("Ada Mary")],
    [null],
  ]);
});
