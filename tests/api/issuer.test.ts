import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSandbox } from "@cardkeep/sandbox/app";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import { noControls } from "@cardkeep/providers/issuer/controls";
import type { CardIssuer } from "@cardkeep/providers/issuer/port";
import { createStripeIssuer } from "@cardkeep/providers/issuer/stripe";
import { sql } from "drizzle-orm";
import Stripe from "stripe";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
/** The issuer's own package, against the sandbox. */
let stripe: Stripe;
let issuer: CardIssuer;
beforeAll(async () => {
  service = await startService({ worker: false });
  const { port } = new URL(service.sandboxUrl);
  const options = { host: "127.0.0.1", port: Number(port), protocol: "http", telemetry: false } as const;
  stripe = new Stripe(service.runtime.settings.issuer.apiKey, { ...options, maxNetworkRetries: 0 });
  ({ issuer } = service.runtime.services);
});
afterAll(() => service.stop());

const address = { line1: "Unter den Linden 1", city: "Berlin", postal_code: "10117", country: "DE" };
const person = {
  userId: "ada",
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@example.org",
  phone: "+4915112345678",
  birthDate: "1990-12-10",
  address: {
    line1: "Unter den Linden 1",
    line2: null,
    city: "Berlin",
    postalCode: "10117",
    state: null,
    country: "DE",
  },
};
const ada = {
  name: "Ada Lovelace",
  type: "individual",
  phone_number: "+4915112345678",
  individual: { first_name: "Ada", last_name: "Lovelace" },
  billing: { address },
} as const;
const newHolder = (change: object = {}) => stripe.issuing.cardholders.create({ ...ada, ...change });
const changeObject = (id: string, change: object) =>
  service.runtime.db.execute(
    sql`update sandbox.issuer_objects set data = data || ${JSON.stringify(change)}::jsonb where id = ${id}`,
  );
const faultOf = (answer: Promise<unknown>) =>
  answer.then(
    () => null,
    (error: unknown) => error,
  );

