import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { coupons, events, orders } from "@cardkeep/db/schema/tables";
import { cancelAsOperator } from "@cardkeep/domain/cards/orders/cancelOrder";
import { eq } from "drizzle-orm";
import { operatorOf } from "../support/operator.ts";
import { order, statusOf } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false, env: { ENS_RPC_URL: "" } });
});
afterAll(() => service.stop());

const newPerson = (applicant: Record<string, string> = {}) => new Person(service).becomeApproved(applicant);
const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
const rowsOf = (person: Person) =>
  service.runtime.db
    .select()
    .from(orders)
    .where(eq(orders.userId, person.userId ?? ""));

const kyc = { personalizationSource: "KYC" };
const berlin = { address1: "Unter den Linden 1", address2: null, city: "Berlin", postalCode: "10117", country: "DE" };
const hash = (digit: string) => `0x${digit.repeat(64)}`;

const texts = {
  pending: { status: 400, body: "Error: There is already a pending card order" },
  kyc: { status: 400, body: "Error: User is not approved through KYC" },
  source: { status: 400, body: "Error: Unknown personalization source" },
  country: { status: 400, body: "Error: Shipping needs to be done to the user's country" },
  notFound: { status: 404, body: { message: "Card order not found." } },
  wrongStatus: { status: 400, body: { message: "Card Order is not in the correct status" } },
  noTransaction: { status: 400, body: { message: "No transaction hash found for this order." } },
  unauthorized: { status: 401, body: { message: "Unauthorized" } },
};

