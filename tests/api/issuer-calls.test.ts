import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import {
  cardCases,
  cardDebts,
  cardholders,
  cardPayments,
  cards,
  events,
  issuerCallbacks,
} from "@cardkeep/db/schema/tables";
import { cardCall } from "@cardkeep/domain/cards/cardCall";
import { announceCall, sendCall } from "@cardkeep/domain/cardholders/issuerCall";
import { freezeCard, unfreezeCard } from "@cardkeep/domain/cards/freezeCard";
import { createContext } from "@cardkeep/domain/context";
import { setStop } from "@cardkeep/domain/stops/setStop";
import { setUserStatus } from "@cardkeep/domain/users/setUserStatus";
import { diagnose } from "@cardkeep/domain/health/diagnose";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import { issuingEventTypes } from "@cardkeep/providers/issuer/stripeEventTypes";
import { signIssuerEvent } from "@cardkeep/sandbox/issuer/events";
import { and, eq, like } from "drizzle-orm";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { createPhysical } from "../support/cards.ts";
import { operatorOf } from "../support/operator.ts";
import { expectWithin, until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import {
  atIssuer,
  becomeCardHolder,
  type CardHolder,
  cent,
  euro,
  follow,
  untilSettled,
  use,
  useOnce,
} from "../support/spending.ts";

let service: Service;
let ada: CardHolder;
let cardId: string;
beforeAll(async () => {
  service = await startService();
  ada = await becomeCardHolder(service);
  const [card] = (await ada.person.call("GET", "/cards")).body;
  cardId = card.id;
});
afterEach(() => ada.person.sandbox("DELETE", "/faults"));
afterAll(() => service.stop());

const move = async (verb: string, headers?: Record<string, string>) => {
  const { status, body } = await ada.person.call("POST", `/cards/${cardId}/${verb}`, undefined, headers);
  return { status, body };
};
const did = (status: string) => ({ status: 200, body: { status } });
const pending = (status: string) => ({
  status: 200,
  body: { status, pending: true, pendingText: expect.stringContaining("card issuer") },
});
const statusOf = async () => (await ada.person.call("GET", `/cards/${cardId}/status`)).body;
const atIssuerIs = async () => (await ada.person.sandbox("GET", `/issuer/cards/${ada.cardToken}`)).body.status;
const fault = (name: string, options: object = {}) => ada.person.sandbox("PUT", `/faults/${name}`, options);
const rowOf = async () => {
  const [row] = await service.runtime.db.select().from(cards).where(eq(cards.id, cardId));
  if (!row) throw new Error("The card has no row");
  return row;
};
const untilSynced = async (status: string) => {
  await until(async () => {
    const row = await rowOf();
    return row.issuerSyncedStatus === row.issuerStatus && row.issuerCallEndsAt === null;
  });
  expect(await atIssuerIs()).toBe(status);
  expect(await statusOf()).not.toHaveProperty("pending");
};
const contextOf = () => ({
  ...createContext(service.runtime.services, { log: service.runtime.log, requestId: "crashed" }),
  actor: { userId: ada.person.userId ?? "", signerAddress: "0x0000000000000000000000000000000000000001" as const },
});

describe("a card is used right after the 200", () => {
  test("of unfreeze, again and again, also beside the job and a repeated request", async () => {
    for (const key of ["one", "two", "three"]) {
      expect(await move("freeze")).toEqual(did("Card frozen successfully"));
      expect(await useOnce(ada, 100)).toMatchObject({ approved: false });
      const headers = { "Idempotency-Key": key };
      const answers = await Promise.all([move("unfreeze", headers), move("unfreeze", headers)]);
      // The second waits for the first's answer, or is refused while the first is under way.
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.map(({ status }) => status)).toEqual(refused.length === 0 ? [] : [409]);
      expect(answers).toContainEqual(did("Card unfrozen successfully"));
      expect(answers.filter(({ status }) => status === 200)).toEqual(
        Array.from({ length: 2 - refused.length }, () => did("Card unfrozen successfully")),
      );
      expect(await atIssuerIs()).toBe("active");
      expect(await use(ada, 100)).toMatchObject({ approved: true });
    }
    await untilSynced("active");
  });

  test("of activate", async () => {
    const card = await createPhysical(ada.person);
    const { id = "", cardToken = "" } = card ?? {};
    const { status, body } = await ada.person.call("POST", `/cards/${id}/activate`);
    expect({ status, body }).toEqual(did("Card activated successfully"));
    expect(await use({ ...ada, cardToken }, 100)).toMatchObject({ approved: true });
    await ada.person.call("POST", `/cards/${id}/lost`);
  });
});

