import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { cardStatusCodes } from "@cardkeep/contract/cards/cards";
import { lockCard } from "@cardkeep/db/queries/cards/cards";
import { cardholders, cardPayments, events, issuerCallbacks, users } from "@cardkeep/db/schema/tables";
import { applyIssuerCallback } from "@cardkeep/domain/cards/cards/applyIssuerCallback";
import { changeStatus } from "@cardkeep/domain/cards/cards/changeStatus";
import { createContext } from "@cardkeep/domain/core/context";
import type { IssuerCallback } from "@cardkeep/providers/issuer/port";
import { development } from "@cardkeep/runtime/development";
import { issuingEventTypes } from "@cardkeep/providers/issuer/stripeEventTypes";
import { signIssuerEvent } from "@cardkeep/sandbox/issuer/events";
import { and, eq, like } from "drizzle-orm";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type IssuerCard, openIssuerCard } from "../support/issuerCard.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { atIssuer, becomeCardHolder, use, useOnce } from "../support/spending.ts";

let service: Service;
let card: IssuerCard;
beforeAll(async () => {
  service = await startService();
  card = await openIssuerCard(service);
});
afterEach(() => card.ada.person.sandbox("DELETE", "/faults"));
afterAll(() => service.stop());

/** Sends an event of the issuer to the service, as often as said. */
async function send(type: string, object: object, times = 1): Promise<number[]> {
  const { path, headers, body } = await signIssuerEvent(service.runtime, { type, object });
  const post = () => fetch(`${service.url}${path}`, { method: "POST", headers, body });
  return (await Promise.all(Array.from({ length: times }, post))).map(({ status }) => status);
}
const keptOf = async (objectId: string) =>
  (await service.runtime.db.select().from(issuerCallbacks).where(eq(issuerCallbacks.objectId, objectId))).map(
    ({ type, outcome }) => [type, outcome],
  );