describe("POST /order/create", () => {
  test("returns the whole order, with the verified address and name", async () => {
    const person = await newPerson({ firstName: "Ada", lastName: "Lovelace" });
    const { body: user } = await person.call("GET", "/user");
    const { status, body } = await person.call("POST", "/order/create", kyc);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(String),
      userId: person.userId,
      status: "PENDINGTRANSACTION",
      personalizationSource: "KYC",
      embossedName: "Ada Lovelace",
      address1: user.address1,
      address2: user.address2,
      city: user.city,
      postalCode: user.postalCode,
      state: user.state,
      country: "DE",
      totalAmountEUR: 30.23,
      totalDiscountEUR: 0,
      currency: "EUR",
      totalAmount: 30.23,
      totalDiscount: 0,
      virtual: false,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  test("accepts a shipping address in the user's country, in any letter case, and ignores unknown fields", async () => {
    const person = await newPerson();
    const { body } = await person.call("POST", "/order/create", {
      ...kyc,
      shippingAddress: { ...berlin, address2: "c/o Babbage", country: "de", planet: "Earth" },
      virtual: true,
      totalAmountEUR: 0,
      status: "READY",
    });
    expect(body).toMatchObject({
      address1: "Unter den Linden 1",
      address2: "c/o Babbage",
      city: "Berlin",
      postalCode: "10117",
      country: "DE",
      virtual: true,
      totalAmountEUR: 30.23,
      status: "PENDINGTRANSACTION",
    });
  });

  test("refuses with the four texts as bare JSON strings, each before the next", async () => {
    const visitor = await (await new Person(service).signIn()).signUp();
    const abroad = { ...berlin, country: "FR" };
    expect(shortOf(await visitor.call("POST", "/order/create", { personalizationSource: "NFT" }))).toEqual(
      texts.source,
    );
    expect(shortOf(await visitor.call("POST", "/order/create", { ...kyc, shippingAddress: abroad }))).toEqual(
      texts.kyc,
    );
    const person = await newPerson();
    expect(shortOf(await person.call("POST", "/order/create", { ...kyc, shippingAddress: abroad }))).toEqual(
      texts.country,
    );
    await order(person);
    expect(shortOf(await person.call("POST", "/order/create", { ...kyc, shippingAddress: abroad }))).toEqual(
      texts.pending,
    );
    expect(shortOf(await person.call("POST", "/order/create", kyc))).toEqual(texts.pending);
    expect(shortOf(await person.call("POST", "/order/create", { personalizationSource: "kyc" }))).toEqual(texts.source);
    expect(await rowsOf(person)).toHaveLength(1);
  });

  test("names the invalid field in a bare string, before all other errors", async () => {
    const person = await (await new Person(service).signIn()).signUp();
    const ship = (fields: object) => ({ ...kyc, shippingAddress: { ...berlin, ...fields } });
    const cases: [unknown, string][] = [
      [{}, texts.source.body],
      [{ personalizationSource: null }, texts.source.body],
      [{ personalizationSource: "NFT", virtual: "yes" }, texts.source.body],
      [{ ...kyc, virtual: "yes" }, "virtual is invalid"],
      [{ personalizationSource: "ENS" }, texts.source.body],
      [{ personalizationSource: "ENS", ENSName: null }, texts.source.body],
      [{ personalizationSource: "ENS", ENSName: "" }, texts.source.body],
      [{ personalizationSource: "ENS", ENSName: "a".repeat(25) }, "ENSName is invalid"],
      [ship({ address1: undefined }), "shippingAddress.address1 is missing"],
      [ship({ address1: "" }), "shippingAddress.address1 is invalid"],
      [ship({ address1: "a".repeat(51) }), "shippingAddress.address1 is invalid"],
      [ship({ address1: "a\u0000b" }), "shippingAddress.address1 is invalid"],
      [ship({ address2: "a".repeat(51) }), "shippingAddress.address2 is invalid"],
      [ship({ city: 5 }), "shippingAddress.city is invalid"],
      [ship({ postalCode: null }), "shippingAddress.postalCode is invalid"],
      [ship({ country: "DEU" }), "shippingAddress.country is invalid"],
      [{ ...kyc, shippingAddress: "Berlin" }, "shippingAddress is invalid"],
      ["KYC", "Invalid request body"],
      [[], "Invalid request body"],
    ];
    for (const [body, message] of cases) {
      const sent = typeof body === "string" ? JSON.stringify(body) : body;
      expect(shortOf(await person.call("POST", "/order/create", sent))).toEqual({ status: 400, body: message });
    }
    expect(shortOf(await person.call("POST", "/order/create", "{"))).toEqual({ status: 400, body: "Invalid JSON" });
    expect(shortOf(await person.call("POST", "/order/create", ship({ address1: "a".repeat(50) })))).toEqual(texts.kyc);
  });

  test("by the verified name ignores an ENS name", async () => {
    const person = await newPerson();
    const answer = await person.call("POST", "/order/create", { ...kyc, ENSName: 5 });
    expect(answer).toMatchObject({ status: 200, body: { personalizationSource: "KYC" } });
  });

  test("refuses an ENS name without a node of ENS, after all other errors", async () => {
    const person = await newPerson();
    const body = { personalizationSource: "ENS", ENSName: "ada.eth" };
    const elsewhere = { ...body, shippingAddress: { ...berlin, country: "FR" } };
    expect(shortOf(await person.call("POST", "/order/create", elsewhere))).toEqual(texts.country);
    expect(shortOf(await person.call("POST", "/order/create", body))).toEqual({
      status: 422,
      body: { message: "ENSName cannot be used here: no ENS node is configured" },
    });
    expect(await rowsOf(person)).toHaveLength(0);
  });

  test("fifty in parallel make one order; the others get an error", async () => {
    const person = await newPerson();
    const answers = await Promise.all(Array.from({ length: 50 }, () => person.call("POST", "/order/create", kyc)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 200).map(shortOf)).toEqual(
      Array.from({ length: 49 }, () => texts.pending),
    );
    expect(await rowsOf(person)).toHaveLength(1);
  });

  test("the same Idempotency-Key makes one order, repeated and in parallel", async () => {
    const person = await newPerson();
    const send = () => person.call("POST", "/order/create", kyc, { "Idempotency-Key": "card-1" });
    const first = await send();
    const again = await Promise.all([send(), send(), send()]);
    for (const answer of again) expect(shortOf(answer)).toEqual(shortOf(first));
    const other = await person.call(
      "POST",
      "/order/create",
      { ...kyc, virtual: true },
      { "Idempotency-Key": "card-1" },
    );
    expect(other.status).toBe(422);
    expect(await rowsOf(person)).toHaveLength(1);
  });

  test("another order may follow one that was cancelled, and none while one is ready", async () => {
    const person = await newPerson();
    const first = await order(person);
    await person.call("POST", `/order/${first}/cancel`);
    const second = await order(person);
    await person.call("POST", `/order/${second}/attach-coupon`, { couponCode: "FREECARD" });
    await person.call("PUT", `/order/${second}/confirm-payment`);
    expect(shortOf(await person.call("POST", "/order/create", kyc))).toEqual(texts.pending);
    expect((await person.call("GET", "/order/")).body.map(({ id }: { id: string }) => id)).toEqual([second, first]);
  });
});

describe("reading orders", () => {
  test("the list is the same with the slash and without it, newest first", async () => {
    const person = await newPerson();
    expect(shortOf(await person.call("GET", "/order/"))).toEqual({ status: 200, body: [] });
    const id = await order(person);
    const withSlash = await person.call("GET", "/order/");
    const without = await person.call("GET", "/order");
    expect(withSlash.body).toMatchObject([{ id, status: "PENDINGTRANSACTION", totalAmountEUR: 30.23, virtual: false }]);
    expect(shortOf(without)).toEqual(shortOf(withSlash));
  });

  test("the list since an instant has what changed at it or later, and an instant that is none is refused", async () => {
    const person = await newPerson();
    const { body: first } = await person.call("POST", "/order/create", kyc);
    await person.call("POST", `/order/${first.id}/cancel`);
    const { body: second } = await person.call("POST", "/order/create", kyc);
    const [row] = (await rowsOf(person)).filter(({ id }) => id === second.id);
    const idsSince = async (at: string) =>
      (await person.call("GET", `/order/?updatedSince=${at}`)).body.map(({ id }: { id: string }) => id);
    const since = row?.updatedAt.toISOString() ?? "";
    expect(await idsSince(since)).toEqual([second.id]);
    // A change of an older order comes after all that changed before.
    const [older] = await service.ownerDb
      .update(orders)
      .set({ updatedAt: new Date(Date.parse(since) + 1) })
      .where(eq(orders.id, first.id))
      .returning();
    expect(await idsSince(older?.updatedAt.toISOString() ?? "")).toEqual([first.id]);
    expect(await person.trpc().orders.list.query({ updatedSince: since })).toHaveLength(2);
    expect(await person.trpc().orders.list.query()).toHaveLength(2);
    expect((await person.call("GET", "/order/?updatedSince=yesterday")).status).toBe(422);
  });

  test("one order has its discount in both spellings", async () => {
    const person = await newPerson();
    const id = await order(person);
    await person.call("POST", `/order/${id}/attach-coupon`, { couponCode: "FREECARD" });
    const [listed] = (await person.call("GET", "/order/")).body;
    expect((await person.call("GET", `/order/${id}`)).body).toEqual({ ...listed, totalDiscountEur: 30.23 });
  });
});

describe("another user's order", () => {
  const paths: [string, string, unknown][] = [
    ["GET", "", undefined],
    ["POST", "/attach-coupon", { couponCode: "FREECARD" }],
    ["PUT", "/attach-transaction", { transactionHash: hash("a") }],
    ["PUT", "/confirm-payment", undefined],
    ["POST", "/cancel", undefined],
  ];

  test.each(paths)(
    "answers %s %s byte for byte like an unknown one, and nothing changes",
    async (method, path, body) => {
      const [ada, bob] = await Promise.all([newPerson(), newPerson()]);
      const id = await order(ada);
      const before = await rowsOf(ada);
      const unknown = ["0199e5f0-0000-7000-8000-000000000000", "x", "%00", "a".repeat(300), "'; drop table orders; --"];
      for (const other of [id, ...unknown]) {
        expect(shortOf(await bob.call(method, `/order/${other}${path}`, body))).toEqual(texts.notFound);
      }
      expect(await rowsOf(ada)).toEqual(before);
    },
  );

  test.each(paths)("needs a token: %s %s", async (method, path, body) => {
    const id = await order(await newPerson());
    expect(shortOf(await new Person(service).call(method, `/order/${id}${path}`, body))).toEqual(texts.unauthorized);
  });
});

describe("confirm-payment", () => {
  test("makes a free order ready once, also for twenty parallel requests, without an event", async () => {
    const person = await newPerson();
    const id = await order(person);
    await person.call("POST", `/order/${id}/attach-coupon`, { couponCode: "FREECARD" });
    const confirm = () => person.call("PUT", `/order/${id}/confirm-payment`);
    const answers = await Promise.all(Array.from({ length: 20 }, confirm));
    expect(answers.filter(({ status }) => status === 200).map(({ body }) => body)).toEqual([{ ok: true }]);
    expect(answers.filter(({ status }) => status !== 200).map(shortOf)).toEqual(
      Array.from({ length: 19 }, () => texts.wrongStatus),
    );
    expect(await statusOf(person, id)).toBe("READY");
    const reported = await service.runtime.db
      .select()
      .from(events)
      .where(eq(events.userId, person.userId ?? ""));
    expect(reported.filter(({ eventType }) => eventType.includes("card"))).toEqual([]);
  });

  test("completes a free order that was made before name and address were known, confirmed before or after", async () => {
    const unnamed = { firstName: null, lastName: null, address1: null, city: null, postalCode: null };
    const bonn = { address1: "Am Hof 1", city: "Bonn", postalCode: "53113" };
    const known = { firstName: "Ada", lastName: "Lovelace", ...bonn };
    for (const isConfirmedFirst of [true, false]) {
      const person = await (await new Person(service).signIn()).signUp();
      const review = (applicant: Record<string, string | null>) =>
        person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome: "approved", applicant });
      await review(unnamed);
      const id = await order(person);
      await person.call("POST", `/order/${id}/attach-coupon`, { couponCode: "FREECARD" });
      const steps = [() => person.call("PUT", `/order/${id}/confirm-payment`), () => review(known)];
      for (const step of isConfirmedFirst ? steps : steps.toReversed()) await step();
      const { body } = await person.call("GET", `/order/${id}`);
      expect(body).toMatchObject({ status: "READY", embossedName: "Ada Lovelace", ...bonn });
    }
  });

  test("refuses an order with a price and without a transaction", async () => {
    const person = await newPerson();
    const id = await order(person);
    expect(shortOf(await person.call("PUT", `/order/${id}/confirm-payment`))).toEqual(texts.noTransaction);
    expect(await statusOf(person, id)).toBe("PENDINGTRANSACTION");
  });
});

