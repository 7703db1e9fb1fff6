import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listActions } from "@cardkeep/domain/core/operators/listActions";
import { historyKinds } from "@cardkeep/domain/operations/people/historySources";
import { listUserHistory } from "@cardkeep/domain/operations/people/listUserHistory";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { cardPayments, safes, users } from "@cardkeep/db/schema/tables";
import { eq, sql } from "drizzle-orm";
import { askCli, runCliOn } from "../support/cli.ts";
import { findPaymentId, openTestCase } from "../support/cases.ts";
import { readyOrder } from "../support/cards.ts";
import { signInWithKey } from "../support/operatorPages.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder, follow, untilSettled, use } from "../support/spending.ts";
import { registerPartner, subscribe } from "../support/webhooks.ts";

const hostile = `<img src=x onerror="alert(1)">`;
const turned = "\u202eShop\u0007";

let service: Service;
let cookie: string;
let holder: CardHolder;
let userId: string;
let cardId: string;
let orderId: string;
let declinedThread: string;
/** The payments that were cleared and declined. A busy machine declines more of them. */
let cleared: string;
let declined: string;
beforeAll(async () => {
  // A busy machine may decide about a card late.
  service = await startService();
  cookie = await signInWithKey(service.url);
  holder = await becomeCardHolder(service);
  userId = holder.person.userId ?? "";
  await registerPartner(holder.person, "shop");
  await subscribe(holder.person, "shop");
  const { threadId } = await use(holder, 2_550, { merchant: hostile });
  await follow(holder, threadId, "clear");
  await follow(holder, threadId, "refund", { amount: 50 });
  ({ threadId: declinedThread } = await use(holder, 99_999, { merchant: turned }));
  // The issuer repeats a callback that a busy service did not take in time.
  await until(async () => {
    const isOne = eq(cardPayments.threadId, threadId);
    const [payment] = await service.runtime.db.select().from(cardPayments).where(isOne);
    return payment?.capturedCents === 2_550n && payment.refundedCents === 50n;
  });
  await untilSettled(service);
  [cleared, declined] = [await findPaymentId(service, threadId), await findPaymentId(service, declinedThread)];
  orderId = await readyOrder(holder.person);
  cardId = (await holder.person.call("GET", "/cards")).body[0].id;
});
afterAll(() => service.stop());

const show = (path: string): Promise<Response> =>
  fetch(`${service.url}/operator${path}`, { headers: { Cookie: cookie }, redirect: "manual" });
const read = async (path: string): Promise<string> => (await show(path)).text();
const send = (path: string, form: Record<string, string>) =>
  fetch(`${service.url}/operator${path}`, {
    method: "POST",
    headers: { Cookie: cookie, Origin: service.url },
    body: new URLSearchParams(form),
    redirect: "manual",
  });
