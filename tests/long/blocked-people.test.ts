import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { kycStatuses } from "@cardkeep/contract/verification/kyc";
import { cardCases, cardDebts, cardholders, cardIssues, cardPayments, users } from "@cardkeep/db/schema/tables";
import { addMissingJobs } from "@cardkeep/db/queue/missing";
import { jobKeyOf } from "@cardkeep/db/queue/catalogue";
import { compareCardholders } from "@cardkeep/domain/core/cardholders/compareCardholders";
import { mirrorCardholders } from "@cardkeep/domain/core/cardholders/mirrorCardholders";
import { enqueueCardholderSync } from "@cardkeep/domain/core/cardholders/syncCardholder";
import { closeCase, listCases } from "@cardkeep/domain/spending/cases/listCases";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { setRisk } from "@cardkeep/domain/verification/sourceOfFunds/setRisk";
import { setStop } from "@cardkeep/domain/operators/stops/setStop";
import { setUserStatus } from "@cardkeep/domain/users/users/setUserStatus";
import { and, eq, sql } from "drizzle-orm";
import { becomeEligible } from "../support/cards.ts";
import { filled } from "../support/filled.ts";
import { becomeIbanHolder } from "../support/ibans.ts";
import { type IssuerCard, openIssuerCard } from "../support/issuerCard.ts";
import { operatorOf } from "../support/operator.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import {
  atIssuer,
  balancesOf,
  becomeCardHolder,
  cent,
  euro,
  follow,
  setHolding,
  untilSettled,
  use,
  useOnce,
} from "../support/spending.ts";
import { createWorkerContext } from "../support/workerContext.ts";

let service: Service;
let card: IssuerCard;
beforeAll(async () => {
  service = await startService();
  card = await openIssuerCard(service);
});
afterEach(() => card.ada.person.sandbox("DELETE", "/faults"));
afterAll(() => service.stop());

const personAtIssuer = async () =>
  (await card.ada.person.sandbox("GET", `/issuer/cards/${card.ada.cardToken}`)).body.cardholder;
/** A call that was lost on a busy machine is made again after its time: the clock brings that time. */
const untilPersonIs = (status: string) =>
  until(
    async () => {
      if ((await personAtIssuer()).status === status) return true;
      await card.ada.person.sandbox("POST", "/chain/advance", { seconds: 5 });
      return false;
    },
    { everyMs: 500 },
  );
const review = (outcome: string) =>
  card.ada.person.sandbox("POST", `/kyc/${card.ada.person.userId}/review`, { outcome });
const operator = () => operatorOf(service.runtime, "test");
const setRiskOf = (risk: "red" | "green") => setRisk(operator(), { reference: card.ada.person.userId ?? "", risk });
const setUser = (status: "ACTIVE" | "DEACTIVATED") =>
  setUserStatus(operator(), { reference: card.ada.person.userId ?? "", status });