describe("cancel", () => {
  test("cancels a pending order once; afterwards it cannot change", async () => {
    const person = await newPerson();
    const id = await order(person);
    expect(shortOf(await person.call("POST", `/order/${id}/cancel`))).toEqual({ status: 200, body: { ok: true } });
    expect(await statusOf(person, id)).toBe("CANCELLED");
    expect(shortOf(await person.call("POST", `/order/${id}/cancel`))).toEqual(texts.wrongStatus);
    expect(shortOf(await person.call("PUT", `/order/${id}/confirm-payment`))).toEqual(texts.wrongStatus);
    const coupon = { couponCode: "FREECARD" };
    expect(shortOf(await person.call("POST", `/order/${id}/attach-coupon`, coupon))).toEqual(texts.wrongStatus);
    const transaction = { transactionHash: hash("b") };
    expect(shortOf(await person.call("PUT", `/order/${id}/attach-transaction`, transaction))).toEqual(
      texts.wrongStatus,
    );
  });

  test("of a ready order needs the operator", async () => {
    const person = await newPerson();
    await person.sandbox("POST", "/coupons", { code: "READYONE", percent: 100, maxRedemptions: 1 });
    const id = await order(person);
    await person.call("POST", `/order/${id}/attach-coupon`, { couponCode: "READYONE" });
    await person.call("PUT", `/order/${id}/confirm-payment`);
    expect(shortOf(await person.call("POST", `/order/${id}/cancel`))).toEqual(texts.wrongStatus);
    const { db } = service.runtime;
    const operator = operatorOf(service.runtime);
    expect(await cancelAsOperator(operator, { orderId: id })).toMatchObject({ id, status: "CANCELLED" });
    expect(await statusOf(person, id)).toBe("CANCELLED");
    const [coupon] = await db.select().from(coupons).where(eq(coupons.code, "READYONE"));
    expect(coupon?.redemptions).toBe(0);
    await expect(cancelAsOperator(operator, { orderId: id })).rejects.toThrow("not in the correct status");
    await expect(cancelAsOperator(operator, { orderId: "unknown" })).rejects.toThrow("Card order not found.");
  });
});