describe("the sandbox answers the issuer's own package as the issuer does", () => {
  test("objects, pages, expansions and test helpers", async () => {
    const holder = await newHolder();
    expect(holder).toMatchObject({ object: "issuing.cardholder", status: "active", billing: { address } });
    expect(await stripe.issuing.cardholders.retrieve(holder.id)).toMatchObject({ id: holder.id });
    const wish = { cardholder: holder.id, currency: "eur", type: "virtual" } as const;
    const ids: string[] = [];
    for (const reference of ["a", "b", "c"]) {
      ids.unshift((await stripe.issuing.cards.create({ ...wish, metadata: { reference } })).id);
    }
    const first = await stripe.issuing.cards.list({ cardholder: holder.id, limit: 2 });
    expect([first.has_more, first.data.map(({ id }) => id)]).toEqual([true, ids.slice(0, 2)]);
    const found: string[] = [];
    for await (const { id } of stripe.issuing.cards.list({ cardholder: holder.id, limit: 1 })) found.push(id);
    expect(found).toEqual(ids);
    const [id = ""] = ids;
    const plain = await stripe.issuing.cards.retrieve(id);
    expect(plain).toMatchObject({ status: "inactive", cardholder: { id: holder.id }, metadata: { reference: "c" } });
    expect(plain).not.toHaveProperty("number");
    const shown = await stripe.issuing.cards.retrieve(id, { expand: ["number", "cvc"] });
    expect(shown.number).toMatch(/^\d{16}$/);
    expect(shown.number).toEndWith(plain.last4);
    expect(shown.cvc).toMatch(/^\d{3}$/);
    const physical = await stripe.issuing.cards.create({
      ...wish,
      type: "physical",
      shipping: { name: "Ada Lovelace", address },
    });
    const shipped = await stripe.testHelpers.issuing.cards.shipCard(physical.id);
    expect(shipped.shipping).toMatchObject({ status: "shipped", address });
  });

  test("shows number and CVC of a virtual card alone, and a physical card without them", async () => {
    const { id: cardholder } = await newHolder();
    const { cards } = stripe.issuing;
    const shownOf = async (wish: {
      type: "physical" | "virtual";
      shipping?: { name: string; address: typeof address };
    }) => {
      const { id } = await cards.create({ cardholder, currency: "eur", ...wish });
      const shown = await cards.retrieve(id, { expand: ["number", "cvc"] });
      return [shown.last4, shown.number, shown.cvc].map((value) => typeof value);
    };
    expect(await shownOf({ type: "virtual" })).toEqual(["string", "string", "string"]);
    const shipping = { name: "Ada Lovelace", address };
    expect(await shownOf({ type: "physical", shipping })).toEqual(["string", "undefined", "undefined"]);
  });

  test("keeps a person's languages, a card's own expiry, and another amount of a dispute", async () => {
    const { cardholders, cards, disputes } = stripe.issuing;
    const holder = await newHolder({ preferred_locales: ["de", "en"] });
    expect(holder.preferred_locales).toEqual(["de", "en"]);
    expect((await cardholders.update(holder.id, { preferred_locales: ["es"] })).preferred_locales).toEqual(["es"]);
    const wish = { cardholder: holder.id, currency: "eur", type: "virtual" } as const;
    const year = new Date().getUTCFullYear() + 5;
    const card = await cards.create({ ...wish, exp_month: 2, exp_year: year });
    expect([card.exp_month, card.exp_year]).toEqual([2, year]);
    for (const expiry of [{ exp_month: 13, exp_year: year }, { exp_month: 2 }, { exp_month: 12, exp_year: 2020 }])
      expect(await faultOf(cards.create({ ...wish, ...expiry }))).toMatchObject({ statusCode: 400 });
    const purchase = await stripe.testHelpers.issuing.transactions.createForceCapture({
      card: card.id,
      amount: 500,
      currency: "eur",
    });
    const { id } = await disputes.create({
      transaction: purchase.id,
      evidence: { reason: "other", other: { explanation: "first" } },
    });
    expect((await disputes.update(id, { amount: 200 })).amount).toBe(200);
    expect((await disputes.update(id, { metadata: { a: "1" } })).amount).toBe(200);
    expect(await faultOf(disputes.update(id, { amount: 501 }))).toMatchObject({ statusCode: 400 });
    await disputes.submit(id);
    expect(await faultOf(disputes.update(id, { amount: 100 }))).toMatchObject({ statusCode: 400 });
  });

  test("creation times are numbers, every answer has a request id, and cardholders can be filtered", async () => {
    const wish = { name: "Grace Hopper", type: "individual", billing: { address } } as const;
    const individual = { first_name: "Grace", last_name: "Hopper", dob: { day: 9, month: 12, year: 1906 } };
    const grace = await stripe.issuing.cardholders.create({ ...wish, email: "grace@example.org", individual });
    expect(grace.individual?.dob).toEqual({ day: 9, month: 12, year: 1906 });
    expect(grace.lastResponse.requestId).toMatch(/^req_\w+$/);
    const other = await stripe.issuing.cardholders.create({ ...wish, email: "alan@example.org" });
    expect(other.lastResponse.requestId).not.toBe(grace.lastResponse.requestId);
    const { data } = await stripe.issuing.cardholders.list({ email: "grace@example.org" });
    expect(data.map(({ id }) => id)).toEqual([grace.id]);
    const [newest, next] = (await stripe.issuing.cardholders.list({ type: "individual", limit: 2 })).data;
    expect([newest?.id, next?.id]).toEqual([other.id, grace.id]);
    const fault = await faultOf(stripe.issuing.cardholders.retrieve("ich_none"));
    expect(fault).toMatchObject({ statusCode: 404, requestId: expect.stringMatching(/^req_/) });
  });

  test("transactions and disputes are listed by type, status and cardholder, and take metadata and evidence", async () => {
    const { id: cardholder } = await newHolder();
    const { id: card } = await stripe.issuing.cards.create({ cardholder, currency: "eur", type: "virtual" });
    const { transactions: make } = stripe.testHelpers.issuing;
    const purchase = await make.createForceCapture({ card, amount: 500, currency: "eur" });
    const refund = await make.createUnlinkedRefund({ card, amount: 200, currency: "eur" });
    expect(purchase.cardholder).toBe(cardholder);
    const { transactions, disputes } = stripe.issuing;
    const idsOf = async (list: Promise<{ data: { id: string }[] }>) => (await list).data.map(({ id }) => id);
    expect(await idsOf(transactions.list({ card, type: "capture" }))).toEqual([purchase.id]);
    expect(await idsOf(transactions.list({ cardholder }))).toEqual([refund.id, purchase.id]);
    expect((await transactions.update(purchase.id, { metadata: { a: "1", b: "2" } })).metadata).toEqual({
      a: "1",
      b: "2",
    });
    expect((await transactions.update(purchase.id, { metadata: { a: "" } })).metadata).toEqual({ b: "2" });
    const evidence = { reason: "other", other: { explanation: "first" } } as const;
    const { id } = await disputes.create({ transaction: purchase.id, evidence });
    const changed = await disputes.update(id, { evidence: { other: { explanation: "second" } } });
    expect(changed.evidence).toMatchObject({ reason: "other", other: { explanation: "second" } });
    await disputes.submit(id);
    const late = disputes.update(id, { evidence: { other: { explanation: "third" } } });
    expect(await faultOf(late)).toMatchObject({ statusCode: 400 });
    expect(await idsOf(disputes.list({ transaction: purchase.id, status: "submitted" }))).toEqual([id]);
    expect(await idsOf(disputes.list({ status: "won" }))).toEqual([]);
    expect(await idsOf(stripe.issuing.authorizations.list({ cardholder, status: "closed" }))).toEqual([]);
    expect(await idsOf(stripe.issuing.tokens.list({ card }))).toEqual([]);
    expect(await idsOf(stripe.issuing.personalizationDesigns.list())).toEqual([]);
  });

  test("a card is shipped forward only", async () => {
    const { id: cardholder } = await newHolder();
    const shipping = { name: "Ada Lovelace", address };
    const { cards: ships } = stripe.testHelpers.issuing;
    const card = await stripe.issuing.cards.create({ cardholder, currency: "eur", type: "physical", shipping });
    const refused = { statusCode: 400, type: "StripeInvalidRequestError" };
    for (const move of [ships.deliverCard, ships.returnCard])
      expect(await faultOf(move.call(ships, card.id))).toMatchObject(refused);
    expect((await ships.submitCard(card.id)).shipping?.status).toBe("submitted");
    expect((await ships.shipCard(card.id)).shipping?.status).toBe("shipped");
    for (const move of [ships.submitCard, ships.shipCard])
      expect(await faultOf(move.call(ships, card.id))).toMatchObject(refused);
    expect((await ships.deliverCard(card.id)).shipping?.status).toBe("delivered");
    expect((await ships.returnCard(card.id)).shipping?.status).toBe("returned");
  });

  test("an authorization is decided once, by a call while the answer is pending, and annotated later", async () => {
    const { id: cardholder } = await newHolder();
    const card = await stripe.issuing.cards.create({ cardholder, currency: "eur", type: "virtual", status: "active" });
    let decide: (id: string) => Promise<unknown> = async () => {};
    // A program that decides by the call and then answers the contrary: the first decision counts.
    const receiver = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const event = await request.json();
        if (event.type === "issuing_authorization.request") await decide(event.data.object.id);
        return Response.json({ approved: false }, { headers: { "Stripe-Version": Stripe.API_VERSION } });
      },
    });
    const settings = { ...service.runtime.settings, port: receiver.port ?? 0 };
    const sandbox = createSandbox({ ...service.runtime, settings });
    const use = async () => {
      const url = `http://localhost/issuer/cards/${card.id}/authorizations`;
      const answer = await sandbox.fetch(new Request(url, { method: "POST", body: JSON.stringify({ amount: 500 }) }));
      return answer.json();
    };
    const { authorizations } = stripe.issuing;
    decide = async (id) => {
      const pending = await authorizations.retrieve(id);
      expect([pending.approved, pending.pending_request?.amount]).toEqual([false, 500]);
      // An undecided authorization cannot be settled.
      expect(await issuer.findThread(id)).toBeNull();
      expect(await authorizations.approve(id, { metadata: { by: "call" } })).toMatchObject({ approved: true });
    };
    const approved = await use();
    expect(approved).toMatchObject({ approved: true });
    expect(await authorizations.retrieve(approved.threadId)).toMatchObject({
      approved: true,
      metadata: { by: "call" },
    });
    decide = (id) => authorizations.decline(id);
    expect(await use()).toMatchObject({ approved: false });
    expect(await faultOf(authorizations.decline(approved.threadId))).toMatchObject({ statusCode: 400 });
    const noted = await authorizations.update(approved.threadId, { metadata: { note: "dinner", by: "" } });
    expect(noted.metadata).toEqual({ note: "dinner" });
    expect(await issuer.findThread(approved.threadId)).toMatchObject({ authorization: { isApproved: true } });
    await receiver.stop(true);
  });

  test("spending controls decline a use before the service is asked, and count by the calendar of UTC", async () => {
    const { id: cardholder } = await newHolder();
    const { cards, cardholders, authorizations } = stripe.issuing;
    const card = await cards.create({ cardholder, currency: "eur", type: "virtual", status: "active" });
    // The calendar below is that of a year in which the card would have expired.
    await changeObject(card.id, { exp_year: 2040 });
    const asked: string[] = [];
    const created: string[] = [];
    const receiver = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const { type, data } = await request.json();
        if (type === "issuing_authorization.request") asked.push(data.object.id);
        if (type === "issuing_authorization.created") created.push(data.object.id);
        return Response.json({ approved: true }, { headers: { "Stripe-Version": Stripe.API_VERSION } });
      },
    });
    let now = new Date("2031-03-02T23:59:59.999Z");
    const settings = { ...service.runtime.settings, port: receiver.port ?? 0 };
    const clock = { ...service.runtime.clock, now: async () => now };
    const sandbox = createSandbox({ ...service.runtime, clock, settings });
    const use = async (amount: number, fields: object = {}) => {
      const url = `http://localhost/issuer/cards/${card.id}/authorizations`;
      const body = JSON.stringify({ amount, ...fields });
      const used = await (await sandbox.fetch(new Request(url, { method: "POST", body }))).json();
      expect(created.at(-1)).toBe(used.threadId);
      expect(asked.includes(used.threadId)).toBe(used.approved);
      return used.approved ? "approved" : used.reason;
    };
    const refused = "spending_controls";
    await cards.update(card.id, {
      spending_controls: { blocked_categories: ["betting_casino_gambling"], allowed_merchant_countries: ["DE", "AT"] },
    });
    expect(await use(100)).toBe("approved");
    expect(await use(100, { mcc: "7995" })).toBe(refused);
    expect(await use(100, { country: "FR" })).toBe(refused);
    const last = await authorizations.retrieve(created.at(-1) ?? "");
    expect(last.request_history.at(-1)).toMatchObject({ approved: false, reason: refused });
    expect(last.merchant_data.category).toBe("grocery_stores_supermarkets");
    expect(await use(100, { country: "AT", mcc: "0000" })).toBe("approved");
    await cardholders.update(cardholder, {
      spending_controls: { blocked_card_presences: ["not_present"], spending_limits_currency: "eur" },
    });
    expect(await use(100)).toBe(refused);
    const unset: Record<string, unknown> = { blocked_card_presences: "" };
    await cardholders.update(cardholder, { spending_controls: unset });
    // The second number is what the interval holds before the first use of its round. It is a Sunday.
    for (const [interval, spent, next] of [
      ["daily", 200, "2031-03-03T00:00:00.000Z"],
      ["weekly", 1_200, "2031-03-09T00:00:00.000Z"],
      ["monthly", 2_200, "2031-04-01T00:00:00.000Z"],
      ["yearly", 3_200, "2032-01-01T00:00:00.000Z"],
    ] as const) {
      const limit = { amount: spent + 500, interval };
      await cards.update(card.id, { spending_controls: { spending_limits: [limit] } });
      expect([interval, await use(501)]).toEqual([interval, refused]);
      expect([interval, await use(500)]).toEqual([interval, "approved"]);
      now = new Date(new Date(next).getTime() - 1);
      if (interval === "daily") expect(await use(1)).toBe(refused);
      now = new Date(next);
      expect([interval, await use(500)]).toEqual([interval, "approved"]);
    }
    await cards.update(card.id, {
      spending_controls: {
        spending_limits: [
          { amount: 1_000, interval: "per_authorization" },
          { amount: 1, interval: "all_time", categories: ["bakeries"] },
        ],
      },
    });
    expect(await use(1_001)).toBe(refused);
    expect(await use(1_000)).toBe("approved");
    expect(await use(2, { mcc: "5462" })).toBe(refused);
    await cards.update(card.id, { spending_controls: { spending_limits: [{ amount: 5_000, interval: "all_time" }] } });
    expect(await use(1_000)).toBe(refused);
    await receiver.stop(true);
  });

  test("spending controls are checked and replaced list by list", async () => {
    const { id: cardholder } = await newHolder();
    const { cards } = stripe.issuing;
    const wish = { cardholder, currency: "eur", type: "virtual" } as const;
    const limit = { amount: 100, interval: "daily" } as const;
    const card = await cards.create({
      ...wish,
      spending_controls: { blocked_categories: ["bakeries"], spending_limits: [limit] },
    });
    const { spending_controls: changed } = await cards.update(card.id, {
      spending_controls: { allowed_merchant_countries: ["DE"] },
    });
    expect(changed).toEqual({
      allowed_card_presences: null,
      allowed_categories: null,
      allowed_merchant_countries: ["DE"],
      blocked_card_presences: null,
      blocked_categories: ["bakeries"],
      blocked_merchant_countries: null,
      spending_limits: [{ ...limit, categories: [] }],
      spending_limits_currency: "eur",
    });
    const refusals: [Record<string, unknown>, string][] = [
      [{ allowed_categories: ["florists"] }, "spending_controls[allowed_categories]"],
      [{ blocked_merchant_countries: ["FR"] }, "spending_controls[allowed_merchant_countries]"],
      [{ blocked_categories: ["gambling"] }, "spending_controls[blocked_categories][0]"],
      [{ allowed_merchant_countries: ["Germany"] }, "spending_controls[allowed_merchant_countries][0]"],
      [{ blocked_card_presences: ["absent"] }, "spending_controls[blocked_card_presences][0]"],
      [{ spending_limits: [{ ...limit, interval: "hourly" }] }, "spending_controls[spending_limits][0][interval]"],
      [{ spending_limits: [{ ...limit, amount: 0 }] }, "spending_controls[spending_limits][0][amount]"],
    ];
    for (const [controls, param] of refusals) {
      const fault = await faultOf(cards.update(card.id, { spending_controls: controls }));
      expect(fault).toMatchObject({ statusCode: 400, param });
    }
  });

  test("numbers differ and pass the Luhn check", async () => {
    const { id: cardholder } = await newHolder();
    const cards = await Promise.all(
      Array.from({ length: 20 }, () => stripe.issuing.cards.create({ cardholder, currency: "eur", type: "virtual" })),
    );
    const numbers = await Promise.all(
      cards.map(async ({ id }) => (await stripe.issuing.cards.retrieve(id, { expand: ["number"] })).number ?? ""),
    );
    expect(new Set(numbers).size).toBe(20);
    const sum = (number: string) =>
      [...number].toReversed().reduce((total, digit, index) => {
        const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
        return total + (value > 9 ? value - 9 : value);
      }, 0);
    expect(numbers.filter((number) => sum(number) % 10 !== 0)).toEqual([]);
  });

  test("a key is executed once; other parameters under it are an error", async () => {
    const { id: cardholder } = await newHolder();
    const wish = { cardholder, currency: "eur", type: "virtual" } as const;
    const options = { idempotencyKey: "one card" };
    const made = await Promise.all(Array.from({ length: 5 }, () => stripe.issuing.cards.create(wish, options)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    const other = await faultOf(stripe.issuing.cards.create({ ...wish, currency: "gbp" }, options));
    expect(other).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
  });

  test("an event that the service refuses comes again, and the call that caused it succeeds", async () => {
    const seen: string[] = [];
    const receiver = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const { id, type } = await request.json();
        seen.push(`${type} ${id}`);
        return new Response(null, { status: seen.length < 3 ? 400 : 200 });
      },
    });
    const settings = { ...service.runtime.settings, port: receiver.port ?? 0 };
    const sandbox = createSandbox({ ...service.runtime, settings });
    const answer = await sandbox.fetch(
      new Request("http://localhost/v1/issuing/cardholders", {
        method: "POST",
        headers: { Authorization: `Bearer ${settings.issuer.apiKey}` },
        body: new URLSearchParams({
          name: "Ada Lovelace",
          type: "individual",
          ...Object.fromEntries(Object.entries(address).map(([key, value]) => [`billing[address][${key}]`, value])),
        }),
      }),
    );
    expect(answer.status).toBe(200);
    await until(() => Promise.resolve(seen.length === 3));
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toStartWith("issuing_cardholder.created evt_");
    await receiver.stop(true);
  });

  test("an expired card and the state of its cardholder decline a use before the service is asked", async () => {
    const { id: cardholder } = await newHolder();
    const card = await stripe.issuing.cards.create({ cardholder, currency: "eur", type: "virtual", status: "active" });
    const used = async () =>
      (await new Person(service).sandbox("POST", `/issuer/cards/${card.id}/authorizations`, { amount: 100 })).body;
    const now = new Date();
    const whole = { exp_month: now.getUTCMonth() + 1, exp_year: now.getUTCFullYear() };
    // A card lasts to the end of its month; the service knows nothing of this one.
    await changeObject(card.id, whole);
    expect((await used()).code).toBe("card_unknown");
    await changeObject(card.id, { exp_year: whole.exp_year - 1 });
    expect((await used()).reason).toBe("card_expired");
    await changeObject(card.id, { exp_year: whole.exp_year + 1 });
    const well = { status: "active", requirements: { disabled_reason: null, past_due: [] } };
    for (const [change, reason] of [
      [{ status: "inactive" }, "cardholder_inactive"],
      [{ status: "blocked" }, "cardholder_blocked"],
      [
        { requirements: { disabled_reason: "requirements.past_due", past_due: [] } },
        "cardholder_verification_required",
      ],
    ] as const) {
      await changeObject(cardholder, { ...well, ...change });
      expect((await used()).reason).toBe(reason);
    }
    await changeObject(cardholder, well);
    expect((await used()).code).toBe("card_unknown");
  });

  test("a person without a phone number gets no card in EUR, and one without a name no active card", async () => {
    const { cards } = stripe.issuing;
    const make = async (change: object, status: "active" | "inactive", currency = "eur") =>
      cards.create({ cardholder: (await newHolder(change)).id, currency, type: "virtual", status });
    const [unreachable, nameless] = [{ phone_number: undefined }, { individual: undefined }];
    const refused = { statusCode: 400, param: "cardholder" };
    expect(await faultOf(make(unreachable, "inactive"))).toMatchObject(refused);
    expect(await faultOf(make(nameless, "active"))).toMatchObject(refused);
    expect(await make(unreachable, "active", "gbp")).toMatchObject({ status: "active" });
    expect(await make(nameless, "inactive")).toMatchObject({ status: "inactive" });
    const dob = { day: 1, month: 1, year: new Date().getUTCFullYear() - 12 };
    const child = newHolder({ individual: { ...ada.individual, dob } });
    expect(await faultOf(child)).toMatchObject({ statusCode: 400, param: "individual[dob]" });
  });

  test("a person under review keeps the name, one who is blocked the status, and loses all cards", async () => {
    const { cards, cardholders } = stripe.issuing;
    const { id: cardholder } = await newHolder();
    const wish = { cardholder, currency: "eur", type: "virtual", status: "active" } as const;
    const [first, second] = [await cards.create(wish), await cards.create(wish)];
    const review = (step: string) =>
      new Person(service).sandbox("PUT", `/issuer/cards/${first.id}/cardholder`, { review: step });
    for (const [step, disabled_reason] of [
      ["under_review", "under_review"],
      ["past_due", "requirements.past_due"],
    ] as const) {
      expect((await review(step)).status).toBe(200);
      expect((await cardholders.retrieve(cardholder)).requirements).toMatchObject({ disabled_reason });
      const named = cardholders.update(cardholder, { individual: ada.individual });
      expect(await faultOf(named)).toMatchObject({ statusCode: 400, param: "individual" });
      expect(await cardholders.update(cardholder, { email: "ada@example.org" })).toMatchObject({ status: "active" });
    }
    await cardholders.update(cardholder, { status: "inactive" });
    expect((await review("cleared")).status).toBe(200);
    const individual = { ...ada.individual, last_name: "King" };
    expect(await cardholders.update(cardholder, { individual })).toMatchObject({ status: "inactive", individual });
    expect((await review("blocked")).status).toBe(200);
    const back = cardholders.update(cardholder, { status: "active" });
    expect(await faultOf(back)).toMatchObject({ statusCode: 400, param: "status" });
    const statuses = await Promise.all([first, second].map(async ({ id }) => (await cards.retrieve(id)).status));
    expect(statuses).toEqual(["canceled", "canceled"]);
  });

  test("errors have the issuer's form", async () => {
    const { id: cardholder } = await newHolder();
    const { cards, cardholders } = stripe.issuing;
    const card = await cards.create({ cardholder, currency: "eur", type: "virtual", status: "active" });
    await cards.update(card.id, { status: "canceled", cancellation_reason: "lost" });
    const pin = { encrypted_number: "1234" };
    const wish = { cardholder, currency: "eur", type: "virtual" } as const;
    for (const name of ["Ευάγγελος", "Иван", "Zoe\u0308", "D’Arcy", "R2D2"]) {
      const wrong = stripe.issuing.cardholders.create({ name, type: "individual", billing: { address } });
      expect(await faultOf(wrong)).toMatchObject({ statusCode: 400, param: "name" });
    }
    const robot = { ...ada, name: "R2D2" };
    const refusals: [() => Promise<unknown>, object][] = [
      [() => cards.retrieve("ic_none"), { statusCode: 404, code: "resource_missing" }],
      [() => cards.create({ ...wish, cardholder: "ich_none" }), { statusCode: 400, param: "cardholder" }],
      [() => cards.create({ ...wish, currency: "jpy" }), { statusCode: 400, param: "currency" }],
      [() => cards.create({ ...wish, type: "physical" }), { statusCode: 400, param: "shipping" }],
      [() => cards.create({ ...wish, pin }), { statusCode: 400, param: "pin[encrypted_number]" }],
      [() => cards.update(card.id, { status: "active" }), { statusCode: 400, param: "status" }],
      [() => cardholders.create(robot), { statusCode: 400, param: "name" }],
    ];
    for (const [ask, fault] of refusals) {
      expect(await faultOf(ask())).toMatchObject({ ...fault, type: "StripeInvalidRequestError" });
    }
    const options = { host: "127.0.0.1", port: new URL(service.sandboxUrl).port, protocol: "http" } as const;
    const stranger = new Stripe("sk_test_other", { ...options, maxNetworkRetries: 0, telemetry: false });
    expect(await faultOf(stranger.issuing.cards.list())).toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
  });
});

