/** The wire beyond fields: letter case of hex, headers of errors, and requests of stock tRPC clients. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { AppRouter } from "@cardkeep/contract/routes";
import { createCardkeepClient } from "@cardkeep/client";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer, type Server } from "@cardkeep/server/server";
import { createTRPCClient, httpBatchLink, httpBatchStreamLink, httpLink } from "@trpc/client";
import { sql } from "drizzle-orm";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";

const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
let holder: Person;
beforeAll(async () => {
  service = await startService();
  holder = new Person(service);
  const address = await holder.becomeAccountHolder();
  await holder.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1000" });
});
afterAll(() => service.stop());

/** The same bytes in upper case, with the prefix, which only addresses fix by their pattern. */
const upper = (hex: string): string => hex.toUpperCase();
const upperAddress = (address: string): string => `0x${address.slice(2).toUpperCase()}`;

describe("hex in upper case is the same hex", () => {
  test("in the signature of a sign-in", async () => {
    const person = new Person(service);
    const { message, signature } = await person.signMessage();
    const answer = await person.call("POST", "/auth/challenge", { message, signature: upper(signature) });
    expect(answer.status).toBe(200);
    expect(answer.body.token).toBeString();
  });

  test("in signature, message and addresses of a withdrawal, over REST and tRPC", async () => {
    const shout = async (amount: string) => {
      const signed = await holder.signWithdrawal({ tokenAddress: eure, to: destination, amount });
      const { salt, data } = signed.message;
      return {
        amount,
        to: upperAddress(signed.to),
        tokenAddress: upperAddress(signed.tokenAddress),
        signature: upper(signed.signature),
        message: { salt: upper(salt), data: upper(data) },
      };
    };
    const answer = await holder.call("POST", "/accounts/withdraw", await shout("1"));
    expect([answer.status, answer.body.data?.status]).toEqual([200, "QUEUING"]);
    const { data } = await holder.trpc().accounts.withdraw.mutate((await shout("2")) as never);
    expect(data.status).toBe("QUEUING");
    await until(async () => (await holder.findDelay(data.id))?.status === "WAITING");
  });

  test("in owners, daily limits and sign-in wallets", async () => {
    const wallet = privateKeyToAccount(generatePrivateKey()).address;
    const addition = await holder.signNewOwner(upperAddress(wallet));
    const added = await holder.call("POST", "/owners", { ...addition, signature: upper(addition.signature) });
    expect(added.status).toBe(200);
    const limit = await holder.signLimit(500);
    const changed = await holder.call("PUT", "/accounts/daily-limit", { ...limit, signature: upper(limit.signature) });
    expect(changed.status).toBe(200);
    const older = await holder.signLimit(600);
    const calldata = `${older.message.data}${older.message.salt.slice(2)}${older.signature.slice(2)}`;
    const body = { onchainDailyLimit: 600, signature: upper(calldata) };
    expect((await holder.call("PUT", "/accounts/onchain-daily-limit", body)).status).toBe(200);
    const made = await holder.call("POST", "/eoa-accounts", { address: upperAddress(wallet) });
    expect([made.status, made.body.address]).toEqual([201, wallet]);
    expect((await holder.call("POST", "/eoa-accounts", { address: wallet })).status).toBe(409);
  });

  test("in the signatures of a subscription and of an IBAN", async () => {
    const { message } = (await holder.call("GET", "/webhooks/message/sandbox")).body;
    const signature = upper(await holder.account.signMessage({ message }));
    const subscribed = await holder.call("POST", "/webhooks/subscribe/sandbox", { message, signature });
    expect([subscribed.status, subscribed.body.success]).toEqual([200, true]);
    const declared = (await holder.call("GET", "/ibans/signing-message")).body.data.message;
    const ofOwner = upper(await holder.account.signMessage({ message: declared }));
    expect((await holder.call("POST", "/ibans/emoney-profile", { signature: ofOwner })).status).toBe(200);
  });

  test("in the signature of an older set-up", async () => {
    const owner = new Person(service);
    await owner.becomeSafeOwner();
    const { status, body } = await owner.call("PATCH", "/account/deploy-safe-modules", {
      signature: upper(await owner.signSetUp()),
    });
    expect([status, body.deployed]).toEqual([200, true]);
  });
});