describe("the issuer's events", () => {
  test("all have a row in the table, as the issuer's package names them", () => {
    const main = Bun.resolveSync("stripe", `${import.meta.dir}/../../packages/providers/src`);
    const packageText = readFileSync(`${dirname(main)}/resources/Events.d.ts`, "utf8");
    const named = packageText.match(/'issuing_[a-z_.]+'/g) ?? [];
    const types = [...new Set(named.map((text) => text.slice(1, -1)))].filter((type) => type.includes("."));
    expect(types.length).toBeGreaterThan(20);
    expect(Object.keys(issuingEventTypes).toSorted()).toEqual(types.toSorted());
  });

  test("of a type that is ignored or unknown are kept once, with their object, and counted", async () => {
    expect(await send("issuing_personalization_design.updated", { id: "ipd_1" }, 3)).toEqual([200, 200, 200]);
    expect(await keptOf("ipd_1")).toEqual([["issuing_personalization_design.updated", "ignored"]]);
    expect(await send("issuing_settlement.created", { id: "ises_1" }, 2)).toEqual([200, 200]);
    expect(await keptOf("ises_1")).toEqual([["issuing_settlement.created", "unknown"]]);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/callbacks_total\{[^}]*provider="issuer",outcome="unknown"[^}]*\} [1-9]/);
    expect(await send("issuing_token.updated", { noId: true })).toEqual([422]);
  });

  test("that are genuine and cannot be read are refused as such, and raise no alarm of a forgery", async () => {
    const countOf = async (outcome: string) => {
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      const sample = new RegExp(`callbacks_total\\{[^}]*provider="issuer",outcome="${outcome}"[^}]*\\} (\\d+)`);
      return Number(sample.exec(metrics)?.[1] ?? 0);
    };
    const post = async (body: string, secret: string) => {
      const seconds = Math.floor(Date.now() / 1000);
      const digest = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
      const headers = { "Stripe-Signature": `t=${seconds},v1=${digest}` };
      const answer = await fetch(`${service.url}/callbacks/stripe`, { method: "POST", headers, body });
      return [answer.status, answer.headers.get("x-error-code")];
    };
    const [secret = ""] = service.runtime.settings.issuer.callbackSecrets;
    const envelope = { id: "evt_1", type: "issuing_card.updated", created: 1_767_225_600, livemode: false };
    const bodies = [
      "{",
      "[]",
      JSON.stringify({ ...envelope, created: "soon", data: { object: {} } }),
      JSON.stringify({ ...envelope, object: "v2.core.event", created: "2026-01-01T00:00:00Z" }),
      JSON.stringify({ ...envelope, data: { object: {} } }),
      JSON.stringify({ ...envelope, type: "issuing_cardholder.updated", data: { object: {} } }),
      JSON.stringify({ ...envelope, type: "issuing_token.updated", data: { object: {} } }),
    ];
    const [forged, refused] = [await countOf("forged"), await countOf("refused")];
    for (const body of bodies) expect(await post(body, secret)).toEqual([422, "callbacks.senseless"]);
    expect([await countOf("forged"), await countOf("refused")]).toEqual([forged, refused + bodies.length]);
    for (const body of bodies) expect(await post(body, "whsec_other")).toEqual([401, "auth.invalid_signature"]);
    expect(await countOf("forged")).toBe(forged + bodies.length);
  });

  test("warn of fraud on a card: the newest warning is kept for operators, and an older one changes nothing", async () => {
    const { cardToken } = card.ada;
    const warn = (type: string) =>
      card.ada.person.sandbox("POST", `/issuer/cards/${cardToken}/fraud-warning`, { type });
    expect((await warn("card_testing_exposure")).status).toBe(200);
    expect((await card.rowOf()).fraudWarningType).toBe("card_testing_exposure");
    const { fraudWarnedAt } = await card.rowOf();
    const warning = (type: string, seconds: number) => ({
      id: cardToken,
      status: "active",
      metadata: {},
      latest_fraud_warning: { type, started_at: Math.floor((fraudWarnedAt?.getTime() ?? 0) / 1000) + seconds },
    });
    expect(await send("issuing_card.updated", warning("user_indicated_fraud", -60))).toEqual([200]);
    expect(await card.rowOf()).toMatchObject({ fraudWarningType: "card_testing_exposure", fraudWarnedAt });
    expect(await send("issuing_card.updated", warning("user_indicated_fraud", 60))).toEqual([200]);
    expect((await card.rowOf()).fraudWarningType).toBe("user_indicated_fraud");
    expect(await card.atIssuerIs()).toBe("active");
  });

  test("about a card that was made elsewhere are kept as unmatched", async () => {
    await send("issuing_card.created", { id: "ic_elsewhere", status: "active", metadata: {} });
    expect(await keptOf("ic_elsewhere")).toEqual([["issuing_card.created", "unmatched"]]);
    const { issuerId = "" } = (await service.runtime.db.select().from(cardholders))[0] ?? {};
    const blocked = {
      id: issuerId,
      status: "blocked",
      requirements: { disabled_reason: "requirements.past_due", past_due: ["individual.dob.day"] },
    };
    expect(await send("issuing_cardholder.updated", blocked, 2)).toEqual([200, 200]);
    const [holder] = await service.runtime.db.select().from(cardholders).where(eq(cardholders.issuerId, issuerId));
    expect(holder).toMatchObject({
      status: "blocked",
      disabledReason: "requirements.past_due",
      pastDue: "individual.dob.day",
    });
  });

  test("of a card's life arrive twice and in any order, and both sides agree", async () => {
    const before = (await keptOf(card.ada.cardToken)).length;
    await card.fault("callbacks.duplicate", { match: "/callbacks/stripe" });
    await card.fault("callbacks.shuffle", { match: "/callbacks/stripe", ms: 400, seed: 3 });
    const verbs = ["freeze", "unfreeze", "freeze", "unfreeze", "freeze"];
    for (const verb of verbs) {
      expect((await card.move(verb)).status).toBe(200);
      // Otherwise the next move may come before the call of this one, and the issuer sees neither.
      await card.untilSynced(verb === "freeze" ? "inactive" : "active");
    }
    await until(async () => (await keptOf(card.ada.cardToken)).length >= before + verbs.length);
    expect(await useOnce(card.ada, 100)).toMatchObject({ approved: false });
    await card.move("unfreeze");
    const paid = await use(card.ada, 100);
    await card.ada.person.sandbox("POST", `/issuer/authorizations/${paid.threadId}/reverse`);
    await card.ada.person.sandbox("DELETE", "/faults");
    await until(async () => {
      const { issuerSyncedStatus, issuerStatus, issuerCallEndsAt } = await card.rowOf();
      const isSettled = issuerSyncedStatus === issuerStatus && issuerCallEndsAt === null;
      return isSettled && issuerStatus === "active" && (await card.atIssuerIs()) === "active";
    });
    expect(await use(card.ada, 100)).toMatchObject({ approved: true });
    const kept = await keptOf(card.ada.cardToken);
    expect(new Set(kept.map(([type]) => type))).toContain("issuing_card.updated");
    expect(kept.every(([, outcome]) => outcome !== "unknown")).toBe(true);
  });

  test("that show a frozen card as active have it set inactive again; the issuer's own pause stays", async () => {
    await card.move("freeze");
    await card.untilSynced("inactive");
    await atIssuer(service, `/v1/issuing/cards/${card.ada.cardToken}`, { status: "active" });
    await send("issuing_card.updated", { id: card.ada.cardToken, status: "active", metadata: {} });
    await until(async () => (await card.atIssuerIs()) === "inactive");
    await card.move("unfreeze");
    await atIssuer(service, `/v1/issuing/cards/${card.ada.cardToken}`, { status: "inactive" });
    await send("issuing_card.updated", { id: card.ada.cardToken, status: "inactive", metadata: {} });
    expect(await card.statusOf()).not.toHaveProperty("pending");
    expect(await useOnce(card.ada, 100)).toMatchObject({ approved: false, reason: "card_inactive" });
    await card.move("freeze");
    // Otherwise the issuer sees neither, and its own pause stays.
    await card.untilSynced("inactive");
    await card.move("unfreeze");
    await card.untilSynced("active");
  });

  test("that come late leave no unfrozen card inactive at the issuer", async () => {
    await card.move("freeze");
    await card.untilSynced("inactive");
    const { log, services } = service.runtime;
    const ctx = createContext(services, { log, requestId: "late" });
    const { cardToken } = card.ada;
    const late: IssuerCallback = {
      id: "evt_late",
      type: "issuing_card.updated",
      createdAt: new Date(),
      testMode: true,
      objectId: cardToken,
      kind: "card",
      cardToken,
      status: "active",
      cancelledAs: null,
      shippingStatus: null,
      fraudWarning: null,
      reference: null,
    };
    // The person is faster than the job that sets the status again.
    await ctx.commit(async (work) => {
      await applyIssuerCallback({ ...ctx, commit: (write) => write(work) }, late);
      const frozen = await lockCard(work.tx, card.cardId);
      if (frozen) await changeStatus(work, frozen, cardStatusCodes.active);
    });
    await card.untilSynced("active");
  });
});