describe("attach-transaction", () => {
  test("accepts any well-formed hash in any letter case, again and in place of another", async () => {
    const person = await newPerson();
    const id = await order(person);
    const attach = async (transactionHash: unknown) =>
      shortOf(await person.call("PUT", `/order/${id}/attach-transaction`, { transactionHash }));
    expect(await attach(hash("C"))).toEqual({ status: 200, body: { ok: true } });
    expect(await attach(hash("c"))).toEqual({ status: 200, body: { ok: true } });
    expect((await person.call("GET", `/order/${id}`)).body.transactionHash).toBe(hash("c"));
    expect(await attach(hash("d"))).toEqual({ status: 200, body: { ok: true } });
    expect((await person.call("GET", "/order/")).body[0].transactionHash).toBe(hash("d"));
    const malformed = { status: 400, body: { message: "Invalid transaction hash" } };
    for (const wrong of ["", "0x12", hash("g"), hash("c").slice(2), `${hash("c")}00`, null, 5]) {
      expect(await attach(wrong)).toEqual(malformed);
    }
    expect(await attach(undefined)).toEqual({ status: 400, body: { message: "transactionHash is missing" } });
  });

  test("is for one order: of twenty with the same hash one gets it, until that one releases it", async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => newPerson()));
    const ids = await Promise.all(people.map((person) => order(person)));
    const attach = (index: number) =>
      people[index]?.call("PUT", `/order/${ids[index]}/attach-transaction`, { transactionHash: hash("e") });
    const answers = await Promise.all(people.map((_, index) => attach(index)));
    const winner = answers.findIndex((answer) => answer?.status === 200);
    const used = { status: 400, body: { message: "Transaction hash was already used" } };
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(1);
    expect(answers.filter((_, index) => index !== winner).map((answer) => answer && shortOf(answer))).toEqual(
      Array.from({ length: 19 }, () => used),
    );
    await people[winner]?.call("POST", `/order/${ids[winner]}/cancel`);
    expect((await attach(winner === 0 ? 1 : 0))?.status).toBe(200);
  });
});

