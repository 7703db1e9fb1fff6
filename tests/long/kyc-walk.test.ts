import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { kycMachine, type KycStatus } from "@cardkeep/contract/verification/kyc";
import { canMove, listStates } from "@cardkeep/contract/core/machine";
import { events } from "@cardkeep/db/schema/tables";
import { development } from "@cardkeep/runtime/development";
import { and, eq } from "drizzle-orm";
import fc from "fast-check";
import { createHmac, randomUUID } from "node:crypto";
import { filled } from "../support/filled.ts";
import { isOfTable, type Move, recordMoves } from "../support/moves.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let moves: () => Promise<Move[]>;
beforeAll(async () => {
  service = await startService({ worker: false });
  moves = await recordMoves(service.ownerDb, "users", "kyc_status");
});
afterAll(() => service.stop());

/** The provider's events and the status that each one sets; null sets none. Source: docs.sumsub.com, "Webhooks". */
const words: readonly { type: string; reviewResult?: object; status: KycStatus | null }[] = [
  { type: "applicantCreated", status: "documentsRequested" },
  { type: "applicantPending", status: "pending" },
  { type: "applicantPrechecked", status: "processing" },
  { type: "applicantOnHold", status: "requiresAction" },
  { type: "applicantReset", status: "notStarted" },
  { type: "applicantReviewed", reviewResult: { reviewAnswer: "GREEN" }, status: "approved" },
  { type: "applicantReviewed", reviewResult: { reviewAnswer: "RED", reviewRejectType: "FINAL" }, status: "rejected" },
  {
    type: "applicantReviewed",
    reviewResult: { reviewAnswer: "RED", reviewRejectType: "RETRY" },
    status: "resubmissionRequested",
  },
  { type: "applicantTagsChanged", status: null },
  { type: "applicantReviewed", reviewResult: { reviewAnswer: "YELLOW" }, status: null },
];

/** One delivery of a callback: the person it names, the provider's time, and its fault. */
interface Delivery {
  word: number;
  /** Provider time in steps; deliveries arrive in the order of the list. */
  at: number;
  kind: "own" | "foreign" | "forged";
  /** Delivered once more at a later time. */
  again: boolean;
}

const delivery = fc.record<Delivery>({
  word: fc.nat({ max: words.length - 1 }),
  at: fc.nat({ max: 20 }),
  kind: fc.constantFrom("own", "own", "own", "own", "foreign", "forged"),
  again: fc.boolean(),
});

/** In the past: future dates are rejected. */
const startedAtMs = Date.now() - 3_600_000;

interface Applicant {
  person: Person;
  applicantId: string;
}

/** A user with an applicant at the provider, which the service does not know yet. */
async function newApplicant(): Promise<Applicant> {
  const person = await (await new Person(service).signIn()).signUp();
  await person.call("GET", "/kyc/integration");
  const applicant = await service.runtime.services.kyc.findApplicant(person.userId ?? "");
  if (!applicant) throw new Error("The provider made no applicant");
  return { person, applicantId: applicant.applicantId };
}

const write = ({ word, at }: Delivery, applicantId: string, externalUserId: string | null) => {
  const { type, reviewResult } = words[word] ?? { type: "none" };
  return JSON.stringify({
    type,
    reviewResult,
    applicantId,
    externalUserId,
    correlationId: randomUUID(),
    levelName: "basic-kyc-level",
    applicantType: "individual",
    createdAtMs: startedAtMs + at * 1_000,
    sandboxMode: true,
  });
};

async function post(raw: string, secret: string = development.KYC_CALLBACK_SECRET): Promise<number> {
  const response = await fetch(`${service.url}/callbacks/sumsub`, {
    method: "POST",
    body: raw,
    headers: {
      "X-Payload-Digest": createHmac("sha256", secret).update(raw).digest("hex"),
      "X-Payload-Digest-Alg": "HMAC_SHA256_HEX",
    },
  });
  await response.text();
  return response.status;
}

/** Keeps the provider's record in step with its newest verdict: some callbacks ask for it. */
const keepRecord = ({ person }: Applicant, outcome: KycStatus) =>
  person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome, isSilent: true });

const userOf = async ({ person }: Applicant) => (await person.call("GET", "/user")).body;
const published = async ({ person }: Applicant) =>
  (
    await service.runtime.db
      .select()
      .from(events)
      .where(and(eq(events.userId, person.userId ?? ""), eq(events.eventType, "kyc.status.changed")))
      .orderBy(events.sequence)
  ).map(({ data }) => (data as { kycStatus: KycStatus }).kycStatus);