describe("a person whom the issuer reviews", () => {
  const review = (step: string) =>
    card.ada.person.sandbox("PUT", `/issuer/cards/${card.ada.cardToken}/cardholder`, { review: step });
  const reported = async () =>
    (
      await service.runtime.db
        .select()
        .from(cardholders)
        .where(eq(cardholders.userId, card.ada.person.userId ?? ""))
    )[0];

  test("has no use approved, gets further cards, and a new name when the review has ended", async () => {
    const { person } = card.ada;
    const { issuerId = "" } = (await reported()) ?? {};
    const nameAtIssuer = async () =>
      (await atIssuer(service, `/v1/issuing/cardholders/${issuerId}`, null))["individual"].last_name;
    const before = await nameAtIssuer();
    await review("under_review");
    await until(async () => (await reported())?.disabledReason === "under_review");
    expect(await useOnce(card.ada, 100)).toMatchObject({ reason: "cardholder_verification_required" });
    expect((await person.call("POST", "/cards/virtual")).status).toBe(201);
    const { body: known } = await person.call("GET", "/cards");
    const { db } = service.runtime;
    await db
      .update(users)
      .set({ lastName: "King" })
      .where(eq(users.id, person.userId ?? ""));
    await person.call("POST", "/cards/virtual");
    expect(await nameAtIssuer()).toBe(before);
    expect((await person.call("GET", "/cards")).body).toHaveLength(known.length);
    await review("cleared");
    await until(
      async () => {
        // On a slow machine the job was tried more often before, and waits for longer.
        await person.sandbox("POST", "/chain/advance", { seconds: 60 });
        return (await person.call("GET", "/cards")).body.length === known.length + 1;
      },
      { everyMs: 400 },
    );
    expect(await nameAtIssuer()).toBe("King");
    expect((await reported())?.disabledReason).toBeNull();
    expect(await use(card.ada, 100)).toMatchObject({ approved: true });
  });

  test("and blocks loses every card, here as there", async () => {
    const eve = await becomeCardHolder(service);
    const answer = await eve.person.sandbox("PUT", `/issuer/cards/${eve.cardToken}/cardholder`, { review: "blocked" });
    expect(answer.status).toBe(200);
    const [{ id }] = (await eve.person.call("GET", "/cards")).body;
    await until(async () => (await eve.person.call("GET", `/cards/${id}/status`)).body.isVoid === true);
    expect(await useOnce(eve, 100)).toMatchObject({ approved: false, reason: "card_canceled" });
  });
});

const tokensOf = async () => (await card.ada.person.call("GET", `/cards/${card.cardId}/wallet-tokens`)).body;
const onToken = async (id: string, method: string, verb = "") =>
  card.ada.person.call(method, `/cards/${card.cardId}/wallet-tokens/${id}${verb}`);
const addToWallet = async (fields: object = {}) =>
  (await card.ada.person.sandbox("POST", `/issuer/cards/${card.ada.cardToken}/wallet-tokens`, fields)).body
    .walletTokenId;

