/** A day without callbacks of the identity provider: everybody is asked about again, and everything converges. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { KycStatus } from "@cardkeep/contract/verification/kyc";
import { compareCallbacks } from "@cardkeep/domain/cards/cards/compareCallbacks";
import { generateId } from "@cardkeep/domain/core/generateId";
import { checkVerdicts } from "@cardkeep/domain/verification/kyc/checkVerdicts";
import { readMigrations } from "@cardkeep/db/applyMigrations";
import { findWalletToken } from "@cardkeep/db/queries/cards/walletTokens";
import { productMigrations } from "@cardkeep/db/migrations";
import { kycApplicants } from "@cardkeep/db/sandbox/tables";
import { cardStatusCodes } from "@cardkeep/contract/cards/cards";
import {
  cardPayments,
  cards,
  discrepancies,
  ibanOrders,
  issuerCallbacks,
  kycApplications,
  kycCallbacks,
  kycChecks,
  users,
  walletTokens,
} from "@cardkeep/db/schema/tables";
import { and, eq, inArray, sql } from "drizzle-orm";
import { becomeIbanHolder } from "../support/ibans.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { createWorkerContext } from "../support/workerContext.ts";
import { createPhysical, createVirtual } from "../support/cards.ts";
import {
  atIssuer,
  becomeCardHolder,
  type CardHolder,
  follow,
  untilSettled,
  use,
  useOnce,
} from "../support/spending.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const patience = { timeoutMs: 30_000 };
const review = (person: Person, outcome: KycStatus, fields: object = {}) =>
  person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome, ...fields });
/** A city where no generated person lives: who lives there already does not move. */
const otherCity = "Weltenburg";
const newPerson = async (outcome: KycStatus | null) => {
  const person = await (await new Person(service).signIn()).signUp();
  if (outcome !== null) await review(person, outcome);
  return person;
};
const passDay = () => new Person(service).sandbox("POST", "/chain/advance", { seconds: 86_400 });
/**
 * Days pass until it is so. A question that was open when the provider's record changed has the old record for an answer,
 * and the next day asks again.
 */
const passDaysUntil = (isSo: () => Promise<boolean>) =>
  until(async () => {
    await passDay();
    return until(isSo, { timeoutMs: 5_000 }).then(
      () => true,
      () => false,
    );
  }, patience);
/** From the rows: a day ends access tokens. */
const haveStatuses = async (wanted: readonly (readonly [Person, KycStatus])[]): Promise<boolean> => {
  const rows = await service.runtime.db
    .select({ id: users.id, kycStatus: users.kycStatus })
    .from(users)
    .where(
      inArray(
        users.id,
        wanted.map(([{ userId }]) => userId ?? ""),
      ),
    );
  const found = new Map(rows.map(({ id, kycStatus }) => [id, kycStatus]));
  return wanted.every(([{ userId }, status]) => found.get(userId ?? "") === status);
};

const checkOf = async ({ userId }: Person) =>
  (
    await service.runtime.db
      .select()
      .from(kycChecks)
      .where(eq(kycChecks.userId, userId ?? ""))
  )[0];

/** A person whom the provider did not know for so long that it is asked no more. */
const newStranger = async (): Promise<Person> => {
  const stranger = await newPerson(null);
  const month = new Date(Date.now() - 40 * 86_400_000);
  await service.runtime.db
    .update(users)
    .set({ createdAt: month })
    .where(eq(users.id, stranger.userId ?? ""));
  // The provider has to answer twice: the person may have begun before the first answer.
  await passDaysUntil(async () => (await checkOf(stranger)) === undefined);
  return stranger;
};

