import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { cardCall } from "@cardkeep/domain/cards/cards/cardCall";
import { announceCall, sendCall } from "@cardkeep/domain/core/cardholders/issuerCall";
import { freezeCard, unfreezeCard } from "@cardkeep/domain/cards/cards/changeOwnCard";
import { findAlerts } from "@cardkeep/domain/operations/alerts/findAlerts";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { expireCards } from "@cardkeep/domain/operations/housekeeping/expireCards";
import { createContext } from "@cardkeep/domain/core/context";
import { listJobs, retryJob } from "@cardkeep/domain/core/jobs/listJobs";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import { cards } from "@cardkeep/db/schema/tables";
import { eq, type SQL, sql } from "drizzle-orm";
import { createPhysical } from "../support/cards.ts";
import { did, type IssuerCard, openIssuerCard, pending } from "../support/issuerCard.ts";
import { operatorOf } from "../support/operator.ts";
import { expectWithin, until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { use, useOnce } from "../support/spending.ts";

let service: Service;
let card: IssuerCard;
beforeAll(async () => {
  service = await startService();
  card = await openIssuerCard(service);
});
afterEach(() => card.ada.person.sandbox("DELETE", "/faults"));
afterAll(() => service.stop());

const contextOf = () => ({
  ...createContext(service.runtime.services, { log: service.runtime.log, requestId: "crashed" }),
  actor: { userId: card.ada.person.userId ?? "", signerAddress: "0x0000000000000000000000000000000000000001" as const },
});

describe("a card is used right after the 200", () => {
  test("of unfreeze, again and again, also beside the job and a repeated request", async () => {
    for (const key of ["one", "two", "three"]) {
      expect(await card.move("freeze")).toEqual(did("Card frozen successfully"));
      expect(await useOnce(card.ada, 100)).toMatchObject({ approved: false });
      const headers = { "Idempotency-Key": key };
      const answers = await Promise.all([card.move("unfreeze", headers), card.move("unfreeze", headers)]);
      // The second waits for the first's answer, or is refused while the first is under way.
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.map(({ status }) => status)).toEqual(refused.length === 0 ? [] : [409]);
      expect(answers).toContainEqual(did("Card unfrozen successfully"));
      expect(answers.filter(({ status }) => status === 200)).toEqual(
        Array.from({ length: 2 - refused.length }, () => did("Card unfrozen successfully")),
      );
      expect(await card.atIssuerIs()).toBe("active");
      expect(await use(card.ada, 100)).toMatchObject({ approved: true });
    }
    await card.untilSynced("active");
  });

  test("of activate", async () => {
    const physical = await createPhysical(card.ada.person);
    const { id = "", cardToken = "" } = physical ?? {};
    const { status, body } = await card.ada.person.call("POST", `/cards/${id}/activate`);
    expect({ status, body }).toEqual(did("Card activated successfully"));
    expect(await use({ ...card.ada, cardToken }, 100)).toMatchObject({ approved: true });
    await card.ada.person.call("POST", `/cards/${id}/lost`);
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
        await card.ada.person.sandbox("DELETE", "/faults");
        await card.move("freeze");
        await card.untilSynced("inactive");
        await card.fault(kind, options);
        const startedAtMs = performance.now();
        expect(await card.move("unfreeze")).toEqual(pending("Card unfrozen successfully"));
        return performance.now() - startedAtMs;
      });
      expect(await card.statusOf()).toMatchObject({
        statusCode: 1000,
        isFrozen: false,
        pending: true,
        pendingStatus: "active",
        pendingText: expect.stringContaining("active"),
      });
      const findRefused = async () =>
        (await listJobs(service.runtime.services, { limit: 100 })).find(
          ({ task, lastError }) => task === "card.sync" && lastError !== null,
        );
      if (name === "refusing") await until(async () => (await findRefused()) !== undefined);
      const refused = await findRefused();
      await card.ada.person.sandbox("DELETE", "/faults");
      // A refusal is an error of the job, which the operator sees, and has tried again.
      if (refused) await retryJob(operatorOf(service.runtime, "test"), { id: refused.id });
      expect(refused === undefined).toBe(name !== "refusing");
      await until(async () => (await card.atIssuerIs()) === "active");
      await card.untilSynced("active");
    });
  }

  test("does not delay a freeze, which declines at once", async () => {
    // The issuer answers nothing until the fault is off, so the answer does not wait for it.
    await card.fault("issuer.hang", { match: "/v1/issuing/cards" });
    expect(await card.move("freeze")).toEqual(did("Card frozen successfully"));
    expect(await useOnce(card.ada, 100)).toMatchObject({ approved: false, reason: "card_not_active" });
    await card.ada.person.sandbox("DELETE", "/faults");
    await card.untilSynced("inactive");
    expect(await card.move("unfreeze")).toEqual(did("Card unfrozen successfully"));
  });
});