describe("each object of the issuer's package", () => {
  test("is listed by page in both directions, by creation time, and refuses parameters that do not exist", async () => {
    const email = "pages@example.org";
    const ids: string[] = [];
    for (let made = 0; made < 4; made++) {
      const wish = { name: "Ada Lovelace", type: "individual", billing: { address }, email } as const;
      ids.unshift((await stripe.issuing.cardholders.create(wish)).id);
    }
    const [newest = "", second = "", third = "", oldest = ""] = ids;
    const pageOf = async (params: object) => {
      const { data, has_more } = await stripe.issuing.cardholders.list({ email, ...params });
      return [data.map(({ id }) => id), has_more];
    };
    expect(await pageOf({ ending_before: oldest, limit: 2 })).toEqual([[second, third], true]);
    expect(await pageOf({ ending_before: third, limit: 2 })).toEqual([[newest, second], false]);
    expect(await pageOf({ starting_after: second, limit: 2 })).toEqual([[third, oldest], false]);
    const { created } = await stripe.issuing.cardholders.retrieve(newest);
    expect((await pageOf({ created: { gte: created - 60, lte: created } }))[0]).toEqual(ids);
    expect((await pageOf({ created: { gt: created } }))[0]).toEqual([]);
    expect((await pageOf({ created: { lt: created - 3_600 } }))[0]).toEqual([]);
    expect((await pageOf({ created }))[0]).toContain(newest);
    expect(await faultOf(pageOf({ starting_after: second, ending_before: third }))).toMatchObject({ statusCode: 400 });
    expect(await faultOf(pageOf({ colour: "red" }))).toMatchObject({
      statusCode: 400,
      code: "parameter_unknown",
      param: "colour",
      type: "StripeInvalidRequestError",
    });
  });

  test("leaves an event for thirty days, which is listed by type and time; the adapter reads all pages, oldest first", async () => {
    const holder = await newHolder();
    const card = await stripe.issuing.cards.create({ cardholder: holder.id, currency: "eur", type: "virtual" });
    const updates = 101;
    for (let made = 1; made <= updates; made++)
      await stripe.issuing.cards.update(card.id, { metadata: { made: String(made) } });
    await stripe.issuing.cardholders.update(holder.id, { metadata: { made: "1" } });
    const [newest] = (await stripe.events.list({ types: ["issuing_card.updated"], limit: 1 })).data;
    expect(newest?.data.object).toMatchObject({ id: card.id, metadata: { made: String(updates) } });
    const before = { created: { lt: card.created - 60 } };
    expect((await stripe.events.list(before)).data.map(({ type }) => type)).not.toContain("issuing_card.updated");
    await changeObject(newest?.id ?? "", { created: card.created - 31 * 86_400 });
    const listed = await issuer.listCallbacks(new Date(0));
    expect(listed.map(({ id }) => id)).not.toContain(newest?.id);
    expect(listed.at(-1)).toMatchObject({ type: "issuing_cardholder.updated", objectId: holder.id });
    const types = listed.filter(({ objectId }) => objectId === card.id).map(({ type }) => type);
    expect(types).toEqual([
      "issuing_card.created",
      ...Array.from({ length: updates - 1 }, () => "issuing_card.updated"),
    ]);
  });

  test("keeps metadata by the issuer's rules, and answers with the version that was asked for", async () => {
    const holder = await newHolder();
    const { cardholders } = stripe.issuing;
    await cardholders.update(holder.id, { metadata: { kept: "1", gone: "2" } });
    expect((await cardholders.update(holder.id, { metadata: { gone: "", more: "3" } })).metadata).toEqual({
      kept: "1",
      more: "3",
    });
    for (const [key, value] of [
      ["with[brackets]", "1"],
      ["k".repeat(41), "1"],
      ["long", "v".repeat(501)],
    ] as const)
      expect(await faultOf(cardholders.update(holder.id, { metadata: { [key]: value } }))).toMatchObject({
        statusCode: 400,
      });
    const { lastResponse } = await cardholders.retrieve(holder.id);
    expect(lastResponse.apiVersion).toBe(Stripe.API_VERSION);
    const wrong = cardholders.retrieve(holder.id, {}, { apiVersion: "yesterday" });
    expect(await faultOf(wrong)).toMatchObject({ statusCode: 400 });
  });

  test("is expanded where it is named: a transaction's card and cardholder, alone and in a list", async () => {
    const holder = await newHolder();
    const { id: card } = await stripe.issuing.cards.create({ cardholder: holder.id, currency: "eur", type: "virtual" });
    const { id } = await stripe.testHelpers.issuing.transactions.createForceCapture({
      card,
      amount: 5,
      currency: "eur",
    });
    const { transactions } = stripe.issuing;
    expect(await transactions.retrieve(id)).toMatchObject({ card, cardholder: holder.id, authorization: null });
    const expanded = await transactions.retrieve(id, { expand: ["card.cardholder", "cardholder", "authorization"] });
    expect(expanded).toMatchObject({ card: { id: card, cardholder: { id: holder.id } }, authorization: null });
    const { data } = await transactions.list({ card, expand: ["data.cardholder"] });
    expect(data).toMatchObject([{ id, cardholder: { id: holder.id, object: "issuing.cardholder" } }]);
    expect(await faultOf(transactions.retrieve(id, { expand: ["nothing"] }))).toMatchObject({ statusCode: 400 });
  });

  test("follows its life: a replaced card, a design with its bundle, a token", async () => {
    const holder = await newHolder();
    const wish = { cardholder: holder.id, currency: "eur", type: "virtual", status: "active" } as const;
    const { id: former } = await stripe.issuing.cards.create(wish);
    expect(await faultOf(stripe.issuing.cards.create({ ...wish, replacement_for: former }))).toMatchObject({
      param: "replacement_reason",
    });
    const next = await stripe.issuing.cards.create({ ...wish, replacement_for: former, replacement_reason: "lost" });
    expect(next).toMatchObject({ replacement_for: former, replacement_reason: "lost" });
    expect((await stripe.issuing.cards.retrieve(former)).replaced_by).toBe(next.id);
    const { data: bundles } = await stripe.issuing.physicalBundles.list();
    const { personalizationDesigns: designs } = stripe.issuing;
    const design = await designs.create({ physical_bundle: bundles[0]?.id ?? "", name: "Blue" });
    expect(design.status).toBe("review");
    const shipping = { name: "Ada Lovelace", address };
    const physical = { ...wish, type: "physical", shipping, personalization_design: design.id } as const;
    expect(await faultOf(stripe.issuing.cards.create(physical))).toMatchObject({ param: "personalization_design" });
    await stripe.testHelpers.issuing.personalizationDesigns.activate(design.id);
    expect((await designs.list({ status: "active" })).data.map(({ id }) => id)).toEqual([design.id]);
    expect((await stripe.issuing.cards.create(physical)).personalization_design).toBe(design.id);
    const answer = await fetch(`${service.sandboxUrl}/issuer/cards/${next.id}/wallet-tokens`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ wallet: "google_pay" }),
    });
    const { walletTokenId } = await answer.json();
    const { tokens } = stripe.issuing;
    const token = await tokens.retrieve(walletTokenId, { expand: ["card"] });
    expect(token).toMatchObject({ status: "active", wallet_provider: "google_pay", card: { id: next.id } });
    expect((await tokens.update(walletTokenId, { status: "suspended" })).status).toBe("suspended");
    expect((await tokens.list({ card: next.id, status: "suspended" })).data.map(({ id }) => id)).toEqual([
      walletTokenId,
    ]);
    await stripe.issuing.cards.update(next.id, { status: "canceled" });
    expect((await tokens.retrieve(walletTokenId)).status).toBe("deleted");
    expect(await faultOf(tokens.update(walletTokenId, { status: "active" }))).toMatchObject({ statusCode: 400 });
  });
});