describe("a day whose callbacks of identity are all lost", () => {
  test("ends with every person as the provider knows them", async () => {
    const changes: [KycStatus | null, KycStatus][] = [
      [null, "pending"],
      [null, "approved"],
      ["pending", "processing"],
      ["pending", "approved"],
      ["rejected", "approved"],
      ["resubmissionRequested", "requiresAction"],
      ["approved", "resubmissionRequested"],
      ["approved", "notStarted"],
      ["approved", "rejected"],
    ];
    const people: [Person, KycStatus, KycStatus][] = [];
    for (const [from, to] of changes) people.push([await newPerson(from), from ?? "notStarted", to]);
    for (const [person, , to] of people) await review(person, to, { isSilent: true });
    expect(await haveStatuses(people.map(([person, from]) => [person, from]))).toBe(true);
    await passDaysUntil(() => haveStatuses(people.map(([person, , to]) => [person, to])));
    const [lost] = people.filter(([, from, to]) => from === "approved" && to === "rejected");
    const id = lost?.[0].userId ?? "";
    const [found] = await service.runtime.db.select().from(discrepancies).where(eq(discrepancies.subjectId, id));
    expect(found).toMatchObject({ kind: "verdict", action: "Applied it" });
  }, 90_000);

  test("finds changed data, an applicant that was deleted, and documents that ended", async () => {
    const [moved, deleted, ended] = [
      await newPerson("approved"),
      await newPerson("approved"),
      await newPerson("approved"),
    ];
    await review(moved, "approved", { applicant: { city: otherCity }, isSilent: true });
    await service.runtime.store.delete(kycApplicants).where(eq(kycApplicants.externalUserId, deleted.userId ?? ""));
    await review(ended, "approved", { applicant: { documentValidUntil: "2020-01-31" }, isSilent: true });
    const readCity = async () => {
      const [row] = await service.runtime.db
        .select()
        .from(users)
        .where(eq(users.id, moved.userId ?? ""));
      return row?.city;
    };
    await passDaysUntil(
      async () =>
        (await readCity()) === otherCity &&
        (await haveStatuses([
          [moved, "approved"],
          [deleted, "notStarted"],
          [ended, "resubmissionRequested"],
        ])),
    );
  }, 60_000);

  test("asks about a person once a day, and about one whom the provider never knew not for ever", async () => {
    const person = await newPerson("approved");
    const first = await checkOf(person);
    await passDay();
    await until(async () => (await checkOf(person))?.answeredAt != null, patience);
    const next = await checkOf(person);
    const aheadMs = (next?.dueAt.getTime() ?? 0) - (next?.answeredAt?.getTime() ?? 0);
    expect(aheadMs).toBeGreaterThan(0);
    expect(aheadMs).toBeLessThanOrEqual(86_400_000);
    expect(next?.dueAt.getTime()).toBeGreaterThan(first?.dueAt.getTime() ?? Infinity);
    await newStranger();
  }, 60_000);

  test("keeps a row of an answer only where it changed something", async () => {
    const { db } = service.runtime;
    const person = await newPerson("approved");
    const countRows = () => db.$count(kycCallbacks, eq(kycCallbacks.userId, person.userId ?? ""));
    const askAgain = async () => {
      const before = (await checkOf(person))?.answeredAt?.getTime() ?? 0;
      const isPerson = eq(kycChecks.userId, person.userId ?? "");
      await db
        .update(kycChecks)
        .set({ dueAt: new Date(0) })
        .where(isPerson);
      await checkVerdicts(createWorkerContext(service.runtime));
      // The service's own worker may have taken the check.
      await until(async () => ((await checkOf(person))?.answeredAt?.getTime() ?? 0) > before, patience);
    };
    const first = await countRows();
    await askAgain();
    await askAgain();
    expect(await countRows()).toBe(first);
    await review(person, "approved", { applicant: { city: otherCity }, isSilent: true });
    await askAgain();
    expect(await countRows()).toBe(first + 1);
    await review(person, "rejected", { isSilent: true });
    await askAgain();
    await askAgain();
    expect(await countRows()).toBe(first + 2);
  }, 60_000);

  test("also finds the end of documents of a person who was a stranger, and of one whose check an earlier version forgot", async () => {
    const [stranger, forgotten] = [await newStranger(), await newPerson("approved")];
    await review(stranger, "approved");
    expect(await checkOf(stranger)).toBeDefined();
    await service.runtime.db.delete(kycChecks).where(eq(kycChecks.userId, forgotten.userId ?? ""));
    const added =
      readMigrations(productMigrations.folder)
        .find(({ name }) => name.startsWith("0021_"))
        ?.statements.at(-1) ?? "";
    await service.ownerDb.execute(sql.raw(added));
    for (const person of [stranger, forgotten])
      await review(person, "approved", { applicant: { documentValidUntil: "2020-01-31" }, isSilent: true });
    await passDaysUntil(() =>
      haveStatuses([
        [stranger, "resubmissionRequested"],
        [forgotten, "resubmissionRequested"],
      ]),
    );
  }, 60_000);
});