describe("an error on REST", () => {
  test("has its catalogue code, a 401 its challenge, a 405 the methods of the path", async () => {
    const stranger = new Person(service);
    const unauthorized = await stranger.call("GET", "/user");
    expect(unauthorized.status).toBe(401);
    expect(unauthorized.headers.get("x-error-code")).toBe("auth.token_missing");
    expect(unauthorized.headers.get("www-authenticate")).toBe('Bearer realm="cardkeep"');
    const wrong = await stranger.call("PATCH", "/accounts/daily-limit");
    expect([wrong.status, wrong.headers.get("x-error-code")]).toEqual([405, "request.method_not_allowed"]);
    expect(wrong.headers.get("allow")?.split(", ").sort()).toEqual(["GET", "PUT"]);
    const unknown = await stranger.call("GET", "/nowhere");
    expect([unknown.status, unknown.headers.get("x-error-code")]).toEqual([404, "request.not_found"]);
    expect(unknown.headers.has("allow")).toBe(false);
    const refused = await holder.call("GET", "/order/unknown");
    expect([refused.headers.get("x-error-code"), refused.body]).toEqual([
      "orders.not_found",
      { message: "Card order not found." },
    ]);
    const page = await fetch(`${service.url}/api/v1/user`, { headers: { Origin: "http://localhost:5173" } });
    expect(page.headers.get("access-control-expose-headers")).toContain("X-Error-Code");
  });

  test("is a server failure in the route's own words, with Retry-After", async () => {
    const runtime = await createRuntime(readSettings(service.env), "server");
    const server = createServer(runtime);
    await runtime.db.$client.end();
    const ask = async (method: string, path: string, content?: object) => {
      const headers = { Authorization: `Bearer ${holder.token}`, "Content-Type": "application/json" };
      const init = { method, headers, ...(content && { body: JSON.stringify(content) }) };
      const response = await server.handle(new Request(`http://localhost/api/v1${path}`, init));
      expect([path, response.status]).toEqual([path, 503]);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(response.headers.get("x-error-code")).toBe("server.unavailable");
      return response.json();
    };
    const internal = { error: "Internal server error" };
    const unexpected = { message: "An unexpected error occurred." };
    const signed = await holder.signWithdrawal({ tokenAddress: eure, to: destination, amount: "3" });
    expect(await ask("POST", "/auth/signup", { authEmail: "late@example.org" })).toEqual({
      error: "An unexpected error occurred",
    });
    const proof = await holder.signMessage();
    expect(await ask("POST", "/auth/challenge", proof)).toEqual(internal);
    expect(await ask("POST", "/accounts/withdraw", signed)).toEqual(unexpected);
    expect(await ask("GET", "/accounts/onchain-daily-limit")).toEqual(unexpected);
    expect(await ask("POST", "/order/some/attach-coupon", { couponCode: "FREECARD" })).toEqual(unexpected);
    expect(await ask("POST", "/order/create", { personalizationSource: "KYC" })).toEqual(internal);
    const question = [{ question: "What is your quest?", answer: "To seek the grail" }];
    expect(await ask("POST", "/source-of-funds", question)).toEqual(internal);
    for (const path of ["/safe/deploy", "/cards/some/void"]) expect(await ask("POST", path)).toEqual(internal);
    const reads = ["/account-balances", "/ibans/available", "/ibans/details", "/webhooks/subscription/sandbox"];
    for (const path of reads) expect(await ask("GET", path)).toEqual(internal);
    await runtime.close();
  });
});