describe("an issuer that does not take the status", () => {
  const cases: [string, string, object][] = [
    ["silent", "issuer.hang", { match: "/v1/issuing/cards" }],
    ["down", "issuer.down", { match: "/v1/issuing/cards" }],
    ["refusing", "issuer.error", { status: 400, match: "/v1/issuing/cards" }],
  ];
  for (const [name, kind, options] of cases) {
    test(`and is ${name}: the answer says so within 3 s, the status shows it, and a job ends it`, async () => {
      await expectWithin(3_000, async () => {
        await ada.person.sandbox("DELETE", "/faults");
        await move("freeze");
        await untilSynced("inactive");
        await fault(kind, options);
        const startedAtMs = performance.now();
        expect(await move("unfreeze")).toEqual(pending("Card unfrozen successfully"));
        return performance.now() - startedAtMs;
      });
      expect(await statusOf()).toMatchObject({
        statusCode: 1000,
        isFrozen: false,
        pending: true,
        pendingStatus: "active",
        pendingText: expect.stringContaining("active"),
      });
      await ada.person.sandbox("DELETE", "/faults");
      // A refusal waits for the operator, or for the next attempt of the queue.
      if (name === "refusing") await move("freeze").then(() => move("unfreeze"));
      await until(async () => (await atIssuerIs()) === "active");
      await untilSynced("active");
    });
  }

  test("does not delay a freeze, which declines at once", async () => {
    // The issuer answers nothing until the fault is off, so the answer does not wait for it.
    await fault("issuer.hang", { match: "/v1/issuing/cards" });
    expect(await move("freeze")).toEqual(did("Card frozen successfully"));
    expect(await useOnce(ada, 100)).toMatchObject({ approved: false, reason: "card_not_active" });
    await ada.person.sandbox("DELETE", "/faults");
    await untilSynced("inactive");
    expect(await move("unfreeze")).toEqual(did("Card unfrozen successfully"));
  });
});

describe("a freeze during the call of an unfreeze ends frozen at the issuer", () => {
  for (const [name, ms] of [
    ["that is answered", 300],
    ["that arrives after its caller gave up", 1_900],
  ] as const) {
    test(name, async () => {
      await move("freeze");
      await untilSynced("inactive");
      await fault("issuer.slow", { ms, count: 1, match: "/v1/issuing/cards" });
      const unfrozen = move("unfreeze");
      await until(async () => (await rowOf()).issuerCallEndsAt !== null);
      if (ms > 1_500) await unfrozen;
      expect(await move("freeze")).toEqual(did("Card frozen successfully"));
      expect((await unfrozen).status).toBe(200);
      await untilSynced("inactive");
      expect(await statusOf()).toMatchObject({ isFrozen: true });
      expect(await move("unfreeze")).toEqual(did("Card unfrozen successfully"));
    });
  }
});

describe("a call without success", () => {
  /** How long the card stays busy after a call that ended with this error. */
  const busyMsAfter = async (error: Error): Promise<number> => {
    const ctx = contextOf();
    const subject = cardCall(ctx, cardId);
    await ctx.commit(await unfreezeCard(ctx, { cardId }));
    const call = await announceCall(ctx, subject, 1_000);
    if (call.kind !== "begun") throw new Error(`The call is ${call.kind}`);
    const busyMs: number[] = [];
    const sent = sendCall(
      ctx,
      {
        ...subject,
        send: () => Promise.reject(error),
        update: (work, change) => {
          busyMs.push((change.issuerCallEndsAt?.getTime() ?? work.now.getTime()) - work.now.getTime());
          return subject.update(work, change);
        },
      },
      call,
    );
    await expect(sent).rejects.toBe(error);
    await untilSynced("active");
    await move("freeze");
    await untilSynced("inactive");
    expect(busyMs).toHaveLength(1);
    return busyMs[0] ?? 0;
  };

  test("keeps the card busy where it was lost, because it may still arrive, and not where it was refused", async () => {
    await move("freeze");
    await untilSynced("inactive");
    expect(await busyMsAfter(new ProviderUnavailable("No answer"))).toBeGreaterThanOrEqual(1_000);
    expect(await busyMsAfter(new ProviderRefused(400, "Refused"))).toBe(0);
    await move("unfreeze");
    await untilSynced("active");
  });
});

