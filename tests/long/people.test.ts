import { beforeAll, describe, expect, test } from "bun:test";
import { filled } from "../support/filled.ts";
import { retry, until } from "../support/poll.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";
import { isInTime } from "../support/spending.ts";

let service: RunningService;
beforeAll(async () => {
  service = await shareService();
});

async function post(path: string, body: unknown) {
  const response = await fetch(`${service.sandboxUrl}${path}`, { method: "POST", body: JSON.stringify(body) });
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads any answer of the service
  return { status: response.status, body: (await response.json()) as any };
}

async function get(path: string, token: string) {
  const response = await fetch(`${service.url}/api/v1${path}`, { headers: { Authorization: `Bearer ${token}` } });
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads any answer of the service
  return (await response.json()) as any;
}

describe("a person of the sandbox", () => {
  test("without options is signed up and has a key, and nothing else", async () => {
    const { status, body } = await post("/people", {});
    expect(status).toBe(200);
    expect(body).toMatchObject({ safe: null, iban: null, cards: [] });
    expect(body.privateKey).toMatch(/^0x[0-9a-f]{64}$/);
    const me = await get("/user", body.token);
    expect(me).toMatchObject({ id: body.id, kycStatus: "notStarted" });
    expect(me.signInWallets.map(({ address }: { address: string }) => address)).toEqual([body.address]);
  });

  test("has the balance, the virtual card and the IBAN that were asked for, and the card is accepted", async () => {
    const { status, body } = await post("/people", { balance: "500.5", card: "virtual", iban: true });
    expect({ status, body }).toMatchObject({ status: 200, body: { cards: [{ virtual: true }] } });
    expect(body.iban).toMatch(/^[A-Z]{2}\d{2}/);
    expect(await get("/account-balances", body.token)).toMatchObject({ total: "500500000000000000000" });
    const payment = { amount: 2_000, currency: "EUR", merchant: "Shop", mcc: "5411", country: "DE" };
    const use = async () => (await post(`/issuer/cards/${body.cards[0].cardToken}/authorizations`, payment)).body;
    expect(await retry(use, isInTime)).toMatchObject({ approved: true });
  });

  test("is subscribed to the seeded partner, which receives the events from the sign-up on", async () => {
    const { body } = await post("/people", {});
    const kinds = async () => {
      const attempts = await (await fetch(`${service.sandboxUrl}/inbox/sandbox`)).json();
      const bodies = (attempts as { body: string }[]).map((attempt) => attempt.body);
      return bodies.filter((text) => text.includes(body.id)).map((text) => JSON.parse(text).eventType);
    };
    await until(async () => (await kinds()).includes("user.created"));
    const { body: quiet } = await post("/people", { subscribed: false });
    expect(await get("/webhooks/subscription/sandbox", quiet.token)).not.toHaveProperty("subscriptionId");
  });

  test("has a physical card that is active, also at the issuer", async () => {
    const { body } = await post("/people", { balance: 20, card: "physical" });
    expect(body.cards).toMatchObject([{ virtual: false }]);
    const payment = { amount: 1_000, currency: "EUR", merchant: "Shop", mcc: "5411", country: "DE" };
    const use = async () => (await post(`/issuer/cards/${body.cards[0].cardToken}/authorizations`, payment)).body;
    expect(await retry(use, isInTime)).toMatchObject({ approved: true });
  });

  test("stops at each step that was asked for: terms, phone, funds, and those of a physical card", async () => {
    const { body: early, status } = await post("/people", { terms: false, phone: true });
    expect([status, early]).toEqual([200, expect.objectContaining({ cards: [] })]);
    const accepted = (await get("/user/terms", early.token)).terms.map((each: { accepted: boolean }) => each.accepted);
    expect(filled(accepted).every((each) => each === false)).toBe(true);
    expect(await get("/user", early.token)).toMatchObject({ isPhoneValidated: true, kycStatus: "approved" });
    const { body: asked } = await post("/people", { sourceOfFunds: true });
    expect(await get("/user", asked.token)).toMatchObject({ isSourceOfFundsAnswered: true, kycStatus: "approved" });
    const stands: Record<string, unknown> = {};
    for (const card of ["ordered", "paid", "made", "shipped", "delivered"]) {
      const { body } = await post("/people", { card, subscribed: false });
      const [order] = await get("/order", body.token);
      stands[card] = [order.status, body.cards.length, body.cards[0]?.activatedAt ?? null];
    }
    expect(stands).toEqual({
      ordered: ["PENDINGTRANSACTION", 0, null],
      paid: ["READY", 0, null],
      made: ["CARDCREATED", 1, null],
      shipped: ["CARDCREATED", 1, null],
      delivered: ["CARDCREATED", 1, null],
    });
    expect((await post("/people", { terms: false, safe: true })).status).toBe(422);
  });

  test("with a balance in pounds has a Safe in pounds", async () => {
    const { body } = await post("/people", { balance: "10", applicant: { country: "GB", nationality: "GB" } });
    expect(await get("/account-balances", body.token)).toMatchObject({ total: "10000000000000000000" });
  });

  test("has the verdict that was asked for; what contradicts it is refused before anything is made", async () => {
    const { body } = await post("/people", { kyc: "rejected" });
    expect(await get("/user", body.token)).toMatchObject({ kycStatus: "rejected" });
    const refused = [{ kyc: "rejected", card: "virtual" }, { balance: "many" }, { wallet: true }, { card: "golden" }];
    for (const options of refused) expect(await post("/people", options)).toMatchObject({ status: 422 });
    expect((await post("/people", refused[0])).body.error).toContain("kyc: must be `approved`");
  });
});
