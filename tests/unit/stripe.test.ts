/** Answers at the address of the card issuer, of the issuer and of others. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { findIllFormedText } from "@cardkeep/contract/core/text";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import { noControls } from "@cardkeep/providers/issuer/controls";
import { createStripeIssuer } from "@cardkeep/providers/issuer/stripe";
import type { CardIssuer } from "@cardkeep/providers/issuer/port";

/** With escapes where a text is ill-formed. */
const json = (body: object, status = 200): Response => new Response(JSON.stringify(body), { status });
let answer: (path: string) => Response = () => json({});
let server: ReturnType<typeof Bun.serve>;
let issuer: CardIssuer;
beforeAll(() => {
  server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: ({ url }) => answer(new URL(url).pathname) });
});
beforeEach(() => {
  const input = { apiKey: "sk_test", callbackSecrets: [], pinKey: null, timeoutMs: 5_000 };
  issuer = createStripeIssuer({ url: server.url.href, ...input });
});
afterAll(() => server.stop(true));

const list = (...data: object[]) => json({ object: "list", has_more: false, url: "/", data });

describe("a text of the issuer that cannot be stored is replaced", () => {
  const dispute = (text: string) => ({
    id: "idp_1",
    object: "issuing.dispute",
    amount: 100,
    currency: "eur",
    evidence: { reason: "other" },
    loss_reason: text,
    metadata: { dispute_id: text },
    status: "lost",
    transaction: "ipi_1",
  });
  const card = (text: string) => ({
    id: "ic_1",
    last4: "4242",
    exp_month: 1,
    exp_year: new Date().getUTCFullYear(),
    status: "active",
    metadata: { reference: text },
    shipping: null,
    cardholder: { id: "ich_1" },
    type: "virtual",
  });
  const walletToken = (text: string) => ({
    id: "intok_1",
    card: "ic_1",
    status: "active",
    created: 1,
    network: text,
    network_data: { device: { type: text, name: text } },
  });

  test.each(["a\0b", "a\ud800b"])("in disputes, cards and wallet tokens: %j", async (text) => {
    answer = () => json(dispute(text));
    const lost = await issuer.findDispute("idp_1");
    expect(lost).toMatchObject({ status: "lost", lossReason: "a\ufffdb", reference: "a\ufffdb" });
    answer = () => list(card(text));
    expect(await issuer.listCards(new Date(0))).toMatchObject([{ reference: "a\ufffdb" }]);
    answer = () => json(walletToken(text));
    expect(await issuer.findWalletToken("intok_1")).toMatchObject({ deviceName: "a\ufffdb", network: "a\ufffdb" });
  });

  test("where a long one is cut between the halves of a character", async () => {
    answer = () => json(dispute(`${"x".repeat(119)}\u{1f600}`));
    expect(findIllFormedText(await issuer.findDispute("idp_1"))).toBeNull();
    answer = () => json(walletToken(`${"x".repeat(254)}\u{1f600}`));
    expect(findIllFormedText(await issuer.findWalletToken("intok_1"))).toBeNull();
  });
});

test("a clearing of another currency or card than its authorization's is faulty, and the others are read", async () => {
  const money = { currency: "eur", merchant_currency: "eur", merchant_data: {}, card: "ic_1" };
  const captured = { ...money, object: "issuing.transaction", type: "capture", amount: -100, merchant_amount: -100 };
  const capture = (id: string, change: object) => ({
    ...captured,
    id,
    created: 1,
    authorization: "iauth_1",
    ...change,
  });
  const transactions = [
    capture("ipi_1", {}),
    capture("ipi_2", { currency: "usd" }),
    capture("ipi_3", { card: "ic_2" }),
    capture("ipi_4", { currency: "EUR", card: { id: "ic_1" } }),
  ];
  const held = { ...money, id: "iauth_1", object: "issuing.authorization", amount: 400, merchant_amount: 400 };
  answer = () => json({ ...held, approved: true, transactions, request_history: [] });
  const report = await issuer.findThread("iauth_1");
  expect(report?.clearings.map(({ id }) => id)).toEqual(["ipi_1", "ipi_4"]);
  expect(report?.faults).toEqual([
    { id: "ipi_2", fault: "currency", signedCents: -100n },
    { id: "ipi_3", fault: "card", signedCents: -100n },
  ]);
});

describe("a 404 at the issuer's address", () => {
  const request = {
    reference: "r",
    orderId: null,
    cardholderId: "ich_1",
    currency: "EUR",
    secondLine: null,
    shipping: null,
    sealedPin: null,
    controls: noControls,
  } as const;
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    "a use of a card": () => issuer.findThread("iauth_1"),
    "a dispute": () => issuer.findDispute("idp_1"),
    "the use that a dispute is about": () => issuer.findTransactionThread("ipi_1"),
    "a wallet token": () => issuer.findWalletToken("intok_1"),
    "a card that is made": () => issuer.createCard(request),
    "a card that is stopped": () => issuer.setCardStatus("ic_1", "inactive", null),
  };
  const kindOf = (call: () => Promise<unknown>): Promise<unknown> =>
    call().then(
      (value) => value,
      (error: unknown) => (error instanceof Error ? error.constructor : error),
    );

  test.each(Object.entries(calls))("that is a gateway's says nothing of %s", async (_, call) => {
    const gateways = [
      () => new Response("<html><h1>Not Found", { status: 404 }),
      () => json({ message: "no Route matched with those values" }, 404),
      () => json({ status: 404, error: "Not Found" }, 404),
      () => json({ error: { type: "invalid_request_error", message: "Unrecognized request URL" } }, 404),
    ];
    for (const gateway of gateways) {
      answer = gateway;
      expect(await kindOf(call)).toBe(ProviderUnavailable);
    }
  });

  test.each(Object.entries(calls))("that names what is missing is the issuer's answer about %s", async (what, call) => {
    const error = { type: "invalid_request_error", code: "resource_missing", message: "No such object", param: "id" };
    answer = () => json({ error }, 404);
    expect(await kindOf(call)).toBe(what.startsWith("a card that") ? ProviderRefused : null);
  });
});