/** The text of a page, without its tags. */
const readText = async (path: string): Promise<string> =>
  (await read(path))
    .replaceAll(/<(style|script)>.*?<\/\1>/gs, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");
const listIds = (page: string, room: string): string[] =>
  [...page.matchAll(new RegExp(`href="/operator/${room}/([^"/?]+)"`, "g"))].map(([, id = ""]) => id);

test("a card's page says what its cardholder declines, and what the issuer has of it", async () => {
  expect(await readText(`/cards/${cardId}`)).toContain("The cardholder has set no rules.");
  const {
    version: _,
    changedAt: __,
    ...controls
  } = (await holder.person.call("GET", `/cards/${cardId}/controls`)).body;
  const path = `/cards/${cardId}/controls`;
  const set = await holder.person.call("PUT", path, {
    ...controls,
    blockedCategories: ["7995"],
    requireKnownMerchant: true,
  });
  expect(set.status).toBe(200);
  const page = await readText(`/cards/${cardId}`);
  expect(page).toContain("Declines payments in the merchant categories 7995.");
  expect(page).toContain("Declines payments at a merchant that no card of the user has paid before.");
  const csv = await (await show(`/cards/${cardId}?format=csv&table=controls`)).text();
  expect(csv.trim().split("\n")).toHaveLength(2);
  await holder.person.call("PUT", path, controls);
});

describe("a payment", () => {
  test("is shown from its authorization to its settlement, with hashes, and bookings that sum to zero", async () => {
    const page = await readText(`/payments/${cleared}`);
    for (const word of ["authorized", "held", "signed", "mined", "settled", "captured", "refunded"])
      expect(page).toContain(` ${word} `);
    expect(page).toMatch(/25\.50 EUR/);
    const { rows, sums } = readBookings(await (await show(`/payments/${cleared}?format=csv&table=bookings`)).text());
    expect(rows.length).toBeGreaterThan(2);
    for (const amounts of rows) expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(0, 9);
    expect(sums).toEqual([-25, 0, 25, 0, 0, 0]);
    const [row] = await service.runtime.db.execute<{ hash: string }>(
      sql`select hash from card_transfers where payment_id = ${cleared} and ordinal = 0`,
    );
    expect(page).toContain(row?.hash ?? "no hash");
  });

  test("that was declined says why in words, with the code and what to do", async () => {
    expect(await readText(`/payments/${declinedThread}`)).toContain(declined);
    const page = await readText(`/payments/${declined}`);
    expect(page).toContain("Declined: insufficient_funds");
    expect(page).toContain("The cardholder reads: There is not enough money in your account.");
  });

  test("is found by status, card, user, merchant and decline, and never by another's", async () => {
    const find = async (query: string) => {
      const ids = listIds(await read(`/payments?${query}`), "payments");
      return [...(ids.includes(cleared) ? ["cleared"] : []), ...(ids.includes(declined) ? ["declined"] : [])];
    };
    const stranger = crypto.randomUUID();
    const shown = await Promise.all(
      [
        "",
        "status=CLEARED",
        `card=${cardId}`,
        `card=${holder.cardToken}&user=${holder.safe}`,
        "merchant=%3CIMG",
        "reason=insufficient_funds",
        "reason=account_owes",
        "merchant=nowhere",
        `user=${stranger}`,
        `card=${stranger}`,
        "user=%00&after=%00",
        "merchant=%25",
      ].map(find),
    );
    const both = ["cleared", "declined"];
    const [none, one, other] = [[], ["cleared"], ["declined"]];
    expect(shown).toEqual([both, one, both, both, one, other, none, none, none, none, none, none]);
  });
});

/** The rows of the ledger's CSV as numbers, and its last row. */
function readBookings(csv: string): { rows: number[][]; sums: number[] } {
  const [, ...records] = csv.trim().split("\r\n");
  const rows = records.map((record) => record.split(",").slice(2).map(Number));
  return { rows, sums: rows.at(-1) ?? [] };
}

describe("other people's texts", () => {
  test("are shown as texts: escaped, without characters that a browser or a spreadsheet obeys", async () => {
    for (const path of ["/payments", `/users/${userId}`, `/users/${userId}/history`, `/cards/${cardId}`]) {
      const page = await read(path);
      expect([path, page.includes(hostile), ["\u202e", "\u0007"].some((control) => page.includes(control))]).toEqual([
        path,
        false,
        false,
      ]);
      expect([path, page.includes("&lt;img src=x")]).toEqual([path, true]);
    }
    const csv = await (await show("/payments?format=csv")).text();
    expect(csv).toContain(`"<img src=x onerror=""alert(1)"">"`);
    expect(csv).toContain(",Shop,");
  });
});

describe("a user", () => {
  test("begins with the person, the money, the cards, the last payments and the acts, before what happened", async () => {
    const page = await readText(`/users/${userId}`);
    const { firstName, lastName, phone, email } = (await holder.person.call("GET", "/user")).body;
    const order = [
      `Name ${firstName} ${lastName}`,
      `Phone ${phone}`,
      `E-mail ${email}`,
      "KYC approved",
      "Balance 75.00 EURe",
    ];
    expect(page.indexOf(`Name ${firstName}`)).toBeLessThan(page.indexOf(`Id ${userId}`));
    const parts = ["Cards Card Kind", "Last payments Payment", "What may be done Deactivate", "What happened last At"];
    const places = [...order, ...parts].map((words) => page.indexOf(words));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(page.slice(page.indexOf("What happened last At"))).not.toContain("card.transaction.confirmed to shop");
    const words = "It would be refused now, because something is under way:";
    expect(page).toContain(words);
    expect(page.slice(page.indexOf(words))).toContain("a card that has not ended");
  });

  test("is shown with the way in, the money, the cards and everything that happened", async () => {
    const page = await readText(`/users/${userId}`);
    for (const words of ["Identity done", "Safe done", "Card done", "Terms done", "4 of 4 documents accepted"])
      expect(page).toContain(words);
    expect(page).not.toContain("Next on the way to card payments");
    expect(page).toContain("Balance 75.00 EURe");
    expect(page).toContain("Daily limit 350.00 EURe");
    expect(page).toContain("Balance at the end of each day");
    expect(page).toMatch(/In 30 days cards spent [\d.]+ EURe and got [\d.]+ EURe back\./);
    expect(page).toContain(holder.safe);
  });

  test("is shown without the balances of a Safe before, which may be of another token", async () => {
    const { db } = service.runtime;
    const ofSafe = eq(safes.userId, userId);
    const [safe] = await db.select({ createdAt: safes.createdAt }).from(safes).where(ofSafe);
    await db
      .update(safes)
      .set({ createdAt: sql`now() + interval '1 minute'` })
      .where(ofSafe);
    expect(await readText(`/users/${userId}`)).not.toContain("Balance at the end of each day");
    await db.update(safes).set({ createdAt: safe?.createdAt }).where(ofSafe);
  });

  test("is in the action log by id, also where an operator takes a table of a page by the mail address", async () => {
    const { email } = (await holder.person.call("GET", "/user")).body;
    const newest = () => listActions(service.runtime, { verb: "lists.export", limit: 1 });
    for (const [place, table] of [
      ["", "cards"],
      ["/history", "history"],
    ]) {
      for (const name of [email, holder.safe]) {
        const csv = await show(`/users/${encodeURIComponent(name)}${place}?format=csv&table=${table}`);
        expect([csv.status, csv.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/csv")]);
        await csv.text();
        expect((await newest())[0]?.after).toEqual({ page: `/operator/users/${userId}${place}` });
      }
    }
    const csv = await show(`/cards/${holder.cardToken}?format=csv&table=controls`);
    await csv.text();
    expect((await newest())[0]?.after).toEqual({ page: `/operator/cards/${cardId}` });
    const [actions] = await service.runtime.db.execute<{ all: string }>(
      sql`select coalesce(string_agg(a::text, ' '), '') as all from operator_actions a`,
    );
    expect(actions?.all).toContain("lists.export");
    for (const text of [email, encodeURIComponent(email)]) expect(actions?.all).not.toContain(text);
  });

  test("without anything has a page that says what comes next", async () => {
    const newcomer = await (await new Person(service).signIn()).signUp();
    const page = await readText(`/users/${newcomer.userId}`);
    expect(page).toContain("Identity waits for the person No application yet");
    expect(page).toContain("Next on the way to card payments: Identity");
    expect(page).toContain("Safe not yet It needs an approved identity.");
    expect(page).toContain("There is no Safe in service.");
    expect((await send(`/users/${newcomer.userId}/erase`, { reason: "wish" })).status).toBe(303);
    const erased = await readText(`/users/${newcomer.userId}`);
    expect(erased).toContain("users.erase by");
    expect(erased).not.toContain("What may be done");
  });

  test("has a whole page while the chain is away", async () => {
    const settings = readSettings({ ...service.env, RPC_URL: "http://127.0.0.1:1" });
    const runtime = await createRuntime(settings, "server");
    const request = new Request(`${service.url}/operator/users/${userId}`, { headers: { Cookie: cookie } });
    const answer = await createServer(runtime).handle(request);
    const page = await answer.text();
    await runtime.close();
    expect(answer.status).toBe(200);
    expect(page).toContain("The balance is unknown, because the chain could not be read");
    expect(page).toContain("What happened last");
  });

  test("has one history of all sources, newest first, each entry once over all pages", async () => {
    const [user] = await service.runtime.db.select().from(users).where(eq(users.id, userId));
    if (!user) throw new Error("The user is gone");
    const readAll = (limit: number, after: { at: Date; key: string } | null = null) =>
      listUserHistory(service.runtime, user, { kind: null, after, limit });
    const all = await readAll(1_000);
    const paged: typeof all = [];
    for (let page = await readAll(3); page.length > 0; page = await readAll(3, page.at(-1) ?? null))
      paged.push(...page);
    expect(paged).toEqual(all);
    expect(new Set(all.map(({ kind }) => kind))).toEqual(
      new Set(historyKinds.filter((kind) => kind !== "operation" && kind !== "iban" && kind !== "action")),
    );
    expect(all.map(({ at }) => at.getTime())).toEqual(all.map(({ at }) => at.getTime()).toSorted((a, b) => b - a));
    expect(await readText(`/users/${userId}/history?kind=payment`)).toContain("is below the amount");
  });
});

describe("what may be done", () => {
  test("to a user needs a reason, changes the user, and is in the user's history", async () => {
    expect((await send(`/users/${userId}/deactivate`, {})).status).toBe(422);
    expect(await readText(`/users/${userId}`)).toContain("Deactivate this user");
    const done = await send(`/users/${userId}/deactivate`, { reason: "a stolen phone" });
    expect([done.status, done.headers.get("location")]).toEqual([303, `/operator/users/${userId}?done=done`]);
    expect(["user_deactivated", "cardholder_inactive"]).toContain((await use(holder, 100)).reason);
    expect(await readText(`/users/${userId}/history?kind=action`)).toMatch(
      /users\.deactivate by [^:]+: a stolen phone/,
    );
    await send(`/users/${userId}/activate`, { reason: "found again" });
    expect(await readText(`/users/${userId}`)).toContain("Deactivate this user");
    expect((await send(`/users/${userId}/risk`, { reason: "answers", risk: "blue" })).status).toBe(422);
    expect((await send(`/users/${userId}/risk`, { reason: "answers", risk: "orange" })).status).toBe(303);
    expect(await readText(`/users/${userId}`)).toContain("Risk orange.");
    const exported = await send(`/users/${userId}/export`, { reason: "the user asked" });
    expect(exported.headers.get("content-disposition")).toBe(`attachment; filename="cardkeep-user-${userId}.json"`);
    expect(await exported.json()).toMatchObject({ userId, tables: expect.any(Array) });
    expect(await readText(`/users/${userId}/history?kind=action`)).toMatch(/users\.export by [^:]+: the user asked/);
    expect((await send(`/users/${userId}/erase`, { reason: "wish" })).status).toBe(409);
  });

  test("to a user's access ends every token, and the wallet signs in again for the same user", async () => {
    expect((await send(`/users/${userId}/end-access`, { reason: "a lost phone" })).status).toBe(303);
    expect((await holder.person.call("GET", "/user")).status).toBe(401);
    await holder.person.signIn();
    expect((await holder.person.call("GET", "/user")).body.id).toBe(userId);
  });

  test("to an order and a card is offered only where it is possible", async () => {
    expect(await readText(`/orders/${orderId}`)).toContain("Cancel this order");
    expect((await send(`/orders/${orderId}/cancel`, { reason: "wish" })).status).toBe(303);
    const after = await readText(`/orders/${orderId}`);
    expect(after).toContain("Ended stopped");
    expect(after).not.toContain("Cancel this order");
    expect(await readText(`/cards/${cardId}`)).not.toContain("Restore this card");
    expect((await send(`/cards/${cardId}/restore`, { reason: "wish" })).status).toBe(404);
  });
});

test("a case is opened once, grows, is closed with a reason, and opens again when it grows further", async () => {
  const about = { userId, paymentId: cleared };
  const id = (await openTestCase(service, about)) ?? "";
  expect(await openTestCase(service, about)).toBeNull();
  expect(await openTestCase(service, { ...about, amountCents: 50n })).toBeNull();
  expect(await openTestCase(service, { ...about, amountCents: 250n })).toBe(id);
  expect(listIds(await read(`/cases?status=OPEN&kind=over_capture&payment=${cleared}`), "cases")).toEqual([id]);
  expect(listIds(await read(`/cases?user=${userId}&status=CLOSED`), "cases")).toEqual([]);
  expect(await readText(`/cases/${id}`)).toContain("2.50 EUR");
  expect(await readText("")).toMatch(/Open cases 1 /);
  expect((await runCliOn(service.runtime, "doctor")).out).toContain("1 over_capture; the oldest for");
  expect(
    (await fetch(`${service.url}/metrics`).then((answer) => answer.text())).match(/card_cases_open.*over.* (\d)/)?.[1],
  ).toBe("1");
  expect((await send(`/cases/${id}/close`, {})).status).toBe(422);
  expect((await send(`/cases/${id}/close`, { reason: "the merchant paid" })).status).toBe(303);
  expect((await send(`/cases/${id}/close`, { reason: "again" })).status).toBe(409);
  const shown = await runCliOn(service.runtime, "cases", "show", id);
  expect(shown.out).toMatch(/How it was settled +the merchant paid/);
  expect(await openTestCase(service, { ...about, amountCents: 300n })).toBe(id);
  expect(await askCli<{ id: string }[]>(service, "cases", "list", "--status", "OPEN")).toMatchObject([{ id }]);
  expect((await runCliOn(service.runtime, "cases", "close", id, "--reason", "settled")).code).toBe(0);
  expect((await runCliOn(service.runtime, "cases", "show", "none")).code).not.toBe(0);
});

test("the terminal lists and shows payments and orders with the same words", async () => {
  const listed = await askCli<{ id: string; status: string }[]>(service, "payments", "list", "--merchant", "<img");
  expect(listed.map(({ status }) => status)).toContain("CLEARED");
  const shown = await runCliOn(service.runtime, "payments", "show", declinedThread);
  expect(shown.out).toContain("insufficient_funds: The Safe's balance, less what is held");
  expect(["\u202e", "\u0007"].filter((control) => shown.out.includes(control))).toEqual([]);
  expect((await runCliOn(service.runtime, "payments", "show", cleared)).out).toContain("settlement  25.00 EURe");
  const order = await runCliOn(service.runtime, "orders", "show", orderId);
  expect(order.out).toMatch(/Status +CANCELLED/);
  expect(order.out).toContain("Ended  failed  The order was cancelled.");
  expect((await runCliOn(service.runtime, "payments", "show", "none")).code).not.toBe(0);
});
