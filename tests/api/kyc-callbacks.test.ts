/** Callbacks of the identity provider by type, level and answer, and what its record says beside them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { KycStatus } from "@cardkeep/contract/verification/kyc";
import { kycApplicants } from "@cardkeep/db/sandbox/tables";
import { kycChecks, users } from "@cardkeep/db/schema/tables";
import { createContext } from "@cardkeep/domain/core/context";
import { checkVerdicts } from "@cardkeep/domain/verification/kyc/checkVerdicts";
import { development } from "@cardkeep/runtime/development";
import { eq } from "drizzle-orm";
import { createHmac, randomUUID } from "node:crypto";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(() => service.stop());

const review = (person: Person, outcome: KycStatus, fields: object = {}) =>
  person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome, ...fields });
const statusOf = async (person: Person): Promise<KycStatus> => (await person.call("GET", "/user")).body.kycStatus;
const own = "basic-kyc-level";
const green = { reviewAnswer: "GREEN" };
const final = { reviewAnswer: "RED", reviewRejectType: "FINAL" };

/** A callback with the provider's signature; answers the status of the reply. */
async function send(person: Person, applicantId: string, fields: object): Promise<number> {
  const raw = JSON.stringify({
    applicantId,
    externalUserId: person.userId,
    correlationId: randomUUID(),
    levelName: own,
    applicantType: "individual",
    createdAtMs: Date.now(),
    sandboxMode: true,
    ...fields,
  });
  const digest = createHmac("sha256", development.KYC_CALLBACK_SECRET).update(raw).digest("hex");
  const headers = { "X-Payload-Digest": digest, "X-Payload-Digest-Alg": "HMAC_SHA256_HEX" };
  return (await fetch(`${service.url}/callbacks/sumsub`, { method: "POST", body: raw, headers })).status;
}

/** A person with a status, and the applicant's id. */
async function newPerson(outcome: KycStatus): Promise<[Person, string]> {
  const person = await (await new Person(service).signIn()).signUp();
  const { status, body } = await review(person, outcome);
  expect([status, body]).toEqual([200, expect.objectContaining({ applicantId: expect.any(String) })]);
  return [person, body.applicantId];
}

const changeRecord = (person: Person, change: Partial<typeof kycApplicants.$inferInsert>) =>
  service.runtime.store
    .update(kycApplicants)
    .set(change)
    .where(eq(kycApplicants.externalUserId, person.userId ?? ""));

describe("a verdict", () => {
  test.each([
    ["phone-only", "individual"],
    ["basic-kyb-level", "company"],
    [own, "company"],
  ])("of level %p about a %p approves nobody", async (levelName, applicantType) => {
    const [person, applicantId] = await newPerson("pending");
    if (levelName !== own) await review(person, "approved", { level: levelName, isSilent: true });
    const callback = { type: "applicantReviewed", levelName, applicantType, reviewResult: green };
    expect(await send(person, applicantId, callback)).toBe(200);
    expect(await statusOf(person)).toBe("pending");
  });

  test("of another level through the desk approves nobody, and the configured one does", async () => {
    const [person] = await newPerson("pending");
    await review(person, "approved", { level: "phone-only" });
    expect(await statusOf(person)).toBe("pending");
    await review(person, "approved", { level: own });
    expect(await statusOf(person)).toBe("approved");
  });

  test("of another level neither ends an approval nor asks for documents; a final rejection needs a person", async () => {
    const [person] = await newPerson("approved");
    for (const outcome of [
      "documentsRequested",
      "pending",
      "processing",
      "requiresAction",
      "resubmissionRequested",
    ] as const) {
      await review(person, outcome, { level: "address" });
      expect(await statusOf(person)).toBe("approved");
    }
    await review(person, "rejected", { level: "address" });
    expect(await statusOf(person)).toBe("requiresAction");
  });

  test("that approves late counts no more than the rejection in the record, whose callback was lost", async () => {
    const [person, applicantId] = await newPerson("pending");
    await review(person, "rejected", { isSilent: true });
    expect(await send(person, applicantId, { type: "applicantReviewed", reviewResult: green })).toBe(200);
    expect(await statusOf(person)).toBe("rejected");
  });

  test("approves nobody with documents that ended", async () => {
    const [person] = await newPerson("pending");
    await review(person, "approved", { applicant: { documentValidUntil: "2020-01-31" } });
    expect(await statusOf(person)).toBe("resubmissionRequested");
    await review(person, "approved", { applicant: { documentValidUntil: "2120-01-31" } });
    expect(await statusOf(person)).toBe("approved");
  });
});

describe("a GREEN about a person", () => {
  const bornYearsAgo = (years: number, days: number) => {
    const day = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    // No person is born on a day that their year does not have.
    return `${Number(day.slice(0, 4)) - years}${day.slice(4)}`.replace("-02-29", days > 0 ? "-03-01" : "-02-28");
  };

  test.each([
    ["who is 18 today", bornYearsAgo(18, 0), "approved"],
    ["who will be 18 in two days", bornYearsAgo(18, 2), "requiresAction"],
    ["without a birth date", null, "requiresAction"],
  ] as const)("%s", async (_, birthDate, status) => {
    const [person] = await newPerson("pending");
    await review(person, "approved", { applicant: { birthDate } });
    expect(await statusOf(person)).toBe(status);
  });

  test("whose record is gone approves nobody", async () => {
    const [person, applicantId] = await newPerson("pending");
    await service.runtime.store.delete(kycApplicants).where(eq(kycApplicants.externalUserId, person.userId ?? ""));
    await send(person, applicantId, { type: "applicantReviewed", reviewResult: green });
    expect(await statusOf(person)).not.toBe("approved");
  });
});