test("over tRPC an order works the same way, with the same errors", async () => {
  const person = await newPerson();
  const client = person.trpc();
  const created = await client.orders.create.mutate({ personalizationSource: "KYC" });
  expect(created).toMatchObject({ status: "PENDINGTRANSACTION", totalAmountEUR: 30.23 });
  const orderId = created.id;
  const pending = await client.orders.create.mutate({ personalizationSource: "KYC" }).catch((error) => error);
  expect(pending.message).toBe("Error: There is already a pending card order");
  expect(pending.data).toMatchObject({ error: "orders.pending", httpStatus: 400 });
  expect(await client.orders.attachTransaction.mutate({ orderId, transactionHash: `0x${"f".repeat(64)}` })).toEqual({
    ok: true,
  });
  expect(await client.orders.attachCoupon.mutate({ orderId, couponCode: "freecard" })).toEqual({
    couponCode: "FREECARD",
  });
  expect(await client.orders.confirmPayment.mutate({ orderId })).toEqual({ ok: true });
  expect(await client.orders.get.query({ orderId })).toEqual((await person.call("GET", `/order/${orderId}`)).body);
  expect(await client.orders.list.query()).toEqual((await person.call("GET", "/order/")).body);
  const cancelled = await client.orders.cancel.mutate({ orderId }).catch((error) => error);
  expect(cancelled.message).toBe("Card Order is not in the correct status");
});
