import { beforeAll, describe, expect, test } from "bun:test";
import { errors } from "@cardkeep/contract/core/errorCatalogue";
import { listRoutes } from "@cardkeep/contract/core/route";
import { type AppRouter, routes } from "@cardkeep/contract/routes";
import { createTRPCClient, httpBatchLink, httpBatchStreamLink } from "@trpc/client";
import fc from "fast-check";
import { Person } from "../support/person.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";
import { eure } from "../support/tokens.ts";

let service: RunningService;
let holder: Person;
beforeAll(async () => {
  service = await shareService();
  holder = new Person(service);
  await holder.becomeAccountHolder();
});

const all = listRoutes(routes);

/** Input of each route; a new route without an entry fails the test below. */
const inputs: Record<string, Record<string, unknown> | readonly unknown[] | undefined> = {
  "auth.nonce": undefined,
  "auth.sendOtp": { email: "not an address" },
  "auth.challenge": { message: "not a message", signature: "0x00" },
  "auth.signUp": { authEmail: "again@example.org" },
  "users.me": undefined,
  "users.terms": undefined,
  "users.language": {},
  "users.setLanguage": { language: "de" },
  "users.messages": {},
  "users.setMessages": { payments: "sms" },
  "users.acceptTerms": { terms: "general-tos", version: "TOS_GENERAL_VERSION_1" },
  "terms.list": undefined,
  "kyc.webLink": { language: "xx1" },
  "kyc.sdkToken": {},
  "kyc.importPartnerApplicant": { forClientId: "partner", ttlInSecs: 0 },
  "kyc.questions": { locale: "BR" },
  "kyc.answer": [{ question: "What is your quest?", answer: "To seek the grail" }],
  "phone.start": { phoneNumber: "no number" },
  "phone.check": { code: "123456" },
  "safes.deploy": {},
  "safes.deployment": undefined,
  "safes.config": undefined,
  "safes.setCurrency": undefined,
  "safes.reset": undefined,
  "safes.migration": {},
  "accounts.create": { chainId: "100" },
  "accounts.signaturePayload": undefined,
  "accounts.deployModules": { signature: "0x00" },
  "accounts.balances": undefined,
  "accounts.withdrawalData": { amount: "1", to: eure, tokenAddress: eure },
  "accounts.withdraw": { amount: "0" },
  "accounts.dailyLimit": undefined,
  "accounts.dailyLimitData": { newLimit: "500" },
  "accounts.setDailyLimit": { newLimit: 0 },
  "accounts.onchainDailyLimit": undefined,
  "accounts.onchainDailyLimitData": { onchainDailyLimit: "500" },
  "accounts.setOnchainDailyLimit": { onchainDailyLimit: 500, signature: "0x00" },
  "owners.list": undefined,
  "owners.addData": { newOwner: "0x00000000000000000000000000000000deadbeef" },
  "owners.add": { newOwner: "0x12" },
  "owners.removeData": { ownerToRemove: eure },
  "owners.remove": { ownerToRemove: "0x12" },
  "delays.list": undefined,
  "orders.create": { personalizationSource: "NFT" },
  "orders.list": undefined,
  "orders.get": { orderId: "unknown" },
  "orders.attachCoupon": { orderId: "unknown", couponCode: "FREECARD" },
  "orders.attachTransaction": { orderId: "unknown", transactionHash: "0x12" },
  "orders.confirmPayment": { orderId: "unknown" },
  "orders.cancel": { orderId: "unknown" },
  "orders.createCard": { orderId: "unknown", pinData: null },
  "orders.createCardOlder": { orderId: "unknown" },
  "cards.list": { status_code: "1000", exclude_voided: "true" },
  "cards.status": { cardId: "unknown" },
  "cards.createVirtual": undefined,
  "cards.verify": { encryptedPan: "", encryptedKey: "", iv: "" },
  "cards.activate": { cardId: "unknown" },
  "cards.freeze": { cardId: "unknown" },
  "cards.unfreeze": { cardId: "unknown" },
  "cards.markLost": { cardId: "unknown" },
  "cards.markStolen": { cardId: "unknown" },
  "cards.void": { cardId: "unknown" },
  "walletTokens.list": { cardId: "unknown" },
  "walletTokens.suspend": { cardId: "unknown", walletTokenId: "unknown" },
  "walletTokens.resume": { cardId: "unknown", walletTokenId: "unknown" },
  "walletTokens.remove": { cardId: "unknown", walletTokenId: "unknown" },
  "cards.publicKey": undefined,
  "cards.controls": { cardId: "unknown" },
  "cards.setControls": { cardId: "unknown", oneTime: true },
  "ibans.available": undefined,
  "ibans.signingMessage": undefined,
  "ibans.createProfile": { signature: `0x${"11".repeat(65)}` },
  "ibans.integrate": {},
  "ibans.details": undefined,
  "ibans.orders": undefined,
  "ibans.redirectUrl": { callbackUrl: "https://evil.example/" },
  "ibans.reset": undefined,
  "transactions.list": { limit: "20", mcc: "5411" },
  "transactions.listAll": { billingCurrency: "EUR" },
  "transactions.listDisputeReasons": undefined,
  "transactions.dispute": { threadId: "unknown", disputeReason: "wrong_value" },
  "transactions.showDispute": { threadId: "unknown" },
  "transactions.addEvidence": { threadId: "unknown", explanation: "It never came" },
  "transactions.addEvidenceFile": { threadId: "unknown", slot: "cashReceipt", file: "JVBERi0xLjQK" },
  "users.referrerCode": undefined,
  "users.referrals": undefined,
  "rewards.summary": undefined,
  "rewards.cashback": undefined,
  "webhooks.message": { partnerId: "nobody" },
  "webhooks.subscribe": { partnerId: "sandbox", message: "no message", signature: "0x00" },
  "webhooks.subscription": { partnerId: "sandbox" },
  "webhooks.unsubscribe": { partnerId: "sandbox" },
  "webhooks.publicKey": undefined,
  "webhooks.keys": undefined,
  "partners.events": { after: "0", limit: "10" },
  "partners.rules": { limit: "10" },
  "partners.createRule": { scope: "user", subjectId: "unknown" },
  "partners.rule": { ruleId: "unknown" },
  "partners.addRuleVersion": { ruleId: "unknown" },
  "partners.setRuleState": { ruleId: "unknown", version: "1", state: "ACTIVE" },
  "partners.deleteRule": { ruleId: "unknown" },
  "partners.backtestRule": { ruleId: "unknown", version: "1" },
  "signInWallets.list": undefined,
  "signInWallets.add": { address: "no address" },
  "signInWallets.remove": { id: "unknown" },
  "statements.list": {},
  "statements.get": { month: "2019-01" },
  "tokens.create": { name: "", scopes: ["balances"] },
  "tokens.list": undefined,
  "tokens.remove": { id: "unknown" },
  "tokens.report": { token: "ck_unknown" },
};