describe("a server that dies", () => {
  test("between commit and call leaves the job, which syncs the issuer", async () => {
    const ctx = contextOf();
    await ctx.commit(await freezeCard(ctx, { cardId }));
    expect(await statusOf()).toMatchObject({ isFrozen: true, pendingStatus: "inactive" });
    await untilSynced("inactive");
  });

  test("during the call: the job waits until the call is over, and sends the status again", async () => {
    const ctx = contextOf();
    await ctx.commit(await unfreezeCard(ctx, { cardId }));
    expect(await announceCall(ctx, cardCall(ctx, cardId), 1_000)).toMatchObject({ kind: "begun" });
    expect(await announceCall(ctx, cardCall(ctx, cardId), 1_000)).toMatchObject({ kind: "busy" });
    await untilSynced("active");
  });
});

const personAtIssuer = async () => (await ada.person.sandbox("GET", `/issuer/cards/${ada.cardToken}`)).body.cardholder;
const untilPersonIs = (status: string) => until(async () => (await personAtIssuer()).status === status);
const review = (outcome: string) => ada.person.sandbox("POST", `/kyc/${ada.person.userId}/review`, { outcome });
const operator = () => operatorOf(service.runtime, "test");
const setUser = (status: "ACTIVE" | "DEACTIVATED") =>
  setUserStatus(operator(), { reference: ada.person.userId ?? "", status });