describe("without the database", () => {
  let runtime: Runtime;
  let server: Server;
  beforeAll(async () => {
    runtime = await createRuntime(readSettings(service.env), "server");
    server = createServer(runtime);
    await runtime.db.$client.end();
  });
  afterAll(async () => {
    await server.stop();
    await runtime.close();
  });

  test("a typed client gets 503 and Retry-After for each call, of a query, a mutation and a batch", async () => {
    const client = createCardkeepClient({
      url: `http://127.0.0.1:${server.listen(0)}`,
      token: holder.token,
      retries: 0,
    });
    const six = Array.from({ length: 6 }, () => client.users.terms.query());
    const mutation = client.users.acceptTerms.mutate({ terms: "general-tos", version: "TOS_GENERAL_VERSION_1" });
    // Together: one that fails while another is awaited would be unhandled.
    const answers = await Promise.allSettled([client.users.me.query(), mutation, ...six]);
    const unavailable = { code: "server.unavailable", status: 503, retryAfterSeconds: 5 };
    expect(answers).toMatchObject(filled(answers.map(() => ({ status: "rejected", reason: unavailable }))));
  });

  test("the pages of terms and books are 503 with Retry-After, and do not show the database's own words", async () => {
    for (const path of ["/terms/general-tos", "/books"]) {
      const answer = await server.handle(new Request(`http://localhost${path}`));
      expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "5"]);
      expect(await answer.json()).toEqual({ error: "Internal server error" });
    }
  });
});

test("a bug of a page is a 500 that shows nothing of it", async () => {
  await service.ownerDb.execute(sql.raw("alter table terms_versions rename to terms_versions_away"));
  const answer = await fetch(`${service.url}/terms/general-tos`);
  await service.ownerDb.execute(sql.raw("alter table terms_versions_away rename to terms_versions"));
  expect([answer.status, await answer.json()]).toEqual([500, { error: "Internal server error" }]);
  expect([answer.headers.get("x-error-code"), answer.headers.has("retry-after")]).toEqual(["server.internal", false]);
});

test("a bug is a 500 in the route's own words, without Retry-After", async () => {
  const internal = { error: "Internal server error" };
  const unexpected = { message: "An unexpected error occurred." };
  const signed = await holder.signWithdrawal({ tokenAddress: eure, to: destination, amount: "4" });
  const newcomer = await new Person(service).signIn();
  const asked = [
    [
      "users",
      newcomer,
      "POST",
      "/auth/signup",
      { authEmail: "bug@example.org" },
      { error: "An unexpected error occurred" },
    ],
    ["nonces", holder, "POST", "/auth/challenge", await holder.signMessage(), internal],
    ["safes", holder, "POST", "/safe/deploy", undefined, internal],
    ["safes", holder, "GET", "/account-balances", undefined, internal],
    ["safes", holder, "POST", "/accounts/withdraw", signed, unexpected],
    ["safes", holder, "GET", "/accounts/onchain-daily-limit", undefined, unexpected],
    ["orders", holder, "POST", "/order/create", { personalizationSource: "KYC" }, internal],
    ["orders", holder, "POST", "/order/some/attach-coupon", { couponCode: "FREECARD" }, unexpected],
    ["cards", holder, "POST", "/cards/some/void", undefined, internal],
    ["ibans", holder, "GET", "/ibans/details", undefined, internal],
    ["partners", holder, "GET", "/webhooks/subscription/sandbox", undefined, internal],
  ] as const;
  for (const [table, person, method, path, body, expected] of asked) {
    // A missing table is a failure that no caller caused.
    await service.ownerDb.execute(sql.raw(`alter table ${table} rename to ${table}_away`));
    const answer = await person.call(method, path, body);
    await service.ownerDb.execute(sql.raw(`alter table ${table}_away rename to ${table}`));
    expect([path, answer.status, answer.body]).toEqual([path, 500, expected]);
    expect(answer.headers.get("x-error-code")).toBe("server.internal");
    expect(answer.headers.has("retry-after")).toBe(false);
  }
});