interface Outcome {
  status: number;
  /** The output of a success, or the text of an error. */
  said: unknown;
}

const textOf = (body: unknown): unknown =>
  typeof body === "object" && body !== null
    ? "error" in body
      ? body.error
      : "message" in body
        ? body.message
        : "data" in body
          ? (body.data as { description: string }).description
          : body
    : body;

async function overRest(person: Person, name: string): Promise<Outcome> {
  const found = all.find((candidate) => candidate.name === name);
  if (!found) throw new Error(name);
  const input = inputs[name];
  const isGet = found.route.method === "GET";
  const query = isGet && input ? `?${new URLSearchParams(input as Record<string, string>)}` : "";
  const path = found.route.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => String(Object(input)[parameter]));
  const { status, body } = await person.call(found.route.method, path + query, isGet ? undefined : input);
  return { status, said: status < 300 ? body : textOf(body) };
}

async function overTrpc(person: Person, name: string): Promise<Outcome> {
  const found = all.find((candidate) => candidate.name === name);
  if (!found) throw new Error(name);
  const input = inputs[name];
  const isGet = found.route.method === "GET";
  const query = isGet && input ? `?input=${encodeURIComponent(JSON.stringify(input))}` : "";
  const response = await fetch(`${service.url}/trpc/${name}${query}`, {
    method: isGet ? "GET" : "POST",
    headers: {
      ...(person.token !== null && { Authorization: `Bearer ${person.token}` }),
      "Content-Type": "application/json",
    },
    ...(!isGet && { body: JSON.stringify(input ?? {}) }),
  });
  const body = await response.json();
  if (!response.ok) expect(Object.keys(errors)).toContain(body.error.data.error);
  const okStatus = found.route.status ?? 200;
  return response.ok
    ? { status: okStatus, said: body.result.data }
    : { status: response.status, said: body.error.message };
}

/** Removes expected differences between two calls in a row. */
const steady = (outcome: Outcome): Outcome => {
  const text = JSON.stringify(outcome, (key, value) =>
    key === "salt" || key === "token" || key === "acceptedAt" ? "<varies>" : value,
  );
  return JSON.parse(text);
};