describe("the adapter", () => {
  test("creates a cardholder once, updates it, and creates one card per reference", async () => {
    const id = await issuer.saveCardholder(person, null);
    expect(await issuer.saveCardholder(person, null)).toBe(id);
    expect(await issuer.saveCardholder({ ...person, phone: "+4915187654321" }, id)).toBe(id);
    expect(await stripe.issuing.cardholders.retrieve(id)).toMatchObject({
      name: "Ada Lovelace",
      phone_number: "+4915187654321",
      metadata: { user_id: "ada" },
    });
    // A person without a mail address keeps the one that the issuer has, and is found without one.
    expect(await issuer.saveCardholder({ ...person, email: null }, id)).toBe(id);
    expect((await stripe.issuing.cardholders.retrieve(id)).email).toBe(person.email);
    const unmailed = { ...person, userId: "unmailed", email: null, phone: "+4915100000077" };
    expect(await issuer.saveCardholder(unmailed, null)).toBe(await issuer.saveCardholder(unmailed, null));
    const request = {
      reference: "issue-1",
      orderId: "order-1",
      cardholderId: id,
      currency: "EUR" as const,
      secondLine: "ada.eth",
      shipping: { name: "Ada Lovelace", phone: person.phone, address: person.address },
      sealedPin: await issuer.sealPin("0042"),
      controls: noControls,
    };
    expect(await issuer.findCard(request)).toBeNull();
    const [one, two] = await Promise.all([issuer.createCard(request), issuer.createCard(request)]);
    expect(one).toEqual(two);
    expect(one).toMatchObject({ reference: "issue-1", status: "inactive", shippingStatus: "ordered" });
    expect(await issuer.findCard(request)).toEqual(one);
    const { number, pin } = await (await fetch(`${service.sandboxUrl}/issuer/cards/${one.cardToken}`)).json();
    expect(pin).toBe("0042");
    expect(one.lastFourDigits).toBe(number.slice(-4));
    await issuer.setCardStatus(one.cardToken, "active", null);
    await issuer.setCardStatus(one.cardToken, "canceled", "stolen");
    // A cancelled card keeps its first reason.
    await issuer.setCardStatus(one.cardToken, "canceled", "lost");
    expect(await stripe.issuing.cards.retrieve(one.cardToken)).toMatchObject({
      status: "canceled",
      cancellation_reason: "stolen",
      second_line: "ada.eth",
      metadata: { reference: "issue-1", order_id: "order-1" },
      spending_controls: { spending_limits: [{ amount: 800_000, interval: "daily" }] },
    });
  });

  test("knows a virtual card by its whole number, and a physical one by the last digits, which is all the issuer shows", async () => {
    const cardholderId = await issuer.saveCardholder(person, null);
    const ofNone = { orderId: null, secondLine: null, sealedPin: null, controls: noControls };
    const base = { cardholderId, currency: "EUR" as const, ...ofNone };
    const shipping = { name: "Ada Lovelace", phone: person.phone, address: person.address };
    const known = async (reference: string, shipped: typeof shipping | null) => {
      const { cardToken } = await issuer.createCard({ ...base, reference, shipping: shipped });
      const { number } = await (await fetch(`${service.sandboxUrl}/issuer/cards/${cardToken}`)).json();
      const otherEnd = number.slice(0, -4) + (number.endsWith("0002") ? "0010" : "0002");
      const otherStart = `5${number.slice(1)}`;
      return Promise.all([number, otherStart, otherEnd].map((each) => issuer.hasNumber(cardToken, each)));
    };
    expect(await known("number-1", null)).toEqual([true, false, false]);
    expect(await known("number-2", shipping)).toEqual([true, true, false]);
  });

  test("replaces a card's controls, with whole categories and within the account's daily limit", async () => {
    const id = await issuer.saveCardholder(person, null);
    const { cardToken } = await issuer.createCard({
      reference: "issue-2",
      orderId: null,
      cardholderId: id,
      currency: "EUR",
      secondLine: null,
      shipping: null,
      sealedPin: null,
      controls: { ...noControls, blockedMccs: ["7995"], limits: [{ window: "day", cents: 5_000n }] },
    });
    const controlsOf = async () => (await stripe.issuing.cards.retrieve(cardToken)).spending_controls;
    expect(await controlsOf()).toMatchObject({
      blocked_categories: ["betting_casino_gambling"],
      spending_limits: [{ amount: 5_000, interval: "daily" }],
    });
    await issuer.setSpendingControls(cardToken, {
      isClosed: false,
      // A category that has other codes too is left to our own decision.
      blockedMccs: ["3000-3100", "5462", "5812-5814"],
      countries: { list: "allowed", codes: ["AT", "DE"] },
      blockedPresences: ["not_present"],
      limits: [
        { window: "payment", cents: 0n },
        { window: "week", cents: 700n },
        { window: "month", cents: 1_000_000_000n },
      ],
    });
    expect(await controlsOf()).toMatchObject({
      blocked_categories: ["bakeries", "drinking_places", "eating_places_restaurants", "fast_food_restaurants"],
      allowed_merchant_countries: ["AT", "DE"],
      blocked_card_presences: ["not_present"],
      spending_limits: [
        { amount: 800_000, interval: "daily" },
        { amount: 1, interval: "per_authorization" },
        { amount: 1_400, interval: "weekly" },
      ],
    });
    await issuer.setSpendingControls(cardToken, { ...noControls, blockedMccs: ["0000-5410", "5412-9999"] });
    expect(await controlsOf()).toMatchObject({
      allowed_categories: ["grocery_stores_supermarkets"],
      blocked_categories: null,
      allowed_merchant_countries: null,
      blocked_card_presences: null,
      spending_limits: [{ amount: 800_000, interval: "daily" }],
    });
    await issuer.setSpendingControls(cardToken, { ...noControls, isClosed: true });
    expect(await controlsOf()).toMatchObject({ blocked_card_presences: ["present", "not_present"] });
  });

  test("asked too often for one thing, is asked for others", async () => {
    const fault = new Person(service);
    const match = "GET /v1/issuing/authorizations";
    await fault.sandbox("PUT", "/faults/issuer.error", { status: 429, match });
    for (let asked = 0; asked < 6; asked++)
      expect(await faultOf(issuer.findThread("iauth_1"))).toBeInstanceOf(ProviderUnavailable);
    expect(await issuer.findWalletToken("intok_1")).toBeNull();
    await fault.sandbox("DELETE", "/faults");
    expect(await issuer.findThread("iauth_1")).toBeNull();
  });

  test("with a key that may not read events, does all other calls", async () => {
    const fault = new Person(service);
    await fault.sandbox("PUT", "/faults/issuer.error", { status: 403, match: "GET /v1/events" });
    for (let asked = 0; asked < 6; asked++)
      expect(await faultOf(issuer.listCallbacks(new Date(0)))).toBeInstanceOf(ProviderRefused);
    expect(await issuer.findWalletToken("intok_1")).toBeNull();
    await fault.sandbox("DELETE", "/faults");
    expect(await issuer.listCallbacks(new Date(0))).toBeArray();
  });

  test("distinguishes a refusal from an issuer that is away, in our own words", async () => {
    const refused = await faultOf(issuer.saveCardholder({ ...person, firstName: "R2D2" }, null));
    expect(refused).toBeInstanceOf(ProviderRefused);
    expect(String(refused)).not.toContain("R2D2");
    const settings = { ...service.runtime.settings.issuer, timeoutMs: 500 };
    const wrongKey = createStripeIssuer({ ...settings, apiKey: "sk_test_other" });
    expect(await faultOf(wrongKey.saveCardholder(person, null))).toBeInstanceOf(ProviderUnavailable);
    const nowhere = createStripeIssuer({ ...settings, url: "http://127.0.0.1:1" });
    expect(await faultOf(nowhere.saveCardholder(person, null))).toBeInstanceOf(ProviderUnavailable);
    expect(await faultOf(createStripeIssuer({ ...settings, pinKey: null }).sealPin("1234"))).toBeInstanceOf(
      ProviderRefused,
    );
  });

  test("accepts callbacks signed with any of our secrets, fresh ones only", async () => {
    const both = createStripeIssuer({
      ...service.runtime.settings.issuer,
      callbackSecrets: ["whsec_one", "whsec_two"],
      timeoutMs: 500,
    });
    const object = {
      id: "ic_1",
      object: "issuing.card",
      status: "canceled",
      cancellation_reason: "lost",
      metadata: {},
      exp_month: 12,
      exp_year: 2029,
      last4: "4242",
    };
    const rawBody = JSON.stringify({
      id: "evt_1",
      object: "event",
      created: 1_767_225_600,
      livemode: false,
      type: "issuing_card.updated",
      data: { object },
    });
    const sign = (secret: string, timestamp?: number) =>
      stripe.webhooks.generateTestHeaderStringAsync({ payload: rawBody, secret, ...(timestamp && { timestamp }) });
    for (const secret of ["whsec_one", "whsec_two"]) {
      expect(await both.parseCallback({ rawBody, signature: await sign(secret) })).toEqual({
        id: "evt_1",
        type: "issuing_card.updated",
        createdAt: new Date(1_767_225_600_000),
        testMode: true,
        objectId: "ic_1",
        kind: "card",
        cardToken: "ic_1",
        status: "canceled",
        cancelledAs: "lost",
        shippingStatus: null,
        fraudWarning: null,
        reference: null,
      });
    }
    const seconds = Math.floor(Date.now() / 1000);
    const untimely = [seconds - 301, seconds + 310, 9_999_999_999];
    const wrong = await Promise.all(untimely.map((timestamp) => sign("whsec_one", timestamp)));
    for (const signature of [null, "", "t=1,v1=00", await sign("whsec_three"), ...wrong]) {
      expect(await both.parseCallback({ rawBody, signature })).toBe("forged");
    }
    expect(await both.parseCallback({ rawBody: `${rawBody} `, signature: await sign("whsec_one") })).toBe("forged");
  });
});