const movesOf = async ({ person }: Applicant) => (await moves()).filter(({ subject }) => subject === person.userId);

/** The expected statuses after deliveries, in order. */
function expectStatuses(deliveries: readonly Delivery[]): KycStatus[] {
  let newest = -1;
  const statuses: KycStatus[] = ["notStarted"];
  for (const { word, at, kind } of deliveries) {
    const status = words[word]?.status ?? null;
    if (kind !== "own" || status === null || at < newest) continue;
    newest = at;
    if (status !== statuses.at(-1)) statuses.push(status);
  }
  return statuses;
}

describe("a random walk of callbacks", () => {
  test("moves the status along the table, one event a move, despite late, repeated, foreign and forged callbacks", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(delivery, { minLength: 1, maxLength: 12 }), async (deliveries) => {
        const [one, other] = [await newApplicant(), await newApplicant()];
        const repeats: string[] = [];
        for (const [index, each] of filled(deliveries.entries())) {
          await keepRecord(one, expectStatuses(deliveries.slice(0, index + 1)).at(-1) ?? "notStarted");
          const raw = write(each, each.kind === "foreign" ? other.applicantId : one.applicantId, one.person.userId);
          if (each.kind === "forged") expect(await post(raw, "another secret")).toBe(401);
          else expect(await post(raw)).toBe(each.kind === "foreign" ? 409 : 200);
          if (each.kind === "own" && each.again) repeats.push(raw);
        }
        const answers: number[] = [];
        for (const raw of repeats) answers.push(await post(raw));
        expect(answers).toEqual(repeats.map(() => 200));
        const statuses = expectStatuses(deliveries);
        expect((await userOf(one)).kycStatus).toBe(statuses.at(-1));
        expect(await published(one)).toEqual(statuses.slice(1));
        const walked = await movesOf(one);
        expect(walked.map(({ to }) => to)).toEqual(statuses);
        expect(walked.every((move) => isOfTable(kycMachine, move))).toBe(true);
        expect((await userOf(other)).kycStatus).toBe("notStarted");
        expect((await userOf(one)).firstName !== null).toBe(statuses.includes("approved"));
      }),
      { numRuns: 8 },
    );
  });

  test("delivered in any order and in parallel ends in the status of the newest one", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(delivery, { minLength: 2, maxLength: 8, selector: ({ at }) => at }),
        async (deliveries) => {
          const one = await newApplicant();
          const raws = deliveries.flatMap((each) => {
            const raw = write(each, one.applicantId, one.person.userId);
            return each.again ? [raw, raw] : [raw];
          });
          const newest = deliveries.toSorted((a, b) => a.at - b.at).findLast(({ word }) => words[word]?.status != null);
          const end: KycStatus = words[newest?.word ?? -1]?.status ?? "notStarted";
          await keepRecord(one, end);
          const statuses = await Promise.all(raws.map((raw) => post(raw)));
          expect(new Set(statuses)).toEqual(new Set([200]));
          expect((await userOf(one)).kycStatus).toBe(end);
          const walked = await movesOf(one);
          expect(walked.every((move) => isOfTable(kycMachine, move))).toBe(true);
          expect(walked.map(({ from }) => from)).toEqual([null, ...walked.map(({ to }) => to)].slice(0, walked.length));
          expect(await published(one)).toEqual(walked.slice(1).map(({ to }) => to as KycStatus));
        },
      ),
      { numRuns: 8 },
    );
  });

  test("of the desk reaches every status from every other, and each counts as the provider's", async () => {
    const { person } = await newApplicant();
    const outcomes = listStates(kycMachine);
    // This circle has each two statuses next to each other once, in either order, and each status beside itself.
    const circle = outcomes.flatMap((one, at) => [one, ...outcomes.slice(at + 1).flatMap((other) => [one, other])]);
    const become = async (outcome: KycStatus) => {
      const { status } = await person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome });
      expect(status).toBe(200);
      expect((await person.call("GET", "/user")).body.kycStatus).toBe(outcome);
    };
    const [last = "notStarted"] = circle.slice(-1);
    await become(last);
    const seen = new Set<string>();
    for (const [index, to] of filled(circle.entries())) {
      const from = circle[index - 1] ?? last;
      await become(to);
      expect(from === to || canMove(kycMachine, from, to)).toBe(true);
      seen.add(`${from} to ${to}`);
    }
    expect(seen.size).toBe(outcomes.length ** 2);
  });
});