describe("both surfaces", () => {
  test("every route of the table has an input here", () => {
    expect(Object.keys(inputs).sort()).toEqual(all.map(({ name }) => name).sort());
  });

  test.each(all.map(({ name }) => name))("%s answers a user the same on REST and tRPC", async (name) => {
    const rest = await overRest(holder, name);
    const trpc = await overTrpc(holder, name);
    if (name === "auth.nonce") {
      expect(String(trpc.said)).toHaveLength(String(rest.said).length);
      return;
    }
    expect(steady(trpc)).toEqual(steady(rest));
  });

  test.each(all.map(({ name }) => name))(
    "%s answers a caller without a token the same on REST and tRPC",
    async (name) => {
      const visitor = new Person(service);
      const [rest, trpc] = [await overRest(visitor, name), await overTrpc(visitor, name)];
      expect(trpc.status).toBe(rest.status);
      if (rest.status >= 300) expect(trpc.said).toEqual(rest.said);
    },
  );
});

/** Procedures whose answers do not change between two calls, and rarely another name or a change. */
const names = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("delays.list", "users.me", "terms.list", "transactions.list", "orders.get") },
  fc.constantFrom("orders.cancel", "safes.setCurrency", "users.nothing", "users", ""),
);
const wellFormed = fc.oneof(
  fc.constant({}),
  fc.constant({ limit: "20" }),
  fc.constant({ limit: -1 }),
  fc.constant({ orderId: "unknown" }),
  fc.constant({ 0: { orderId: "unknown" }, 2: { limit: "no" } }),
  fc.jsonValue({ maxDepth: 2 }),
);
const inputTexts = fc.oneof(
  { weight: 3, arbitrary: wellFormed.map((value) => JSON.stringify(value)) },
  fc.constantFrom("", "{", "null", "undefined", '{"a":1', "[".repeat(70) + "]".repeat(70)),
  fc.string({ maxLength: 6 }),
);
const often = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));
const requests = fc.record({
  method: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("GET", "GET", "POST") },
    fc.constantFrom("HEAD", "PUT", "DELETE"),
  ),
  names: fc.oneof(
    fc.array(names, { minLength: 1, maxLength: 3 }),
    fc.array(fc.constant("terms.list"), { minLength: 48, maxLength: 52 }),
  ),
  separator: often(",", "%2C", "/"),
  batch: fc.constantFrom("batch=1", "batch=1", "batch=0", ""),
  input: inputTexts,
  headers: fc.array(
    fc.constantFrom(
      ["accept", "application/jsonl"],
      ["accept", "text/html, application/jsonl;q=0.5"],
      ["trpc-accept", "application/jsonl"],
      ["content-type", "application/json"],
      ["content-type", "text/plain"],
      ["content-type", "multipart/form-data"],
      ["content-type", "application/octet-stream"],
      ["origin", "https://evil.example"],
      ["authorization", "Bearer a.b.c"],
    ),
    { maxLength: 1 },
  ),
});

describe("tRPC", () => {
  test("answers every request as tRPC's own adapter does: status, headers and body", async () => {
    const ask = async (path: string, init: RequestInit) => {
      const response = await fetch(service.url + path, init);
      const { date: _, ...headers } = Object.fromEntries(response.headers);
      const text = await response.text();
      // The adapter streams the answers of a batch in the order in which they come.
      return { status: response.status, headers, text: "transfer-encoding" in headers ? null : text };
    };
    let plainCount = 0;
    const property = fc.asyncProperty(requests, async ({ method, names: asked, separator, batch, input, headers }) => {
      const isBodied = method !== "GET" && method !== "HEAD";
      const query = [batch, isBodied ? "" : `input=${encodeURIComponent(input)}`].filter((part) => part !== "");
      const init = {
        method,
        headers: {
          "X-Request-Id": "the-same",
          authorization: `Bearer ${holder.token}`,
          ...Object.fromEntries(headers),
        },
        ...(isBodied && { body: input }),
      };
      const answer = await ask(`/trpc/${asked.join(separator)}?${query.join("&")}`, init);
      // Parameters of a connection are none of ours, and only the adapter reads them.
      const ofAdapter = await ask(
        `/trpc/${asked.join(separator)}?${[...query, "connectionParams=null"].join("&")}`,
        init,
      );
      expect(answer).toEqual(ofAdapter);
      if (answer.status === 200) plainCount += 1;
    });
    await fc.assert(property, { numRuns: 100 });
    expect(plainCount).toBeGreaterThan(10);
  });

  test("serves the client's batch links, also for calls that fail", async () => {
    const headers = { Authorization: `Bearer ${holder.token}` };
    for (const link of [httpBatchLink, httpBatchStreamLink]) {
      const { users, delays, orders } = createTRPCClient<AppRouter>({
        links: [link({ url: `${service.url}/trpc`, headers })],
      });
      const all = [users.me.query(), delays.list.query(), orders.get.query({ orderId: "unknown" })] as const;
      const [me, list, order] = await Promise.allSettled(all);
      expect(me).toMatchObject({ status: "fulfilled", value: { id: holder.userId } });
      expect(list).toEqual({ status: "fulfilled", value: [] });
      expect(order).toMatchObject({ status: "rejected", reason: { data: { httpStatus: 404 } } });
    }
  });
});