describe("whoever may not pay is inactive at the issuer", () => {
  test("while deactivated, rejected, rated red or stopped, in one call for all cards, and back in the former states; a frozen card stays frozen", async () => {
    const blocks: readonly [block: () => Promise<unknown>, unblock: () => Promise<unknown>][] = [
      [() => setUser("DEACTIVATED"), () => setUser("ACTIVE")],
      [() => review("rejected"), () => review("approved")],
      [() => setRiskOf("red"), () => setRiskOf("green")],
      [
        () => setStop(operator(), { name: "card-payments", isStopped: true }),
        () => setStop(operator(), { name: "card-payments", isStopped: false }),
      ],
    ];
    for (const [block, unblock] of blocks) {
      await block();
      await untilPersonIs("inactive");
      expect(await card.atIssuerIs()).toBe("active");
      expect(await useOnce(card.ada, 100)).toMatchObject({ approved: false, reason: "cardholder_inactive" });
      await unblock();
      await untilPersonIs("active");
      expect(await use(card.ada, 100)).toMatchObject({ approved: true });
    }
    await card.move("freeze");
    await card.untilSynced("inactive");
    await setUser("DEACTIVATED");
    await untilPersonIs("inactive");
    await setUser("ACTIVE");
    await untilPersonIs("active");
    expect(await card.atIssuerIs()).toBe("inactive");
    await card.move("unfreeze");
    await card.untilSynced("active");
  });

  test("set again each hour where the issuer has another status, of a person or a card", async () => {
    const { db } = service.runtime;
    const [holder] = await db
      .select()
      .from(cardholders)
      .where(eq(cardholders.userId, card.ada.person.userId ?? ""));
    await atIssuer(service, `/v1/issuing/cardholders/${holder?.issuerId}`, { status: "inactive" });
    await card.ada.person.sandbox("POST", "/chain/advance", { seconds: 3_700 });
    await untilPersonIs("active");
    await setUser("DEACTIVATED");
    await untilPersonIs("inactive");
    await atIssuer(service, `/v1/issuing/cardholders/${holder?.issuerId}`, { status: "active" });
    await card.ada.person.sandbox("POST", "/chain/advance", { seconds: 3_700 });
    await untilPersonIs("inactive");
    await setUser("ACTIVE");
    await untilPersonIs("active");
    await card.move("freeze");
    await card.untilSynced("inactive");
    await atIssuer(service, `/v1/issuing/cards/${card.ada.cardToken}`, { status: "active" });
    await card.ada.person.sandbox("POST", "/chain/advance", { seconds: 3_700 });
    await until(async () => (await card.atIssuerIs()) === "inactive");
    await card.move("unfreeze");
    await card.untilSynced("active");
  });

  test("also where the hourly comparison read before the change, and writes after it", async () => {
    await untilPersonIs("active");
    const userId = card.ada.person.userId ?? "";
    const ctx = createWorkerContext(service.runtime);
    const [holder] = await ctx.db.select().from(cardholders).where(eq(cardholders.userId, userId));
    const listInactive = async () => ({ cardholderIds: [holder?.issuerId ?? ""], cardTokens: [] });
    const write = await compareCardholders({ ...ctx, issuer: { ...ctx.issuer, listInactive } });
    await ctx.commit(async (work) => {
      await work.tx.update(users).set({ status: "DEACTIVATED" }).where(eq(users.id, userId));
      await enqueueCardholderSync(work, userId);
      await write(work);
    });
    await untilPersonIs("inactive");
    await setUser("ACTIVE");
    await untilPersonIs("active");
  });

  test("also where the person's details change after a call whose answer was lost", async () => {
    const userId = card.ada.person.userId ?? "";
    const ctx = createWorkerContext(service.runtime);
    const [holder] = await ctx.db.select().from(cardholders).where(eq(cardholders.userId, userId));
    await atIssuer(service, `/v1/issuing/cardholders/${holder?.issuerId}`, { status: "inactive" });
    await ctx.commit(async (work) => {
      await work.tx
        .update(cardholders)
        .set({ issuerCallEndsAt: work.now, issuerSyncedDetails: null })
        .where(eq(cardholders.userId, userId));
      await enqueueCardholderSync(work, userId);
    });
    await untilPersonIs("active");
  });

  test("once merchants took refunds back that had left the Safe; each of them is a case, also of a payment that was approved", async () => {
    const { db } = service.runtime;
    const eve = await becomeCardHolder(service, 60n * euro);
    const threads: string[] = [];
    // The same money pays each of them.
    for (let round = 0; round < 2; round++) {
      const { threadId } = await use(eve, 6_000);
      await follow(eve, threadId, "clear");
      await untilSettled(service);
      await follow(eve, threadId, "refund", { amount: 6_000 });
      await untilSettled(service);
      threads.push(threadId);
    }
    await setHolding(service, eve.safe, 0n);
    for (const threadId of threads) await follow(eve, threadId, "take-back", { amount: 6_000 });
    const isOfEve = eq(cardCases.userId, eve.person.userId ?? "");
    await until(async () => (await db.$count(cardCases, isOfEve)) === 2);
    const note = expect.stringContaining(
      "The merchant took a refund back, and 60.00 EUR of it did not leave the account",
    );
    const unpaid = { kind: "unpaid_capture", amountCents: 6_000n, note };
    expect(await db.select().from(cardCases).where(isOfEve)).toMatchObject([unpaid, unpaid]);
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
    await card.ada.person.sandbox("PUT", "/issuer/stand-in", { decision: "approve" });
    await card.fault("callbacks.late", { match: "issuing_authorization.request", count: 1 });
    for (const amount of [0, 100, 5_000])
      expect(await useOnce(eve, amount)).toMatchObject({ approved: false, reason: "cardholder_inactive" });
    await card.ada.person.sandbox("PUT", "/issuer/stand-in", {});
    await follow(eve, opened.threadId, "clear", { amount: 110 });
    await untilSettled(service);
    expect(await owedCents()).toBe(5_510n);
  });

  test("while captures that repeat paid ones wait for so much, and not for a capture beyond its hold, which is collected", async () => {
    const jon = await becomeCardHolder(service, 200n * euro);
    const statusOfJon = async () =>
      (await jon.person.sandbox("GET", `/issuer/cards/${jon.cardToken}`)).body.cardholder.status;
    const totalIs = async (total: bigint) => (await balancesOf(jon)).total === total * euro;
    /** A hold that a capture beside it paid. */
    const endHold = async (merchant: string, amount: number, left: bigint) => {
      const { threadId } = await use(jon, amount, { merchant });
      await untilSettled(service);
      const capture = { amount, merchant, mcc: "5411" };
      await jon.person.sandbox("POST", `/issuer/cards/${jon.cardToken}/clearings`, capture);
      await until(() => totalIs(left));
      return threadId;
    };
    const [other, same] = [await endHold("Greater", 2_000, 180n), await endHold("Same amount", 2_900, 151n)];
    await follow(jon, other, "clear", { amount: 2_100, close: false });
    await until(() => totalIs(130n));
    await untilSettled(service);
    expect(await balancesOf(jon)).toMatchObject({ total: 130n * euro, spendable: 130n * euro });
    expect(await statusOfJon()).toBe("active");
    const repeated = { amount: 2_900, reference: `ref-${same}` };
    for (let times = 0; times < 2; times++) await follow(jon, same, "clear", repeated);
    await until(async () => (await statusOfJon()) === "inactive");
    expect(await useOnce(jon, 100)).toMatchObject({ approved: false, reason: "cardholder_inactive" });
    expect(await totalIs(130n)).toBe(true);
    const chosen = { kind: "double_capture", status: "OPEN", user: jon.person.userId, limit: 2 } as const;
    const [shown, ...others] = await listCases(service.runtime.services, chosen);
    expect(shown).toMatchObject({ threadId: same, amountCents: 5_800n });
    expect(others).toEqual([]);
    await closeCase(operatorOf(service.runtime, "the merchant took it back"), { id: shown?.id ?? "" });
    await until(async () => (await statusOfJon()) === "active");
  });

  test("and while the issuer does not take it, the doctor and the page of the switches say how many people are left", async () => {
    const finding = async () =>
      (await diagnose(service.runtime.services, { asksProviders: false })).find(
        ({ check }) => check === "people at the issuer",
      );
    await until(async () => (await finding())?.severity === "ok");
    await card.fault("issuer.down");
    await setStop(operator(), { name: "card-payments", isStopped: true });
    await until(async () => /^The card issuer has the status of \d+ of \d+ people/.test((await finding())?.text ?? ""));
    expect((await finding())?.severity).toBe("warning");
    await card.ada.person.sandbox("DELETE", "/faults");
    await untilPersonIs("inactive");
    await until(async () => (await finding())?.severity === "ok");
    await setStop(operator(), { name: "card-payments", isStopped: false });
    await untilPersonIs("active");
  });

  test("one whose status the issuer refuses has a job that is given up, and nobody else is derived again", async () => {
    const { db, settings } = service.runtime;
    const eve = await becomeCardHolder(service);
    const userId = eve.person.userId ?? "";
    const rowOfEve = eq(cardholders.userId, userId);
    const [known] = await db.select().from(cardholders).where(rowOfEve);
    const key = jobKeyOf("cardholder.sync", userId);
    const jobOfEve = async () => {
      const [job] = await db.execute<{ attempts: number; isGivenUp: boolean }>(sql`
        select attempts, not is_available and locked_at is null as "isGivenUp"
        from graphile_worker._private_jobs where key = ${key}`);
      return job;
    };
    const isGivenUp = async () => (await jobOfEve())?.isGivenUp === true;
    const isMirrored = async () =>
      (await db.execute(sql`select from graphile_worker.jobs where key like 'cardholders.mirror:%'`)).length > 0;
    const look = () => addMissingJobs(db, { chainId: settings.policy.chainId, now: new Date() });
    const spendLastAttempt = () =>
      db.execute(
        sql`update graphile_worker._private_jobs set attempts = 24, run_at = now() where key = ${key} and is_available`,
      );
    await until(async () => !(await isMirrored()) && (await jobOfEve()) === undefined);
    await db.update(cardholders).set({ issuerId: "ich_unknown" }).where(rowOfEve);
    await setUserStatus(operator(), { reference: userId, status: "DEACTIVATED" });
    await until(async () => {
      await spendLastAttempt();
      return isGivenUp();
    });
    const findPeople = async () =>
      (await diagnose(service.runtime.services, { asksProviders: false })).find(
        ({ check }) => check === "people at the issuer",
      );
    expect((await findPeople())?.severity).toBe("warning");
    await db.execute(sql`update graphile_worker._private_jobs
      set created_at = created_at - interval '4 minutes' where key = ${key}`);
    expect(await findPeople()).toMatchObject({
      severity: "fault",
      text: expect.stringContaining(`has not taken the status of ${userId} (inactive) for minutes`),
      parts: [userId],
    });
    await look();
    expect(await isMirrored()).toBe(false);
    // The hourly comparison asks the issuer again, in vain.
    await mirrorCardholders(createWorkerContext(service.runtime));
    expect(await jobOfEve()).toEqual({ attempts: 25, isGivenUp: true });
    // A job that was lost comes back.
    await db.execute(sql`delete from graphile_worker._private_jobs where key = ${key}`);
    await until(async () => {
      await look();
      return (await jobOfEve()) !== undefined;
    });
    await db
      .update(cardholders)
      .set({ issuerId: known?.issuerId ?? "" })
      .where(rowOfEve);
    await setUserStatus(operator(), { reference: userId, status: "ACTIVE" });
    await until(async () => (await jobOfEve()) === undefined);
  });

  test("named in the payment by our own reason, in words for its user", async () => {
    await setUser("DEACTIVATED");
    await untilPersonIs("inactive");
    const { threadId } = await useOnce(card.ada, 100);
    await until(async () => {
      const [payment] = await service.runtime.db.select().from(cardPayments).where(eq(cardPayments.threadId, threadId));
      return payment?.declineReason === "user_deactivated";
    });
    await setUser("ACTIVE");
    await untilPersonIs("active");
  });

  test("and gets no card that was asked for before the block while the issuer was away", async () => {
    const { db } = service.runtime;
    for (const risk of ["green", "red"] as const) {
      const person = await becomeEligible(new Person(service));
      const userId = person.userId ?? "";
      const statusesOf = async () =>
        (await db.select().from(cardIssues).where(eq(cardIssues.userId, userId))).map(({ status }) => status);
      await card.fault("issuer.down", { match: "/v1/issuing/cardholders" });
      const asked = person.call("POST", "/cards/virtual");
      await until(async () => (await statusesOf()).length === 1);
      if (risk === "red") await setRisk(operator(), { reference: userId, risk });
      else await person.sandbox("POST", `/kyc/${userId}/review`, { outcome: "rejected" });
      // A try that began before the block fails: the issuer is away until the next one.
      await until(async () => !(await statusesOf()).includes("open"));
      await person.sandbox("DELETE", "/faults");
      expect(await statusesOf()).toEqual(["refused"]);
      expect([422, 503]).toContain((await asked).status);
      expect((await person.call("GET", "/cards")).body).toEqual([]);
      expect(await db.select().from(cardholders).where(eq(cardholders.userId, userId))).toEqual([]);
    }
  }, 60_000);

  test("and has a case to close the IBAN, which ends with its reason, and comes back with it and with who closed it", async () => {
    await becomeIbanHolder(card.ada.person);
    const caseOf = async () => {
      const rows = await service.runtime.db.select().from(cardCases).where(eq(cardCases.kind, "iban_to_close"));
      return rows.map(({ userId, status, closedBy }) => [userId, status, closedBy]);
    };
    const { userId } = card.ada.person;
    expect(await caseOf()).toEqual([]);
    let closedBy: string | null = null;
    for (const [block, unblock] of [
      [() => setUser("DEACTIVATED"), () => setUser("ACTIVE")],
      [() => review("rejected"), () => review("approved")],
      [() => setRiskOf("red"), () => setRiskOf("green")],
    ] as const) {
      await block();
      expect(await caseOf()).toEqual([[userId ?? "", "OPEN", closedBy]]);
      await unblock();
      closedBy = "cardkeep";
      expect(await caseOf()).toEqual([[userId ?? "", "CLOSED", closedBy]]);
    }
    await untilPersonIs("active");
  });

  test("and has that case also after the IBAN was reset, before the block or while it is open", async () => {
    const { db } = service.runtime;
    const newHolder = async () => {
      const person = new Person(service);
      await person.becomeAccountHolder();
      await becomeIbanHolder(person);
      return person;
    };
    const caseOf = async ({ userId }: Person) => {
      const isOne = and(eq(cardCases.kind, "iban_to_close"), eq(cardCases.subjectId, userId ?? ""));
      return (await db.select().from(cardCases).where(isOne)).map(({ status }) => status);
    };
    const reset = async (person: Person) => expect((await person.call("DELETE", "/ibans/reset")).status).toBe(200);
    const [early, late] = [await newHolder(), await newHolder()];
    await reset(early);
    await setRisk(operator(), { reference: early.userId ?? "", risk: "red" });
    expect(await caseOf(early)).toEqual(["OPEN"]);
    const reviewLate = (outcome: string) => late.sandbox("POST", `/kyc/${late.userId}/review`, { outcome });
    await reviewLate("rejected");
    expect(await caseOf(late)).toEqual(["OPEN"]);
    await reset(late);
    await setRisk(operator(), { reference: late.userId ?? "", risk: "green" });
    expect(await caseOf(late)).toEqual(["OPEN"]);
    await reviewLate("approved");
    expect(await caseOf(late)).toEqual(["CLOSED"]);
  });

  test("and keeps that case through every status of the review, a reset and a reactivation, until the person is approved", async () => {
    const person = new Person(service);
    await person.becomeAccountHolder();
    await becomeIbanHolder(person);
    const reviewed = (outcome: string) => person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome });
    const caseOf = async () => {
      const isOne = and(eq(cardCases.kind, "iban_to_close"), eq(cardCases.subjectId, person.userId ?? ""));
      return (await service.runtime.db.select().from(cardCases).where(isOne)).map(({ status }) => status);
    };
    // A status before any verdict is no reason by itself.
    await reviewed("pending");
    expect(await caseOf()).toEqual([]);
    await reviewed("rejected");
    for (const outcome of filled(kycStatuses.filter((status) => status !== "approved"))) {
      await reviewed(outcome);
      expect([outcome, await caseOf()]).toEqual([outcome, ["OPEN"]]);
    }
    const reference = person.userId ?? "";
    await reviewed("pending");
    for (const status of ["DEACTIVATED", "ACTIVE"] as const) {
      await setUserStatus(operator(), { reference, status });
      expect(await caseOf()).toEqual(["OPEN"]);
    }
    expect((await person.call("DELETE", "/ibans/reset")).status).toBe(200);
    await reviewed("approved");
    expect(await caseOf()).toEqual(["CLOSED"]);
  });
});
