/** Disputes, as the issuer keeps them. Source: docs.stripe.com/api/issuing/disputes. */
import {
  findIssuerObject,
  insertIssuerObject,
  listIssuerObjects,
  lockIssuerObject,
  updateIssuerObject,
} from "@cardkeep/db/queries/sandbox";
import { z } from "zod";
import { raise } from "./cardholders.ts";
import { transactionObject } from "./money.ts";
import {
  buildList,
  defineIssuerRoute,
  generateIssuerId,
  IssuerError,
  type IssuerRoute,
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
  input: pageOf({ transaction: z.string().optional() }),
  run: async ({ tx }, { transaction, expand: _, ...page }) =>
    buildList(path, page, (asked) => {
      const part = transaction === undefined ? {} : { transaction };
      return listIssuerObjects(tx, { object: disputeObject, part, ...asked });
    }),
});

export const disputeRoutes: readonly IssuerRoute[] = [create, submit, retrieve, list];