test("who begins after the rotation forgot them is asked about again, also where the provider does not know them at first", async () => {
  const stranger = await newStranger();
  await stranger.signIn();
  expect((await stranger.call("GET", "/kyc/integration")).status).toBe(200);
  await passDay();
  await until(async () => (await checkOf(stranger))?.answeredAt != null, patience);
  await review(stranger, "approved", { isSilent: true });
  await passDaysUntil(() => haveStatuses([[stranger, "approved"]]));
}, 60_000);

test("a day whose callbacks of identity, issuer and institution are all lost ends as the three of them have it", async () => {
  const { db } = service.runtime;
  const holder = await becomeCardHolder(service);
  const iban = await becomeIbanHolder(holder.person);
  const other = await newPerson("approved");
  const { threadId } = await use(holder, 1_000);
  await untilSettled(service);
  await holder.person.sandbox("PUT", "/faults/callbacks.lose", {});
  await holder.person.sandbox("PUT", "/issuer/stand-in", { decision: "approve", amountMax: 500 });
  await follow(holder, threadId, "clear", { amount: 800 });
  await follow(holder, threadId, "refund", { amount: 200 });
  const alone = await useOnce(holder, 300);
  expect(alone.approved).toBe(true);
  const incoming = { iban, amount: "25.50", currency: "eur" };
  const { orderId } = (await holder.person.sandbox("POST", "/emoney/incoming", incoming)).body;
  await review(other, "rejected");
  const readAll = async () => {
    const isOne = inArray(cardPayments.threadId, [threadId, alone.threadId]);
    const payments = await db.select().from(cardPayments).where(isOne).orderBy(cardPayments.createdAt);
    return {
      payments: payments.map(({ capturedCents, refundedCents, status }) => [status, capturedCents, refundedCents]),
      orders: await db.$count(ibanOrders, eq(ibanOrders.id, orderId)),
    };
  };
  expect((await readAll()).payments[0]).toEqual(["AUTHORIZED", 0n, 0n]);
  expect((await readAll()).orders).toBe(0);
  await holder.person.sandbox("DELETE", "/faults");
  await holder.person.sandbox("PUT", "/issuer/stand-in", {});
  await passDaysUntil(() => haveStatuses([[other, "rejected"]]));
  const wanted: Awaited<ReturnType<typeof readAll>> = {
    payments: [
      ["CLEARED", 800n, 200n],
      ["AUTHORIZED", 0n, 0n],
    ],
    orders: 1,
  };
  await until(async () => Bun.deepEquals(await readAll(), wanted), patience).catch(() => {});
  expect(await readAll()).toEqual(wanted);
}, 90_000);

/** Proves another phone number, which opens the window in which a thief may have done so. */
async function changePhone({ person }: CardHolder, phoneNumber: string): Promise<void> {
  await person.call("POST", "/verification", { phoneNumber });
  const messages: { code: string | null }[] = (
    await person.sandbox("GET", `/phones?to=${encodeURIComponent(phoneNumber)}`)
  ).body;
  const code = messages.find((message) => message.code !== null)?.code;
  expect((await person.call("POST", "/verification/check", { code })).status).toBe(200);
}

