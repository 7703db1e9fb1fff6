import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { users } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import Stripe from "stripe";
import { becomeEligible, readyOrder } from "../support/cards.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, use } from "../support/spending.ts";

let service: Service;
let stripe: Stripe;
beforeAll(async () => {
  service = await startService();
  const { hostname, port } = new URL(service.sandboxUrl);
  const { apiKey } = service.runtime.settings.issuer;
  stripe = new Stripe(apiKey, { protocol: "http", host: hostname, port, maxNetworkRetries: 0, telemetry: false });
});
afterAll(() => service.stop());

const address = { line1: "Unter den Linden 1", city: "Berlin", postal_code: "10117", country: "DE" };
const ada = { name: "Ada Lovelace", type: "individual", billing: { address } } as const;
const fault = (name: string, options: object) => new Person(service).sandbox("PUT", `/faults/${name}`, options);

describe("the sandbox's issuer", () => {
  const outcomeOf = (key: string, change: object = {}) =>
    stripe.issuing.cardholders.create({ ...ada, ...change }, { idempotencyKey: key }).then(
      () => "created",
      ({ statusCode, headers }: Stripe.errors.StripeError) => [statusCode, headers?.["idempotent-replayed"] ?? null],
    );

  test("repeats a failure of its own under its key, and does the work under another", async () => {
    await fault("issuer.error", { count: 1, match: "POST /v1/issuing/cardholders" });
    expect(await outcomeOf("failed")).toEqual([500, null]);
    expect(await outcomeOf("failed")).toEqual([500, "true"]);
    expect(await outcomeOf("other")).toBe("created");
  });

  test("keeps neither a request that it did not take on nor one with wrong parameters", async () => {
    await fault("issuer.error", { count: 1, status: 429, match: "POST /v1/issuing/cardholders" });
    expect(await outcomeOf("busy")).toEqual([429, null]);
    expect(await outcomeOf("busy")).toBe("created");
    expect(await outcomeOf("wrong", { name: "R2D2" })).toEqual([400, null]);
    expect(await outcomeOf("wrong")).toBe("created");
  });

  test("keeps a refusal that it found in its own records", async () => {
    const wish = { cardholder: "ich_none", currency: "eur", type: "virtual" } as const;
    const refused = () =>
      stripe.issuing.cards
        .create(wish, { idempotencyKey: "unknown holder" })
        .catch(({ headers }: Stripe.errors.StripeError) => headers?.["idempotent-replayed"] ?? null);
    expect([await refused(), await refused()]).toEqual([null, "true"]);
  });
});

describe("a stored failure of the issuer", () => {
  const cardsOf = async (person: Person) => {
    const { body } = await person.call("GET", "/user");
    const { data } = await stripe.issuing.cardholders.list({ email: body.email });
    const cards = await Promise.all(data.map(({ id }) => stripe.issuing.cards.list({ cardholder: id })));
    return { holders: data.length, cards: cards.flatMap((page) => page.data).length };
  };
  const issued = (person: Person) =>
    until(async () => {
      await person.sandbox("POST", "/chain/advance", { seconds: 10 });
      return (await person.call("GET", "/cards")).body.length === 1;
    });

  test.each(["POST /v1/issuing/cardholders", "POST /v1/issuing/cards"])(
    "at %s costs the person no card: one is made under a later key",
    async (match) => {
      const person = await becomeEligible(new Person(service));
      await fault("issuer.error", { count: 3, match });
      await person.call("POST", "/cards/virtual");
      await issued(person);
      expect(await cardsOf(person)).toEqual({ holders: 1, cards: 1 });
    },
    60_000,
  );

  test("and a phone that changes between two tries make one card", async () => {
    const person = await becomeEligible(new Person(service));
    const orderId = await readyOrder(person);
    await fault("issuer.error", { count: 1, match: "POST /v1/issuing/cards" });
    const asked = person.call("POST", `/order/${orderId}/create-card`, {});
    await until(async () => (await person.sandbox("GET", "/faults")).body.length === 0);
    await service.runtime.db
      .update(users)
      .set({ phone: "+4915199999999" })
      .where(eq(users.id, person.userId ?? ""));
    await issued(person);
    await asked;
    expect(await cardsOf(person)).toEqual({ holders: 1, cards: 1 });
  }, 60_000);

  test("opens the breaker for nobody else's freeze", async () => {
    const holder = await becomeCardHolder(service);
    const { body: cards } = await holder.person.call("GET", "/cards");
    const person = await becomeEligible(new Person(service));
    await fault("issuer.error", { count: 1, match: "POST /v1/issuing/cards" });
    await person.call("POST", "/cards/virtual");
    await issued(person);
    expect((await holder.person.call("POST", `/cards/${cards[0].id}/freeze`)).status).toBe(200);
    expect(await use(holder, 100)).toMatchObject({ approved: false });
  }, 60_000);
});