describe("whoever may not pay is inactive at the issuer", () => {
  test("while deactivated, rejected or stopped, in one call for all cards, and back in the former states; a frozen card stays frozen", async () => {
    const blocks: readonly [block: () => Promise<unknown>, unblock: () => Promise<unknown>][] = [
      [() => setUser("DEACTIVATED"), () => setUser("ACTIVE")],
      [() => review("rejected"), () => review("approved")],
      [
        () => setStop(operator(), { name: "card-payments", isStopped: true }),
        () => setStop(operator(), { name: "card-payments", isStopped: false }),
      ],
    ];
    for (const [block, unblock] of blocks) {
      await block();
      await untilPersonIs("inactive");
      expect(await atIssuerIs()).toBe("active");
      expect(await useOnce(ada, 100)).toMatchObject({ approved: false, reason: "cardholder_inactive" });
      await unblock();
      await untilPersonIs("active");
      expect(await use(ada, 100)).toMatchObject({ approved: true });
    }
    await move("freeze");
    await untilSynced("inactive");
    await setUser("DEACTIVATED");
    await untilPersonIs("inactive");
    await setUser("ACTIVE");
    await untilPersonIs("active");
    expect(await atIssuerIs()).toBe("inactive");
    await move("unfreeze");
    await untilSynced("active");
  });

  test("set again each hour where the issuer has another status, of a person or a card", async () => {
    const { db } = service.runtime;
    const [holder] = await db
      .select()
      .from(cardholders)
      .where(eq(cardholders.userId, ada.person.userId ?? ""));
    await atIssuer(service, `/v1/issuing/cardholders/${holder?.issuerId}`, { status: "inactive" });
    await ada.person.sandbox("POST", "/chain/advance", { seconds: 3_700 });
    await untilPersonIs("active");
    await setUser("DEACTIVATED");
    await untilPersonIs("inactive");
    await atIssuer(service, `/v1/issuing/cardholders/${holder?.issuerId}`, { status: "active" });
    await ada.person.sandbox("POST", "/chain/advance", { seconds: 3_700 });
    await untilPersonIs("inactive");
    await setUser("ACTIVE");
    await untilPersonIs("active");
    await move("freeze");
    await untilSynced("inactive");
    await atIssuer(service, `/v1/issuing/cards/${ada.cardToken}`, { status: "active" });
    await ada.person.sandbox("POST", "/chain/advance", { seconds: 3_700 });
    await until(async () => (await atIssuerIs()) === "inactive");
    await move("unfreeze");
    await untilSynced("active");
  });

  test("from the stated unpaid sum of a person on, of many small captures that nothing covers; each of them is a case", async () => {
    const { db } = service.runtime;
    const eve = await becomeCardHolder(service, 3n * euro);
    const statusOfEve = async () =>
      (await eve.person.sandbox("GET", `/issuer/cards/${eve.cardToken}`)).body.cardholder.status;
    const owedCents = async () => {
      const debts = await db
        .select()
        .from(cardDebts)
        .where(eq(cardDebts.userId, eve.person.userId ?? ""));
      return debts.reduce((sum, { owed }) => sum + owed, 0n) / cent;
    };
    const verified = await use(eve, 0);
    const reversed = await use(eve, 100);
    const opened = await use(eve, 110);
    expect([verified.approved, reversed.approved, opened.approved]).toEqual([true, true, true]);
    await follow(eve, reversed.threadId, "reverse");
    await untilSettled(service);
    await follow(eve, verified.threadId, "clear", { amount: 2_000 });
    await follow(eve, reversed.threadId, "clear", { amount: 1_900 });
    await until(async () => (await owedCents()) === 3_710n);
    expect(await statusOfEve()).toBe("active");
    const forced = { kind: "capture", amount: 1_800, currency: "EUR" };
    await eve.person.sandbox("POST", `/issuer/cards/${eve.cardToken}/clearings`, forced);
    await until(async () => (await statusOfEve()) === "inactive");
    expect(await owedCents()).toBe(5_510n);
    const cases = await db
      .select()
      .from(cardCases)
      .where(eq(cardCases.userId, eve.person.userId ?? ""));
    expect(cases.filter(({ kind }) => kind === "unpaid_capture")).toHaveLength(3);
    // No further authorization begins, not even while the service is late; the open one is still captured.
    await ada.person.sandbox("PUT", "/issuer/stand-in", { decision: "approve" });
    await fault("callbacks.late", { match: "issuing_authorization.request", count: 1 });
    for (const amount of [0, 100, 5_000])
      expect(await useOnce(eve, amount)).toMatchObject({ approved: false, reason: "cardholder_inactive" });
    await ada.person.sandbox("PUT", "/issuer/stand-in", {});
    await follow(eve, opened.threadId, "clear", { amount: 110 });
    await untilSettled(service);
    expect(await owedCents()).toBe(5_510n);
  });

  test("and while the issuer does not take it, the doctor and the page of the switches say how many people are left", async () => {
    const finding = async () =>
      (await diagnose(service.runtime.services, { asksProviders: false })).find(
        ({ check }) => check === "people at the issuer",
      );
    await until(async () => (await finding())?.severity === "ok");
    await fault("issuer.down");
    await setStop(operator(), { name: "card-payments", isStopped: true });
    await until(async () => /^The card issuer has the status of \d+ of \d+ people/.test((await finding())?.text ?? ""));
    expect((await finding())?.severity).toBe("warning");
    await ada.person.sandbox("DELETE", "/faults");
    await untilPersonIs("inactive");
    await until(async () => (await finding())?.severity === "ok");
    await setStop(operator(), { name: "card-payments", isStopped: false });
    await untilPersonIs("active");
  });

  test("named in the payment by our own reason, in words for its user", async () => {
    await setUser("DEACTIVATED");
    await untilPersonIs("inactive");
    const { threadId } = await useOnce(ada, 100);
    await until(async () => {
      const [payment] = await service.runtime.db.select().from(cardPayments).where(eq(cardPayments.threadId, threadId));
      return payment?.declineReason === "user_deactivated";
    });
    await setUser("ACTIVE");
    await untilPersonIs("active");
  });
});

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
    expect(await send("issuing_token.updated", { noId: true })).toEqual([401]);
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

  test("that show a frozen card as active have it set inactive again; the issuer's own pause stays", async () => {
    await move("freeze");
    await untilSynced("inactive");
    await atIssuer(service, `/v1/issuing/cards/${ada.cardToken}`, { status: "active" });
    await send("issuing_card.updated", { id: ada.cardToken, status: "active", metadata: {} });
    await until(async () => (await atIssuerIs()) === "inactive");
    await move("unfreeze");
    await atIssuer(service, `/v1/issuing/cards/${ada.cardToken}`, { status: "inactive" });
    await send("issuing_card.updated", { id: ada.cardToken, status: "inactive", metadata: {} });
    expect(await statusOf()).not.toHaveProperty("pending");
    expect(await useOnce(ada, 100)).toMatchObject({ approved: false, reason: "card_inactive" });
    await move("freeze").then(() => move("unfreeze"));
  });
});

