/**
 * The decision on an authorization: the answer to the request, the older calls `approve` and `decline`, or the time
 * limit.
 */
import { updateIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { type AuthorizationData, lockAuthorization, showAuthorization } from "./authorizations.ts";
import { holdChange } from "./balance.ts";
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
  /** The approved part, where the request's amount is controllable. */
  amount?: number;
}

const pendingRequest = z
  .object({
    amount: z.number(),
    amount_details: z.unknown(),
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
  const { amount, amount_details, currency, merchant_amount, merchant_currency } = pending.data;
  const at = toUnixSeconds(work.now);
  const request = {
    amount,
    amount_details: amount_details ?? null,
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
  const history = z.array(z.unknown()).parse(authorization["request_history"]);
  const [held, merchantHeld] = approved ? partOf(pending.data, verdict) : [0, 0];
  // A declined increment leaves the authorization as it was; a declined authorization names what was asked for.
  const isFirst = history.length === 0;
  const isHeld = approved || !isFirst;
  const data = {
    ...authorization,
    approved: approved || (!isFirst && authorization.approved),
    status: isHeld ? ("pending" as const) : ("closed" as const),
    amount: isHeld ? authorization.amount + held : amount,
    merchant_amount: isHeld ? authorization.merchant_amount + merchantHeld : merchant_amount,
    ...(isFirst && { amount_details: amount_details ?? null }),
    pending_request: null,
    request_history: [...history, request],
    metadata: { ...authorization.metadata, ...verdict.metadata },
  };
  await updateIssuerObject(work.tx, id, { data });
  await holdChange(work, data, [0, held]);
  const object = isFirst ? data : await showAuthorization(work.tx, data);
  work.emit({ type: `issuing_authorization.${isFirst ? "created" : "updated"}`, object });
  return data;
}

/** What is held of a request, in the card's currency and in the merchant's. */
const partOf = (
  { amount, merchant_amount: merchant }: z.output<typeof pendingRequest>,
  { amount: part = amount }: Verdict,
): [cents: number, merchantMinor: number] => [
  part,
  part === amount ? merchant : Math.round((merchant * part) / amount),
];

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