test("a day whose callbacks about cards are all lost ends as the issuer has them: canceled, shipped, warned of fraud, in wallets", async () => {
  const { db } = service.runtime;
  const [holder, robbed] = [await becomeCardHolder(service), await becomeCardHolder(service)];
  const { person, cardToken } = holder;
  const canceledId = await createVirtual(person);
  const canceled = (await person.call("GET", "/cards")).body.find(({ id }: { id: string }) => id === canceledId);
  const shipped = await createPhysical(person);
  await changePhone(robbed, "+4915199000007");
  await person.sandbox("PUT", "/faults/callbacks.lose", {});
  await atIssuer(service, `/v1/issuing/cards/${canceled.cardToken}`, { status: "canceled" });
  await person.sandbox("POST", `/issuer/cards/${shipped?.cardToken}/shipping`, { status: "delivered" });
  await person.sandbox("POST", `/issuer/cards/${cardToken}/fraud-warning`, { type: "third_party_reported" });
  const addToken = async (token: string) =>
    (await person.sandbox("POST", `/issuer/cards/${token}/wallet-tokens`, {})).body.walletTokenId;
  const [own, stolen] = [await addToken(cardToken), await addToken(robbed.cardToken)];
  const readAll = async () => {
    const ofCards = await db
      .select()
      .from(cards)
      .where(inArray(cards.cardToken, [cardToken, canceled.cardToken, shipped?.cardToken ?? ""]));
    const tokens = await db
      .select()
      .from(walletTokens)
      .where(inArray(walletTokens.id, [own, stolen]));
    const find = (token: string | undefined) => ofCards.find((row) => row.cardToken === token);
    return {
      canceled: find(canceled.cardToken)?.statusCode,
      shipped: find(shipped?.cardToken)?.shippingStatus,
      warned: find(cardToken)?.fraudWarningType,
      tokens: Object.fromEntries(tokens.map(({ id, status }) => [id, status])),
    };
  };
  expect(await readAll()).toEqual({ canceled: cardStatusCodes.active, shipped: "ordered", warned: null, tokens: {} });
  await person.sandbox("DELETE", "/faults");
  await passDay();
  const wanted: Awaited<ReturnType<typeof readAll>> = {
    canceled: cardStatusCodes.void,
    shipped: "delivered",
    warned: "third_party_reported",
    tokens: { [own]: "active", [stolen]: "deleted" },
  };
  await until(async () => Bun.deepEquals(await readAll(), wanted), patience).catch(() => {});
  expect(await readAll()).toEqual(wanted);
  expect(await atIssuer(service, `/v1/issuing/tokens/${stolen}`, null)).toMatchObject({ status: "deleted" });
  const { created } = await atIssuer(service, `/v1/issuing/tokens/${own}`, null);
  expect((await findWalletToken(db, own))?.createdAt).toEqual(new Date(created * 1_000));
}, 90_000);

test("the oldest of more than a thousand people are asked about, and one whose record cannot be read holds up nobody", async () => {
  const { db, store } = service.runtime;
  const now = await service.runtime.clock.now(db);
  const ids = Array.from({ length: 1_100 }, () => generateId());
  const applicants = ids.map((id, index) => ({ id: index.toString(16).padStart(24, "0"), externalUserId: id }));
  await db
    .insert(users)
    .values(
      ids.map((id) => ({ id, email: `${id}@example.org`, kycStatus: "approved" as const, createdAt: new Date(0) })),
    );
  await db.insert(kycApplications).values(
    applicants.map(({ id, externalUserId }) => ({
      userId: externalUserId,
      applicantId: id,
      lastEventAtMs: 1n,
      updatedAt: now,
    })),
  );
  const record = { levelName: "basic-kyc-level", reviewStatus: "completed", createdAt: now };
  const reviewResult = { reviewAnswer: "RED", reviewRejectType: "FINAL" };
  await store
    .insert(kycApplicants)
    .values(applicants.map((applicant) => ({ ...applicant, ...record, reviewResult, info: {} })));
  const [broken = ""] = ids;
  await store
    .update(kycApplicants)
    .set({ reviewResult: [1] })
    .where(eq(kycApplicants.externalUserId, broken));
  // The oldest turns, so that the unreadable one comes first. The provider is asked about 20 people a second at most.
  const due = ids.slice(0, 60);
  const tomorrow = new Date(now.getTime() + 86_400_000);
  await db
    .insert(kycChecks)
    .values(ids.map((userId, index) => ({ userId, dueAt: index < due.length ? new Date(index) : tomorrow })));
  const isDue = inArray(users.id, due);
  await until(
    async () => (await db.$count(users, and(isDue, eq(users.kycStatus, "rejected")))) >= due.length - 1,
    patience,
  );
  const [row] = await db.select().from(users).where(eq(users.id, broken));
  expect(row?.kycStatus).toBe("approved");
}, 90_000);

test("a callback of the issuer that cannot be applied holds up none behind it", async () => {
  const shared = { createdAt: new Date(), testMode: true, objectId: null, kind: "ignored" } as const;
  // Postgres keeps no text with this character.
  const listed = [
    { ...shared, id: "evt_before", type: "\u0000" },
    { ...shared, id: "evt_behind", type: "issuing_card.other" },
  ];
  const ctx = createWorkerContext(service.runtime);
  const compared = compareCallbacks({ ...ctx, issuer: { ...ctx.issuer, listCallbacks: async () => listed } }, {});
  await expect(compared).rejects.toThrow();
  const kept = await service.runtime.db.select().from(issuerCallbacks).where(eq(issuerCallbacks.id, "evt_behind"));
  expect(kept).toHaveLength(1);
});
