/** Disputes, as the issuer keeps them. Source: docs.stripe.com/api/issuing/disputes. */
import {
  findIssuerObject,
  insertIssuerObject,
  listIssuerObjects,
  lockIssuerObject,
  updateIssuerObject,
} from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { raise } from "./cardholders.ts";
import { transactionObject } from "./authorizations.ts";
import {
  buildList,
  createdRange,
  defineIssuerRoute,
  generateIssuerId,
  IssuerError,
  type IssuerRoute,
  mergeMetadata,
  metadata,
  missing,
  pageOf,
  toUnixSeconds,
} from "./route.ts";

const disputeObject = "issuing.dispute";
const path = "/v1/issuing/disputes";

const reasons = [
  "canceled",
  "duplicate",
  "fraudulent",
  "merchandise_not_as_described",
  "no_valid_authorization",
  "not_received",
  "other",
  "service_not_as_described",
] as const;

const create = defineIssuerRoute({
  method: "POST",
  path,
  input: z.object({
    transaction: z.string(),
    evidence: z.object({ reason: z.enum(reasons) }).loose(),
    metadata,
  }),
  run: async ({ tx, now, emit }, { transaction: transactionId, evidence, metadata: given }) => {
    const transaction =
      (await lockIssuerObject(tx, transactionObject, transactionId)) ??
      raise(missing("transaction", transactionId, "transaction", 400));
    if (transaction.data["dispute"] !== null) throw new IssuerError(400, "The transaction is disputed already");
    const id = generateIssuerId("idp");
    const data = {
      id,
      object: disputeObject,
      amount: Math.abs(Number(transaction.data["amount"])),
      balance_transactions: [],
      created: toUnixSeconds(now),
      currency: transaction.data["currency"],
      evidence,
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

const submit = defineIssuerRoute({
  method: "POST",
  path: `${path}/{id}/submit`,
  input: z.object({ id: z.string() }),
  run: async ({ tx, emit }, { id }) => {
    const dispute = (await lockIssuerObject(tx, disputeObject, id)) ?? raise(missing("dispute", id));
    if (dispute.data["status"] !== "unsubmitted") throw new IssuerError(400, "The dispute was submitted already");
    const data = { ...dispute.data, status: "submitted" };
    await updateIssuerObject(tx, id, { data });
    emit({ type: "issuing_dispute.submitted", object: data });
    return data;
  },
});

const update = defineIssuerRoute({
  method: "POST",
  path: `${path}/{id}`,
  input: z.object({
    id: z.string(),
    evidence: z
      .object({ reason: z.enum(reasons).optional() })
      .loose()
      .default({}),
    metadata,
  }),
  run: async ({ tx, emit }, { id, evidence, metadata: given }) => {
    const { data: known } = (await lockIssuerObject(tx, disputeObject, id)) ?? raise(missing("dispute", id));
    if (known["status"] !== "unsubmitted" && Object.keys(evidence).length > 0)
      throw new IssuerError(400, "The evidence of a submitted dispute cannot change");
    const merged = { ...anyEvidence.parse(known["evidence"]), ...evidence };
    const data = { ...known, evidence: merged, metadata: mergeMetadata(known["metadata"], given) };
    await updateIssuerObject(tx, id, { data });
    emit({ type: "issuing_dispute.updated", object: data });
    return data;
  },
});

const anyEvidence = z.record(z.string(), z.unknown());

const retrieve = defineIssuerRoute({
  method: "GET",
  path: `${path}/{id}`,
  input: z.object({ id: z.string() }),
  run: async ({ tx }, { id }) =>
    ((await findIssuerObject(tx, disputeObject, id)) ?? raise(missing("dispute", id))).data,
});

const list = defineIssuerRoute({
  method: "GET",
  path,
  input: pageOf({ transaction: z.string().optional(), status: z.string().optional(), created: createdRange }),
  run: async ({ tx }, { transaction, status, created, expand: _, ...page }) =>
    buildList(path, page, (asked) => {
      // JSON omits undefined fields.
      const part = { transaction, status };
      return listIssuerObjects(tx, { object: disputeObject, part, createdFrom: created?.gte ?? 0, ...asked });
    }),
});

export const disputeRoutes: readonly IssuerRoute[] = [create, update, submit, retrieve, list];
