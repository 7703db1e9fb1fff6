/** Disputes, as the issuer keeps them. Source: docs.stripe.com/api/issuing/disputes. */
import {
  findIssuerObject,
  insertIssuerObject,
  listIssuerObjects,
  lockIssuerObject,
  updateIssuerObject,
} from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { transactionObject } from "./authorizations.ts";
import { changeDispute, type DisputeData, disputeObject, lockDispute, windowDays } from "./decideDispute.ts";
import { evidenceInput, mergeEvidence, requireComplete } from "./disputeEvidence.ts";
import {
  buildList,
  createdRange,
  defineIssuerRoute,
  generateIssuerId,
  IssuerError,
  type IssuerRoute,
  type IssuerWork,
  lockObject,
  mergeMetadata,
  metadata,
  pageOf,
  toUnixSeconds,
  wholeNumber,
} from "./route.ts";

const path = "/v1/issuing/disputes";
const daySeconds = 86_400;

const disputed = z.object({
  type: z.string(),
  amount: z.number(),
  created: z.number(),
  dispute: z.string().nullable(),
});

const isOver = (created: number, now: Date): boolean => toUnixSeconds(now) > created + windowDays * daySeconds;

const create = defineIssuerRoute({
  method: "POST",
  path,
  input: z.object({
    transaction: z.string(),
    amount: wholeNumber.pipe(z.int().positive()).optional(),
    evidence: evidenceInput,
    metadata,
  }),
  run: async ({ tx, now, emit }, { transaction: transactionId, amount, evidence, metadata: given }) => {
    const transaction = await lockObject(tx, transactionObject, transactionId, "transaction");
    const captured = disputed.parse(transaction.data);
    if (captured.dispute !== null) throw new IssuerError(400, "The transaction is disputed already");
    if (captured.type !== "capture") throw new IssuerError(400, "Only captures can be disputed");
    if (isOver(captured.created, now)) throw new IssuerError(400, "The transaction is too old to be disputed");
    const whole = Math.abs(captured.amount);
    requireAtMost(whole, amount);
    const id = generateIssuerId("idp");
    const data = {
      id,
      object: disputeObject,
      amount: amount ?? whole,
      balance_transactions: [],
      created: toUnixSeconds(now),
      currency: transaction.data["currency"],
      evidence: await mergeEvidence(tx, null, evidence),
      livemode: false,
      metadata: given ?? {},
      status: "unsubmitted",
      transaction: transactionId,
    };
    await insertIssuerObject(tx, { id, object: disputeObject, data, hidden: {}, createdAt: now });
    await updateIssuerObject(tx, transactionId, { data: { ...transaction.data, dispute: id } });
    emit({ type: "issuing_dispute.created", object: data });
    return data;
  },
});

/** @throws IssuerError for more than the transaction is */
function requireAtMost(whole: number, amount: number | undefined): void {
  if (amount !== undefined && amount > whole) throw new IssuerError(400, `At most ${whole} is disputable`);
}

/** Locks a dispute. One that was not submitted in its time expires. */
async function lockPresent(work: IssuerWork, id: string): Promise<DisputeData> {
  const dispute = await lockDispute(work, id);
  if (dispute.status !== "unsubmitted") return dispute;
  const transaction = await lockIssuerObject(work.tx, transactionObject, dispute.transaction);
  const created = disputed.parse(transaction?.data).created;
  return isOver(created, work.now) ? changeDispute(work, { ...dispute, status: "expired" }, ["closed"]) : dispute;
}

const submit = defineIssuerRoute({
  method: "POST",
  path: `${path}/{id}/submit`,
  input: z.object({ id: z.string(), metadata }),
  run: async (work, { id, metadata: given }) => {
    const dispute = await lockPresent(work, id);
    // The expiry is kept: the answer says so instead of an error.
    if (dispute.status === "expired") return dispute;
    if (dispute.status !== "unsubmitted") throw new IssuerError(400, "The dispute was submitted already");
    requireComplete(dispute["evidence"]);
    const submitted = {
      ...dispute,
      metadata: mergeMetadata(dispute["metadata"], given),
      status: "submitted" as const,
    };
    return changeDispute(work, submitted, ["submitted"]);
  },
});

const update = defineIssuerRoute({
  method: "POST",
  path: `${path}/{id}`,
  input: z.object({
    id: z.string(),
    amount: wholeNumber.pipe(z.int().positive()).optional(),
    evidence: evidenceInput.optional(),
    metadata,
  }),
  run: async (work, { id, amount, evidence, metadata: given }) => {
    const known = await lockPresent(work, id);
    if (known.status !== "unsubmitted" && (evidence || amount !== undefined))
      throw new IssuerError(400, "Amount and evidence of a submitted dispute cannot change");
    if (amount !== undefined) {
      const transaction = await findIssuerObject(work.tx, transactionObject, known.transaction);
      requireAtMost(Math.abs(disputed.parse(transaction?.data).amount), amount);
    }
    const merged = evidence ? await mergeEvidence(work.tx, known["evidence"], evidence) : known["evidence"];
    const changed = { evidence: merged, metadata: mergeMetadata(known["metadata"], given) };
    const data = { ...known, ...(amount !== undefined && { amount }), ...changed };
    return changeDispute(work, data, ["updated"]);
  },
});

const retrieve = defineIssuerRoute({
  method: "GET",
  path: `${path}/{id}`,
  input: z.object({ id: z.string(), expand: z.array(z.string()).optional() }),
  run: (work, { id }) => lockPresent(work, id),
});

const list = defineIssuerRoute({
  method: "GET",
  path,
  input: pageOf({ transaction: z.string().optional(), status: z.string().optional(), created: createdRange }),
  run: async ({ tx }, { transaction, status, created, expand: _, ...page }) =>
    buildList(path, page, (asked) => {
      // JSON omits undefined fields.
      const part = { transaction, status };
      return listIssuerObjects(tx, { object: disputeObject, part, ...created, ...asked });
    }),
});

export const disputeRoutes: readonly IssuerRoute[] = [create, update, submit, retrieve, list];