/** What the record says, and the status of an approved person after a callback that asks for it. */
const records: readonly (readonly [string, (person: Person) => Promise<unknown>, KycStatus])[] = [
  ["still approves", async () => {}, "approved"],
  ["was rejected", (person) => review(person, "rejected", { isSilent: true }), "rejected"],
  ["asks again", (person) => review(person, "resubmissionRequested", { isSilent: true }), "resubmissionRequested"],
  ["was reset", (person) => review(person, "notStarted", { isSilent: true }), "notStarted"],
  ["is on hold", (person) => review(person, "requiresAction", { isSilent: true }), "requiresAction"],
  ["was deactivated", (person) => changeRecord(person, { isDeactivated: true }), "requiresAction"],
  ["is of another level", (person) => review(person, "pending", { isSilent: true, level: "address" }), "approved"],
  [
    "was rejected at another level",
    (person) => review(person, "rejected", { isSilent: true, level: "address" }),
    "requiresAction",
  ],
  [
    "was deleted",
    (person) =>
      service.runtime.store.delete(kycApplicants).where(eq(kycApplicants.externalUserId, person.userId ?? "")),
    "notStarted",
  ],
];

test.each(records)("a callback that asks, about an approved person whose record %s", async (_, change, status) => {
  const [person, applicantId] = await newPerson("approved");
  await change(person);
  for (const reviewResult of [final, green, undefined])
    expect(await send(person, applicantId, { type: "applicantLevelChanged", reviewResult })).toBe(200);
  expect(await statusOf(person)).toBe(status);
});

test.each([
  "applicantPersonalInfoChanged",
  "applicantTagsChanged",
  "applicantActivated",
  "applicantDeactivated",
  "applicantDeleted",
  "applicantPersonalDataDeleted",
  "applicantActionReviewed",
  "applicantWorkflowCompleted",
  "applicantWorkflowFailed",
])("%s asks for the record, whatever it says itself", async (type) => {
  const [person, applicantId] = await newPerson("approved");
  await review(person, "rejected", { isSilent: true });
  for (const reviewResult of [final, green, undefined])
    expect(await send(person, applicantId, { type, reviewResult })).toBe(200);
  expect(await statusOf(person)).toBe("rejected");
});

test("changed data of a verified person are taken over, and the person stays verified", async () => {
  const [person, applicantId] = await newPerson("approved");
  const moved = { applicant: { address1: "New Street 7", city: "Bremen", lastName: "Byron" }, isSilent: true };
  await review(person, "approved", moved);
  expect(await send(person, applicantId, { type: "applicantPersonalInfoChanged" })).toBe(200);
  const { body } = await person.call("GET", "/user");
  expect(body).toMatchObject({ kycStatus: "approved", address1: "New Street 7", city: "Bremen", lastName: "Byron" });
});

test("a person who was deleted at the provider begins again with a new applicant", async () => {
  const [person, applicantId] = await newPerson("approved");
  await service.runtime.store.delete(kycApplicants).where(eq(kycApplicants.externalUserId, person.userId ?? ""));
  expect(await send(person, applicantId, { type: "applicantDeleted" })).toBe(200);
  expect(await statusOf(person)).toBe("notStarted");
  await review(person, "approved");
  expect(await statusOf(person)).toBe("approved");
  // The former applicant is nobody's now.
  expect(await send(person, applicantId, { type: "applicantReviewed", reviewResult: final })).toBe(409);
  expect(await statusOf(person)).toBe("approved");
});

test("a callback that asks names the applicant of the person, or is refused", async () => {
  const [ada] = await newPerson("approved");
  const [, ofBob] = await newPerson("pending");
  await review(ada, "rejected", { isSilent: true });
  expect(await send(ada, ofBob, { type: "applicantLevelChanged" })).toBe(409);
  expect(await statusOf(ada)).toBe("approved");
});

test("the record that a callback asked for does not undo a callback that was applied meanwhile", async () => {
  const [person, applicantId] = await newPerson("approved");
  await person.sandbox("PUT", "/faults/kyc.slow", { ms: 1_000 });
  const asking = send(person, applicantId, { type: "applicantTagsChanged" });
  await until(async () => (await person.sandbox("GET", "/faults")).body.some(({ hits }: { hits: number }) => hits > 0));
  expect(await send(person, applicantId, { type: "applicantReviewed", reviewResult: final })).toBe(200);
  expect(await asking).toBe(200);
  await person.sandbox("DELETE", "/faults");
  expect(await statusOf(person)).toBe("rejected");
});

test("a callback that comes while the provider is asked about a stranger keeps the person in the rotation", async () => {
  const { services, log, db } = service.runtime;
  const person = await (await new Person(service).signIn()).signUp();
  const userId = person.userId ?? "";
  const longAgo = new Date(Date.now() - 40 * 86_400_000);
  await db.update(users).set({ createdAt: longAgo }).where(eq(users.id, userId));
  await db.update(kycChecks).set({ dueAt: longAgo }).where(eq(kycChecks.userId, userId));
  const findApplicant: typeof services.kyc.findApplicant = async (id) => {
    const answer = await services.kyc.findApplicant(id);
    if (id === userId) await review(person, "approved");
    return answer;
  };
  const asking = { ...services, kyc: { ...services.kyc, findApplicant } };
  const { signal: stopping } = new AbortController();
  await checkVerdicts({ ...createContext(asking, { log, requestId: "test" }), stopping });
  expect(await statusOf(person)).toBe("approved");
  expect(await db.$count(kycChecks, eq(kycChecks.userId, userId))).toBe(1);
});