const tokensOf = async () => (await ada.person.call("GET", `/cards/${cardId}/wallet-tokens`)).body;
const onToken = async (id: string, method: string, verb = "") =>
  ada.person.call(method, `/cards/${cardId}/wallet-tokens/${id}${verb}`);
const addToWallet = async (fields: object = {}) =>
  (await ada.person.sandbox("POST", `/issuer/cards/${ada.cardToken}/wallet-tokens`, fields)).body.walletTokenId;

describe("a card in a digital wallet", () => {
  test("is listed, pays, is suspended, resumed and deleted, with an event each", async () => {
    const id = await addToWallet({ wallet: "apple_pay", deviceName: "Ada's watch", deviceType: "watch" });
    await until(async () => (await tokensOf())[0]?.status === "active");
    expect((await tokensOf())[0]).toMatchObject({
      id,
      cardId,
      wallet: "apple_pay",
      network: "visa",
      deviceType: "watch",
      deviceName: "Ada's watch",
      lastFourDigits: expect.stringMatching(/^\d{4}$/),
    });
    const paid = await use(ada, 100, { walletTokenId: id, threeDSecure: "authenticated" });
    const exempt = await use(ada, 100, { exemption: "low_value_transaction" });
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
    expect(await useOnce(ada, 100, { walletTokenId: id })).toMatchObject({ approved: false });
    expect(await onToken(id, "POST", "/resume")).toMatchObject({ status: 200, body: { status: "active" } });
    expect(await use(ada, 100, { walletTokenId: id })).toMatchObject({ approved: true });
    await fault("issuer.down", { match: "/v1/issuing/tokens" });
    expect(await onToken(id, "DELETE")).toMatchObject({ status: 503 });
    await ada.person.sandbox("DELETE", "/faults");
    expect(await onToken(id, "DELETE")).toMatchObject({ status: 200, body: { status: "deleted" } });
    expect(await onToken(id, "DELETE")).toMatchObject({ status: 422 });
    expect(await onToken("intok_none", "DELETE")).toMatchObject({ status: 404 });
    const reported = await service.runtime.db
      .select()
      .from(events)
      .where(and(eq(events.userId, ada.person.userId ?? ""), like(events.eventType, "card.wallet-token.%")))
      .orderBy(events.sequence);
    const states = reported.map(({ data }) => Object(data).newStatus ?? Object(data).walletToken.status);
    expect(states.slice(-4)).toEqual(["active", "suspended", "active", "deleted"]);
  });

  test("leaves the wallet with the card: lost ends its wallet tokens here and at the issuer", async () => {
    const [first, second] = [await addToWallet(), await addToWallet({ wallet: "google_pay", isApproved: false })];
    await until(async () => (await tokensOf()).length === 3);
    await move("lost");
    expect((await tokensOf()).map(({ status }: { status: string }) => status)).toEqual([
      "deleted",
      "deleted",
      "deleted",
    ]);
    await untilSynced("canceled");
    for (const id of [first, second])
      expect(await atIssuer(service, `/v1/issuing/tokens/${id}`, null)).toMatchObject({ status: "deleted" });
    await send("issuing_token.updated", { id: first, status: "active" });
    expect((await tokensOf()).every(({ status }: { status: string }) => status === "deleted")).toBe(true);
  });
});
