/**
 * The decision on an authorization: the answer to the request, the older calls `approve` and `decline`, or the time
 * limit.
 */
import { updateIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { type AuthorizationData, lockAuthorization, showAuthorization } from "./authorizations.ts";
import {
  defineIssuerRoute,
  IssuerError,
  type IssuerRoute,
  type IssuerWork,
  mergeMetadata,
  metadata,
  missing,
  toUnixSeconds,
} from "./route.ts";

export interface Verdict {
  approved: boolean;
  /** The issuer's own reason code. */
  reason: string;
  metadata: Record<string, string>;
}

const pendingRequest = z
  .object({
    amount: z.number(),
    currency: z.string(),
    merchant_amount: z.number(),
    merchant_currency: z.string(),
  })
  .loose();

/**
 * Writes a verdict on a pending authorization and returns it. A decided one stays unchanged.
 * @throws IssuerError for an unknown one
 */
export async function decide(work: IssuerWork, id: string, verdict: Verdict): Promise<AuthorizationData> {
  const authorization = (await lockAuthorization(work.tx, id)) ?? missingAuthorization(id);
  const pending = pendingRequest.safeParse(authorization["pending_request"]);
  if (!pending.success) return authorization;
  const { approved, reason } = verdict;
  const { amount, currency, merchant_amount, merchant_currency } = pending.data;
  const at = toUnixSeconds(work.now);
  const request = {
    amount,
    amount_details: null,
    approved,
    authorization_code: approved ? "S498162" : null,
    created: at,
    currency,
    merchant_amount,
    merchant_currency,
    network_risk_score: null,
    reason,
    reason_message: null,
    requested_at: at,
  };
  const data = {
    ...authorization,
    approved,
    status: approved ? ("pending" as const) : ("closed" as const),
    amount,
    merchant_amount,
    pending_request: null,
    request_history: [request],
    metadata: { ...authorization.metadata, ...verdict.metadata },
  };
  await updateIssuerObject(work.tx, id, { data });
  work.emit({ type: "issuing_authorization.created", object: data });
  return data;
}

const missingAuthorization = (id: string): never => {
  throw missing("authorization", id);
};

const decideByCall = (verb: "approve" | "decline"): IssuerRoute =>
  defineIssuerRoute({
    method: "POST",
    path: `/v1/issuing/authorizations/{id}/${verb}`,
    input: z.object({ id: z.string(), metadata }),
    run: async (work, { id, metadata: given = {} }) => {
      const authorization = (await lockAuthorization(work.tx, id)) ?? missingAuthorization(id);
      if (authorization["pending_request"] === null)
        throw new IssuerError(400, `The authorization is not pending: it cannot be ${verb}d`);
      const approved = verb === "approve";
      const reason = approved ? "webhook_approved" : "webhook_declined";
      return showAuthorization(work.tx, await decide(work, id, { approved, reason, metadata: given }));
    },
  });

const update = defineIssuerRoute({
  method: "POST",
  path: "/v1/issuing/authorizations/{id}",
  input: z.object({ id: z.string(), metadata }),
  run: async (work, { id, metadata: given }) => {
    const authorization = (await lockAuthorization(work.tx, id)) ?? missingAuthorization(id);
    const data = { ...authorization, metadata: mergeMetadata(authorization.metadata, given) };
    await updateIssuerObject(work.tx, id, { data });
    return showAuthorization(work.tx, data);
  },
});

export const decisionRoutes: readonly IssuerRoute[] = [decideByCall("approve"), decideByCall("decline"), update];