describe("the operator's balance", () => {
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the sandbox said
  const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: any }> => {
    const init = body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const answer = await fetch(`${service.sandboxUrl}${path}`, { method, ...init });
    return { status: answer.status, body: await answer.json() };
  };
  const balance = async (currency = "GBP") => (await call("GET", `/issuer/balance?currency=${currency}`)).body;
  const setTo = (amount: number) => call("PUT", "/issuer/balance", { amount, currency: "GBP" });
  let card: string;
  beforeAll(async () => {
    const holder = await newHolder();
    const issued = { cardholder: holder.id, currency: "gbp", type: "virtual", status: "active" } as const;
    ({ id: card } = await stripe.issuing.cards.create(issued));
    // The service knows none of these cards, so the issuer decides alone.
    await call("PUT", "/issuer/stand-in", { decision: "approve" });
    await call("PUT", "/faults/callbacks.lose", { match: "issuing_authorization.request" });
  });
  afterAll(() => Promise.all([call("PUT", "/issuer/stand-in", {}), call("DELETE", "/faults/callbacks.lose")]));
  const use = async (amount: number) =>
    (await call("POST", `/issuer/cards/${card}/authorizations`, { amount, currency: "GBP" })).body;
  const movesOf = async (source: string) =>
    (await balance()).transactions
      .filter((one: { source: string }) => one.source === source)
      .map(({ type, amount }: { type: string; amount: number }) => [type, amount])
      .reverse();

  test("is held by an approval, taken by captures, and comes back by a reversal and a refund", async () => {
    await setTo(10_000);
    const { threadId, approved } = await use(4_000);
    expect(approved).toBe(true);
    expect((await balance()).amount).toBe(6_000);
    await call("POST", `/issuer/authorizations/${threadId}/clear`, { amount: 1_500, close: false });
    expect((await balance()).amount).toBe(6_000);
    await call("POST", `/issuer/authorizations/${threadId}/reverse`, { amount: 500 });
    expect((await balance()).amount).toBe(6_500);
    // More than was left: the hold ends, and the capture takes what it says.
    const { body } = await call("POST", `/issuer/authorizations/${threadId}/clear`, { amount: 2_500 });
    expect((await balance()).amount).toBe(6_000);
    await call("POST", `/issuer/authorizations/${threadId}/refund`, { amount: 1_000 });
    expect((await balance()).amount).toBe(7_000);
    expect(await movesOf(threadId)).toEqual([
      ["issuing_authorization_hold", -4_000],
      ["issuing_authorization_release", 1_500],
      ["issuing_authorization_release", 500],
      ["issuing_authorization_release", 2_000],
    ]);
    expect(await movesOf(body.transactionId)).toEqual([["issuing_transaction", -2_500]]);
    for (const end of ["close", "expire"]) {
      const other = await use(700);
      expect((await balance()).amount).toBe(6_300);
      await call("POST", `/issuer/authorizations/${other.threadId}/${end}`, {});
      expect((await balance()).amount).toBe(7_000);
    }
  });

  test("holds nothing of an increment that is answered once its authorization was cleared: that stays closed", async () => {
    await setTo(10_000);
    const { threadId } = await use(1_000);
    // An increment whose answer is on its way.
    const pending_request = { amount: 200, currency: "gbp", merchant_amount: 200, merchant_currency: "gbp" };
    await changeObject(threadId, { pending_request: { ...pending_request, is_amount_controllable: false } });
    await call("POST", `/issuer/authorizations/${threadId}/clear`, {});
    const late = await faultOf(stripe.issuing.authorizations.approve(threadId));
    expect(late).toMatchObject({ statusCode: 400, message: "The authorization is not pending: it cannot be approved" });
    const { status, amount, pending_request: waiting } = await stripe.issuing.authorizations.retrieve(threadId);
    expect([status, amount, waiting]).toEqual(["closed", 1_000, null]);
    expect((await balance()).amount).toBe(9_000);
    const further = await call("POST", `/issuer/authorizations/${threadId}/increment`, { amount: 1 });
    expect([further.status, further.body]).toMatchObject([422, { error: "The authorization is closed" }]);
  });

  test("declines a use above it before the service is asked, and an increment too", async () => {
    await setTo(1_000);
    const { threadId, approved } = await use(1_000);
    expect([approved, (await balance()).amount]).toEqual([true, 0]);
    expect(await use(1)).toMatchObject({ approved: false, reason: "insufficient_funds" });
    const more = (await call("POST", `/issuer/authorizations/${threadId}/increment`, { amount: 1 })).body;
    expect(more).toMatchObject({ approved: false, amount: 1_000 });
    expect((await balance()).amount).toBe(0);
  });

  test("is the sum of its movements, also of many at once", async () => {
    await setTo(100_000);
    const before = (await balance()).transactions[0].id;
    const threads: string[] = (await Promise.all([1, 2, 3, 4, 5, 6].map((n) => use(n * 1_000)))).map(
      ({ threadId }) => threadId,
    );
    await Promise.all(
      threads.map((id, index) =>
        call("POST", `/issuer/authorizations/${id}/${["clear", "reverse", "expire"][index % 3]}`, {}),
      ),
    );
    const { amount, transactions } = await balance();
    const since = transactions.slice(
      0,
      transactions.findIndex(({ id }: { id: string }) => id === before),
    );
    const sum = since.reduce((total: number, one: { amount: number }) => total + one.amount, 0);
    expect([sum, amount]).toEqual([-5_000, 95_000]);
  });

  test("is read in the issuer's own form, by its package and by the adapter", async () => {
    await setTo(4_200);
    const { issuing } = await stripe.balance.retrieve();
    expect(issuing?.available).toContainEqual({ amount: 4_200, currency: "gbp" });
    expect(await issuer.readBalances()).toContainEqual({ currency: "GBP", amountCents: 4_200 });
    const [newest] = (await stripe.balanceTransactions.list({ currency: "gbp", limit: 1 })).data;
    expect(newest).toMatchObject({ object: "balance_transaction", type: "topup", fee: 0 });
    expect(await stripe.balanceTransactions.retrieve(newest?.id ?? "")).toEqual(newest as never);
    expect(await faultOf(stripe.balanceTransactions.retrieve("txn_none"))).toMatchObject({ statusCode: 404 });
  });

  test("is a finding of doctor: a warning when it is low, a fault when it is empty", async () => {
    const find = async () =>
      (await diagnose(service.runtime.services)).find(({ check }) => check === "balance at the issuer");
    await setTo(0);
    expect(await find()).toMatchObject({ severity: "fault", text: expect.stringContaining("before it asks") });
    await setTo(999_999);
    expect(await find()).toMatchObject({ severity: "warning", text: expect.stringContaining("9999.99 GBP") });
    await setTo(1_000_000);
    expect(await find()).toMatchObject({ severity: "ok" });
  });

  test.each([{ amount: -1 }, { amount: 1.5 }, { amount: "many" }, { amount: 1, currency: "EURO" }, {}])(
    "refuses %j, and nothing changes",
    async (body) => {
      const { amount } = await balance();
      expect((await call("PUT", "/issuer/balance", body)).status).toBe(422);
      expect((await balance()).amount).toBe(amount);
    },
  );
});
