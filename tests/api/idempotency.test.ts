import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fail } from "@cardkeep/contract/core/errors";
import { findStoredReply } from "@cardkeep/db/queries/core/idempotency";
import { delayTransactions, idempotencyKeys } from "@cardkeep/db/schema/tables";
import { type Commit, type Context, createContext } from "@cardkeep/domain/core/context";
import { deleteOldRows } from "@cardkeep/domain/operations/housekeeping/deleteOldRows";
import { performOnce } from "@cardkeep/domain/core/performOnce";
import { startPhoneCheck } from "@cardkeep/domain/verification/phone/startPhoneCheck";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import { eq } from "drizzle-orm";
import { nextPhone, order } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";

const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
let ada: Person;
beforeAll(async () => {
  service = await startService();
  ada = new Person(service);
  const address = await ada.becomeAccountHolder();
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1000" });
});
afterAll(() => service.stop());

const sign = (amount = "1") => ada.signWithdrawal({ tokenAddress: eure, to: destination, amount });
const withdraw = (body: object, key: string) =>
  ada.call("POST", "/accounts/withdraw", body, { "Idempotency-Key": key });
const countRows = async () => (await service.runtime.db.select().from(delayTransactions)).length;
/** Performs a request as the server does, with the writes that the test gives it. */
const perform = (key: string, write: Commit<unknown>) => performFrom(key, async () => write);
/** The same with what precedes the writes. */
function performFrom(key: string, begin: () => Promise<Commit<unknown>>): Promise<unknown> {
  const ctx = createContext(service.runtime.services, { log: service.runtime.log, requestId: key });
  return performOnce(ctx, { scope: "test:POST:/test", key, bodyHash: "same" }, (output) => output, begin);
}