describe("a card in a digital wallet", () => {
  test("is listed, pays, is suspended, resumed and deleted, with an event each", async () => {
    const id = await addToWallet({ wallet: "apple_pay", deviceName: "Ada's watch", deviceType: "watch" });
    await until(async () => (await tokensOf())[0]?.status === "active");
    expect((await tokensOf())[0]).toMatchObject({
      id,
      cardId: card.cardId,
      wallet: "apple_pay",
      network: "visa",
      deviceType: "watch",
      deviceName: "Ada's watch",
      lastFourDigits: expect.stringMatching(/^\d{4}$/),
    });
    const paid = await use(card.ada, 100, { walletTokenId: id, threeDSecure: "authenticated" });
    const exempt = await use(card.ada, 100, { exemption: "low_value_transaction" });
    const rows = await service.runtime.db.select().from(cardPayments);
    const rowOfThread = (threadId: string) => rows.find((row) => row.threadId === threadId);
    expect(rowOfThread(paid.threadId)).toMatchObject({ walletTokenId: id, threeDSecure: "authenticated" });
    expect(rowOfThread(exempt.threadId)).toMatchObject({
      walletTokenId: null,
      threeDSecure: null,
      authenticationExemption: "low_value_transaction by acquirer",
    });
    expect(await onToken(id, "POST", "/resume")).toMatchObject({ status: 422 });
    expect(await onToken(id, "POST", "/suspend")).toMatchObject({ status: 200, body: { id, status: "suspended" } });
    expect(await onToken(id, "POST", "/suspend")).toMatchObject({ status: 422 });
    expect(await useOnce(card.ada, 100, { walletTokenId: id })).toMatchObject({ approved: false });
    expect(await onToken(id, "POST", "/resume")).toMatchObject({ status: 200, body: { status: "active" } });
    expect(await use(card.ada, 100, { walletTokenId: id })).toMatchObject({ approved: true });
    await card.fault("issuer.down", { match: "/v1/issuing/tokens" });
    const away = { status: 502, body: { error: "Cards are temporarily unavailable" } };
    expect(await onToken(id, "DELETE")).toMatchObject(away);
    await card.ada.person.sandbox("DELETE", "/faults");
    expect(await onToken(id, "DELETE")).toMatchObject({ status: 200, body: { status: "deleted" } });
    expect(await onToken(id, "DELETE")).toMatchObject({ status: 422 });
    expect(await onToken("intok_none", "DELETE")).toMatchObject({ status: 404 });
    const reported = await service.runtime.db
      .select()
      .from(events)
      .where(and(eq(events.userId, card.ada.person.userId ?? ""), like(events.eventType, "card.wallet-token.%")))
      .orderBy(events.sequence);
    const states = reported.map(({ data }) => Object(data).newStatus ?? Object(data).walletToken.status);
    expect(states.slice(-4)).toEqual(["active", "suspended", "active", "deleted"]);
  });

  test("is suspended by a repeated call of the operator's API that the issuer missed at first, and then once", async () => {
    const id = await addToWallet();
    await until(async () => (await tokensOf()).find((token: { id: string }) => token.id === id)?.status === "active");
    const suspend = async () => {
      const response = await fetch(`${service.url}/operator/api/wallet-tokens/${id}/set`, {
        method: "POST",
        headers: { Authorization: `Bearer ${development.OPERATOR_API_KEY}`, "Idempotency-Key": "suspend-once" },
        body: JSON.stringify({ act: "suspend", reason: "The phone was stolen" }),
      });
      return [response.status, (await response.json()).data?.status];
    };
    const statusAtIssuer = async () => (await atIssuer(service, `/v1/issuing/tokens/${id}`, null))["status"];
    await card.fault("issuer.down", { match: "/v1/issuing/tokens" });
    expect((await suspend())[0]).toBe(502);
    await card.ada.person.sandbox("DELETE", "/faults");
    expect(await statusAtIssuer()).toBe("active");
    expect(await suspend()).toEqual([200, "suspended"]);
    expect(await statusAtIssuer()).toBe("suspended");
    expect(await onToken(id, "POST", "/resume")).toMatchObject({ status: 200 });
    expect(await suspend()).toEqual([200, "active"]);
    expect(await statusAtIssuer()).toBe("active");
    await onToken(id, "DELETE");
  });

  test("leaves the wallet with the card: lost ends its wallet tokens here and at the issuer", async () => {
    const [first, second] = [await addToWallet(), await addToWallet({ wallet: "google_pay", isApproved: false })];
    await until(async () => (await tokensOf()).length === 4);
    await card.move("lost");
    expect((await tokensOf()).map(({ status }: { status: string }) => status)).toEqual([
      "deleted",
      "deleted",
      "deleted",
      "deleted",
    ]);
    await card.untilSynced("canceled");
    for (const id of [first, second])
      expect(await atIssuer(service, `/v1/issuing/tokens/${id}`, null)).toMatchObject({ status: "deleted" });
    await send("issuing_token.updated", { id: first, status: "active" });
    expect((await tokensOf()).every(({ status }: { status: string }) => status === "deleted")).toBe(true);
  });
});