describe("a card whose status the issuer does not take", () => {
  const findingOf = async () =>
    (await diagnose(service.runtime.services, { asksProviders: false })).find(
      ({ check }) => check === "cards at the issuer",
    );
  const execute = (statement: SQL) => service.runtime.db.execute(statement);

  test("for minutes is a fault of the doctor that names it, and an alert of its own", async () => {
    const key = `card.sync:${card.cardId}`;
    const jobs = sql`graphile_worker._private_jobs where key = ${key}`;
    await card.fault("issuer.error", { status: 400, match: "/v1/issuing/cards" });
    expect(await card.move("freeze")).toEqual(did("Card frozen successfully"));
    await until(async () => (await execute(sql`select 1 from ${jobs} and last_error is not null`)).length === 1);
    expect((await findingOf())?.severity).toBe("ok");
    await execute(
      sql`update graphile_worker._private_jobs set created_at = now() - interval '4 minutes' where key = ${key}`,
    );
    expect(await findingOf()).toMatchObject({
      severity: "fault",
      text: expect.stringContaining(`has not taken the status of ${card.cardId} (inactive) for minutes: see`),
      parts: [card.cardId],
    });
    const keys = (await findAlerts(service.runtime.services)).map((alert) => alert.key);
    expect(keys).toContain(`doctor:cards at the issuer:${card.cardId}`);
    await card.ada.person.sandbox("DELETE", "/faults");
    await execute(sql`update graphile_worker._private_jobs set run_at = now() where key = ${key} and is_available`);
    await card.untilSynced("inactive");
    expect((await findingOf())?.severity).toBe("ok");
    expect(await card.move("unfreeze")).toEqual(did("Card unfrozen successfully"));
  });

  test("waits behind all others where the card expired, which is no fault", async () => {
    const { services, log, db } = service.runtime;
    const { id = "" } = (await createPhysical(card.ada.person)) ?? {};
    await card.fault("issuer.error", { status: 400, match: "/v1/issuing/cards" });
    await db.update(cards).set({ expiresAt: new Date() }).where(eq(cards.id, id));
    await expireCards({
      ...createContext(services, { log, requestId: "expiry" }),
      stopping: new AbortController().signal,
    });
    await card.move("freeze");
    const priorityOf = async (cardId: string) =>
      (
        await execute(sql`select priority from graphile_worker._private_jobs
          where key = ${`card.sync:${cardId}`} and last_error is not null`)
      )[0]?.["priority"];
    await until(async () => (await priorityOf(id)) !== undefined && (await priorityOf(card.cardId)) !== undefined);
    expect(await priorityOf(id)).toBeGreaterThan(Number(await priorityOf(card.cardId)));
    await execute(sql`update graphile_worker._private_jobs
      set created_at = now() - interval '4 minutes' where key like 'card.sync:%'`);
    expect((await findingOf())?.parts).toEqual([card.cardId]);
    await card.ada.person.sandbox("DELETE", "/faults");
    await execute(sql`update graphile_worker._private_jobs
      set run_at = now() where key like 'card.sync:%' and is_available`);
    await card.untilSynced("inactive");
    expect(await card.move("unfreeze")).toEqual(did("Card unfrozen successfully"));
  });
});

describe("a freeze during the call of an unfreeze ends frozen at the issuer", () => {
  for (const [name, ms, told] of [
    ["that is answered", 1_000, "inactive"],
    ["that arrives after its caller gave up", 1_900, "active"],
  ] as const) {
    test(name, async () => {
      await card.move("freeze");
      await card.untilSynced("inactive");
      await card.fault("issuer.slow", { ms, count: 1, match: "/v1/issuing/cards" });
      const unfrozen = card.move("unfreeze");
      await until(async () => (await card.rowOf()).issuerCallEndsAt !== null);
      if (ms > 1_500) await unfrozen;
      expect(await card.move("freeze")).toEqual(did("Card frozen successfully"));
      // Neither is told that the card pays: the issuer's status is not yet the one that counts.
      const answer = pending("Card unfrozen successfully");
      const pendingText = expect.stringContaining(`that the card is ${told}.`);
      expect(await unfrozen).toEqual({ ...answer, body: { ...answer.body, pendingText } });
      await card.untilSynced("inactive");
      expect(await card.statusOf()).toMatchObject({ isFrozen: true });
      expect(await useOnce(card.ada, 100)).toMatchObject({ approved: false, reason: "card_inactive" });
      expect(await card.move("unfreeze")).toEqual(did("Card unfrozen successfully"));
    });
  }
});

describe("a call without success", () => {
  /** How long the card stays busy after a call that ended with this error. */
  const busyMsAfter = async (error: Error): Promise<number> => {
    const ctx = contextOf();
    const subject = cardCall(ctx, card.cardId);
    await ctx.commit(await unfreezeCard(ctx, { cardId: card.cardId }));
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
    await card.untilSynced("active");
    await card.move("freeze");
    await card.untilSynced("inactive");
    expect(busyMs).toHaveLength(1);
    return busyMs[0] ?? 0;
  };

  test("keeps the card busy where it was lost, because it may still arrive, and not where it was refused", async () => {
    await card.move("freeze");
    await card.untilSynced("inactive");
    expect(await busyMsAfter(new ProviderUnavailable("No answer"))).toBeGreaterThanOrEqual(1_000);
    expect(await busyMsAfter(new ProviderRefused(400, "Refused"))).toBe(0);
    await card.move("unfreeze");
    await card.untilSynced("active");
  });
});

describe("a server that dies", () => {
  test("between commit and call leaves the job, which syncs the issuer", async () => {
    const ctx = contextOf();
    await ctx.commit(await freezeCard(ctx, { cardId: card.cardId }));
    expect(await card.statusOf()).toMatchObject({ isFrozen: true, pendingStatus: "inactive" });
    await card.untilSynced("inactive");
  });

  test("during the call: the job waits until the call is over, and sends the status again", async () => {
    const ctx = contextOf();
    await ctx.commit(await unfreezeCard(ctx, { cardId: card.cardId }));
    expect(await announceCall(ctx, cardCall(ctx, card.cardId), 1_000)).toMatchObject({ kind: "begun" });
    expect(await announceCall(ctx, cardCall(ctx, card.cardId), 1_000)).toMatchObject({ kind: "busy" });
    await card.untilSynced("active");
  });
});