describe("Idempotency-Key", () => {
  test("a repeated request gets the same answer and is executed once", async () => {
    const body = await sign();
    const first = await withdraw(body, "again");
    const second = await withdraw(body, "again");
    expect(first.status).toBe(200);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect((await ada.call("POST", "/accounts/withdraw", body)).status).toBe(409);
  });

  test("twenty parallel requests have one effect; each gets the same answer, or a 409", async () => {
    const before = await countRows();
    const body = await sign();
    const answers = await Promise.all(Array.from({ length: 20 }, () => withdraw(body, "parallel")));
    expect(await countRows()).toBe(before + 1);
    const ids = new Set(answers.filter((answer) => answer.status === 200).map((answer) => answer.body.data.id));
    expect(ids.size).toBe(1);
    const busy = { status: 409, body: { error: "A request with this Idempotency-Key is in progress" } };
    const others = answers
      .filter((answer) => answer.status !== 200)
      .map(({ status, body: said }) => ({ status, body: said }));
    expect(others).toEqual(others.map(() => busy));
    expect((await withdraw(body, "parallel")).status).toBe(200);
  });

  test("while a request is under way, the same one writes nothing and is refused", async () => {
    const [isWriting, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const written: string[] = [];
    const first = perform("gated", async () => {
      written.push("first");
      isWriting.resolve();
      await mayEnd.promise;
      return "first";
    });
    await isWriting.promise;
    const write = async () => {
      written.push("second");
      return "second";
    };
    try {
      await expect(perform("gated", write)).rejects.toMatchObject({ code: "idempotency.in_flight" });
    } finally {
      mayEnd.resolve();
    }
    expect(await first).toBe("first");
    expect(await perform("gated", write)).toBe("first");
    expect(written).toEqual(["first"]);
  });

  test("while a text message is being sent, the same request sends none; after a failure it sends one", async () => {
    const person = await new Person(service).becomeApproved();
    const { userId } = person;
    if (userId === null) throw new Error("The person did not sign up");
    const [isSending, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sent: string[] = [];
    const send = (key: string, sms: { send(input: { text: string }): Promise<void> }) => {
      const ctx = createContext({ ...service.runtime.services, sms }, { log: service.runtime.log, requestId: key });
      const actor = { signerAddress: person.account.address, userId };
      const begin = (given: Context) => startPhoneCheck({ ...given, actor }, { phoneNumber: nextPhone() });
      return performOnce(ctx, { scope: `${userId}:phone`, key, bodyHash: "same" }, (output) => output, begin);
    };
    const working = { send: async ({ text }: { text: string }) => void sent.push(text) };
    const slow = {
      send: async (input: { text: string }) => {
        await working.send(input);
        isSending.resolve();
        await mayEnd.promise;
      },
    };
    const away = { send: () => Promise.reject(new ProviderUnavailable("away")) };
    const first = send("slow", slow);
    await isSending.promise;
    try {
      await expect(send("slow", working)).rejects.toMatchObject({ code: "idempotency.in_flight" });
    } finally {
      mayEnd.resolve();
    }
    expect(await first).toEqual({ ok: true });
    expect(await send("slow", working)).toEqual({ ok: true });
    expect(sent).toHaveLength(1);

    await expect(send("failed", away)).rejects.toMatchObject({ code: "phone.provider_unavailable" });
    expect(await send("failed", working)).toEqual({ ok: true });
    expect(sent).toHaveLength(2);
  });

  test("a refusal beside the same request's success is not stored: its effect may be the refusal's cause", async () => {
    const [isWriting, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = perform("overtaken", async () => {
      isWriting.resolve();
      await mayEnd.promise;
      return "first";
    });
    await isWriting.promise;
    const refused = async () => fail("accounts.insufficient_balance");
    try {
      await expect(performFrom("overtaken", refused)).rejects.toMatchObject({ code: "idempotency.in_flight" });
    } finally {
      mayEnd.resolve();
    }
    expect(await first).toBe("first");
    expect(await performFrom("overtaken", refused)).toBe("first");
  });

  test("the same key with another body is 422, and nothing is written", async () => {
    const [body, other] = [await sign("1"), await sign("2")];
    const first = await withdraw(body, "mismatch");
    expect(first.status).toBe(200);
    const before = await countRows();
    const { status, body: said } = await withdraw(other, "mismatch");
    expect([status, said]).toEqual([422, { error: "Idempotency-Key was used with another body" }]);
    expect(await countRows()).toBe(before);
    expect((await withdraw(body, "mismatch")).body).toEqual(first.body);
    // The refused body is accepted under a key of its own.
    expect((await withdraw(other, "another")).status).toBe(200);
  });

  test("a refusal is repeated too", async () => {
    const body = { ...(await sign()), amount: "0" };
    const first = await withdraw(body, "refusal");
    expect([first.status, first.body]).toEqual([422, { error: "amount must be a valid integer" }]);
    const second = await withdraw(body, "refusal");
    expect([second.status, second.body]).toEqual([first.status, first.body]);
  });

  test("a refusal is repeated when its cause is gone, and the request is not carried out", async () => {
    let runs = 0;
    const write = async () => {
      if (runs++ === 0) fail("accounts.insufficient_balance");
      return "carried out";
    };
    const refused = { code: "accounts.insufficient_balance" };
    await expect(perform("once refused", write)).rejects.toMatchObject(refused);
    await expect(perform("once refused", write)).rejects.toMatchObject(refused);
    expect(runs).toBe(1);
  });

  test("a subscription with an access token is repeated; by the message alone each request stands for itself", async () => {
    const path = "/webhooks/subscribe/sandbox";
    const grace = await (await new Person(service).signIn()).signUp();
    const { message } = (await grace.call("GET", "/webhooks/message/sandbox")).body;
    const body = { message, signature: await grace.account.signMessage({ message }) };
    const subscribe = (person: Person) => person.call("POST", path, body, { "Idempotency-Key": "subscribed" });
    const first = await subscribe(grace);
    const second = await subscribe(grace);
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);
    expect((await subscribe(new Person(service))).status).toBe(409);
  });

  test("a key belongs to one user and one operation", async () => {
    const bob = await (await new Person(service).signIn()).signUp();
    const accept = (person: Person) =>
      person.call(
        "POST",
        "/user/terms",
        { terms: "general-tos", version: "TOS_GENERAL_VERSION_1" },
        { "Idempotency-Key": "again" },
      );
    expect((await accept(ada)).body).toEqual({ ok: true });
    expect((await accept(bob)).body).toEqual({ ok: true });
    const { body } = await bob.call("GET", "/user/terms");
    expect(body.terms[0].accepted).toBe(true);
  });

  test("a key belongs to one path: for another one it is another request", async () => {
    const bob = await (await new Person(service).signIn()).signUp();
    const add = async () =>
      (await bob.call("POST", "/eoa-accounts", { address: new Person(service).account.address })).body.id;
    const [first, second] = [await add(), await add()];
    const remove = (id: string) => bob.call("DELETE", `/eoa-accounts/${id}`, undefined, { "Idempotency-Key": "paths" });
    for (const id of [first, second, first, second, "\u{1f600}".repeat(1_000)])
      expect(await remove(id)).toMatchObject(
        id.length > 100 ? { status: 404 } : { status: 200, body: { data: { id } } },
      );
  });

  test("both surfaces share the key, and an answer with a token is never stored", async () => {
    const eve = await new Person(service).signIn();
    const signUp = () =>
      eve.call("POST", "/auth/signup", { authEmail: "eve@example.org" }, { "Idempotency-Key": "signup" });
    expect((await signUp()).status).toBe(201);
    expect((await signUp()).status).toBe(409);
    const body = await sign();
    const rest = await withdraw(body, "surfaces");
    const response = await fetch(`${service.url}/trpc/accounts.withdraw`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${ada.token}`,
        "Content-Type": "application/json",
        "Idempotency-Key": "surfaces",
      },
      body: JSON.stringify(body),
    });
    expect((await response.json()).result.data).toEqual(rest.body);
  });

  test("the order of fields means nothing, so REST repeats what tRPC answered; the order of a list does", async () => {
    const person = await new Person(service).becomeApproved();
    const orderId = await order(person);
    const once = { "Idempotency-Key": "ordered" };
    const response = await fetch(`${service.url}/trpc/orders.attachCoupon`, {
      method: "POST",
      headers: { Authorization: `Bearer ${person.token}`, "Content-Type": "application/json", ...once },
      body: JSON.stringify({ orderId, couponCode: "FREECARD" }),
    });
    const { result } = await response.json();
    const rest = await person.call("POST", `/order/${orderId}/attach-coupon`, { couponCode: "FREECARD" }, once);
    expect([response.status, rest.status, rest.body]).toEqual([200, 200, result.data]);

    const { message, ...fields } = await sign();
    const { salt, data } = message;
    const first = await withdraw({ ...fields, message: { salt, data } }, "nested");
    const second = await withdraw({ message: { data, salt }, ...fields }, "nested");
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);

    const answers = [1, 2].map((number) => ({ question: `Question ${number}`, answer: `Answer ${number}` }));
    const answer = (body: object) => person.call("POST", "/source-of-funds", body, { "Idempotency-Key": "list" });
    const refused = await answer(answers);
    expect((await answer(answers)).body).toEqual(refused.body);
    expect((await answer(answers.toReversed())).headers.get("x-error-code")).toBe("idempotency.mismatch");
  });

  test("a reply that an earlier version stored is repeated", async () => {
    const body = await sign();
    const first = await withdraw(body, "earlier");
    const bodyHash = new Bun.CryptoHasher("sha256").update(JSON.stringify(body)).digest("hex");
    const { db } = service.runtime;
    await db.update(idempotencyKeys).set({ bodyHash }).where(eq(idempotencyKeys.key, "earlier"));
    const second = await withdraw(body, "earlier");
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);
    const other = await withdraw({ ...body, amount: "2" }, "earlier");
    expect(other.headers.get("x-error-code")).toBe("idempotency.mismatch");
  });

  test("a stored reply is valid for a day, and deleted after it", async () => {
    const body = await sign();
    const first = await withdraw(body, "old");
    expect(first.status).toBe(200);
    await ada.sandbox("POST", "/chain/advance", { seconds: 23 * 3600 });
    const repeated = await withdraw(body, "old");
    expect([repeated.status, repeated.body]).toEqual([200, first.body]);
    await perform("kept a day", async () => "kept");
    const { services } = service.runtime;
    const isKept = async () => (await findStoredReply(services.db, "test:POST:/test", "kept a day")) !== null;
    const advanceAndDelete = async (seconds: number) => {
      await ada.sandbox("POST", "/chain/advance", { seconds });
      await deleteOldRows({ ...services, stopping: new AbortController().signal });
    };
    await advanceAndDelete(23 * 3600);
    expect(await isKept()).toBe(true);
    await advanceAndDelete(2 * 3600);
    expect(await isKept()).toBe(false);
  });
});