describe("a deprecated route", () => {
  test("names the date of its deprecation, its description and its successor; one with an end names that date", async () => {
    const limit = await holder.call("GET", "/accounts/onchain-daily-limit");
    expect(limit.headers.get("deprecation")).toMatch(/^@\d{10}$/);
    expect(limit.headers.get("link")).toBe(
      '</api/v1/accounts/daily-limit>; rel="successor-version", </docs/accounts#accounts.onchainDailyLimit>; rel="deprecation"; type="text/html"',
    );
    const [since, until] = [limit.headers.get("deprecation") ?? "", limit.headers.get("sunset") ?? ""];
    expect(Date.parse(until) / 1000).toBeGreaterThan(Number(since.slice(1)));
    for (const orderId of ["0f8fad5b-d9cd-469f-a165-70867728950e", "a b/%7Bc%7D"]) {
      const path = `/order/${encodeURIComponent(orderId)}`;
      const [successor] = (await holder.call("POST", `${path}/card`, {})).headers.get("link")?.split(", ") ?? [];
      expect(successor).toBe(`</api/v1${path}/create-card>; rel="successor-version"`);
    }
    const orders = await holder.call("GET", "/ibans/orders");
    expect(orders.headers.get("link")).toBe(
      '</api/v1/statements>; rel="successor-version", </docs/ibans#ibans.orders>; rel="deprecation"; type="text/html"',
    );
    const verified = await holder.call("POST", "/cards/verify", {});
    expect(verified.headers.get("link")).toStartWith('</api/v1/cards>; rel="successor-version"');
    expect(orders.headers.has("sunset")).toBe(false);
    expect(await (await fetch(`${service.url}/docs/ibans`)).text()).toContain('id="ibans.orders"');
  });
});

describe("a stock tRPC client", () => {
  const headers = () => ({ Authorization: `Bearer ${holder.token}` });
  const clientOf = (link: ReturnType<typeof httpLink<AppRouter>>) => createTRPCClient<AppRouter>({ links: [link] });

  test("with more than fifty calls in a batch hears that fifty are the most", async () => {
    for (const link of [httpBatchLink<AppRouter>, httpBatchStreamLink<AppRouter>]) {
      const client = clientOf(link({ url: `${service.url}/trpc`, headers }));
      const calls = Array.from({ length: 51 }, () => client.terms.list.query().catch((error) => error));
      for (const error of await Promise.all(calls)) {
        expect(error.message).toBe("A tRPC batch holds at most 50 calls");
        expect(error.data).toMatchObject({ error: "request.batch_too_large", httpStatus: 400 });
      }
      const fifty = Array.from({ length: 50 }, () => client.terms.list.query());
      expect(new Set((await Promise.all(fifty)).map(({ terms }) => terms.length)).size).toBe(1);
    }
  });

  test("streams a batch, answers and errors in one", async () => {
    const client = clientOf(httpBatchStreamLink({ url: `${service.url}/trpc`, headers }));
    const [user, order] = await Promise.all([
      client.users.me.query(),
      client.orders.get.query({ orderId: "unknown" }).catch((error) => error),
    ]);
    expect(user.id).toBe(holder.userId ?? "");
    expect(order.data).toMatchObject({ error: "orders.not_found", httpStatus: 404 });
  });

  test("may send queries as POST; a mutation never travels as GET", async () => {
    const url = `${service.url}/trpc`;
    for (const link of [httpLink<AppRouter>, httpBatchLink<AppRouter>, httpBatchStreamLink<AppRouter>]) {
      const client = clientOf(link({ url, headers, methodOverride: "POST" }));
      expect((await client.users.me.query()).id).toBe(holder.userId ?? "");
      expect((await client.cards.list.query({ status_code: "1000" })).length).toBe(0);
    }
    const change = await fetch(`${url}/safes.deploy`, { headers: headers() });
    expect([change.status, change.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await change.json()).toMatchObject({ error: { data: { error: "request.method_not_allowed" } } });
  });

  test("from a page may send trpc-accept, and can read the challenge of a 401", async () => {
    const preflight = await fetch(`${service.url}/trpc/users.me`, {
      method: "OPTIONS",
      headers: {
        Origin: "http://localhost:5173",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "authorization,trpc-accept",
      },
    });
    expect(preflight.status).toBe(204);
    const allowed = preflight.headers.get("access-control-allow-headers")?.toLowerCase().split(", ");
    expect(allowed).toContain("trpc-accept");
    const refused = await fetch(`${service.url}/trpc/users.me`);
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="cardkeep"']);
  });
});
