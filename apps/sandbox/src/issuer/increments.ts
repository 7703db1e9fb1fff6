/** Increments: a merchant asks for more on an open authorization, and the issuer asks the service. */
import { findIssuerObject, updateIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import type { SandboxRuntime } from "../core/openStore.ts";
import { actAtIssuer, type AuthorizationData, findAuthorization, lockAuthorization } from "./authorizations.ts";
import { cardObject } from "./cards.ts";
import { decide } from "./decision.ts";
import { IssuerError, type IssuerWork, missing } from "./route.ts";
import { usedCard } from "./buildAuthorization.ts";
import { declineByIssuer, findOwnDecline, requestDecision } from "./useCard.ts";

interface Asked {
  amount: number;
  /** Whether the merchant takes a part of it. */
  partial: boolean;
}

/**
 * Writes a request for more to an open authorization.
 * @throws IssuerError for an unknown, declined or closed one, and while another request waits
 */
export async function addRequest(
  { tx }: IssuerWork,
  id: string,
  { amount, partial }: Asked,
): Promise<AuthorizationData> {
  const authorization = await lockAuthorization(tx, id);
  if (!authorization) throw missing("authorization", id);
  const { approved, status, currency, merchant_currency } = authorization;
  if (!approved) throw new IssuerError(400, "The authorization was declined");
  if (status !== "pending") throw new IssuerError(400, `The authorization is ${status}`);
  if (authorization["pending_request"] !== null) throw new IssuerError(400, "Another request waits for its answer");
  const { amount: whole, merchant_amount: merchant } = authorization;
  const data = {
    ...authorization,
    pending_request: {
      amount,
      amount_details: { atm_fee: null, cashback_amount: null },
      currency,
      is_amount_controllable: partial,
      merchant_amount: whole === 0 ? amount : Math.round((amount * merchant) / whole),
      merchant_currency,
      network_risk_score: null,
    },
  };
  await updateIssuerObject(tx, id, { data });
  return data;
}

/** Asks the service about the request that waits, and writes its answer; an authorization without one stays as it is. */
export async function answerPending(runtime: SandboxRuntime, id: string): Promise<AuthorizationData> {
  const waiting = await findAuthorization(runtime.store, id);
  if (!waiting) throw missing("authorization", id);
  if (waiting["pending_request"] === null) return waiting;
  const row = await findIssuerObject(runtime.store, cardObject, waiting.card.id);
  if (!row) throw missing("card", waiting.card.id);
  const ownReason = await findOwnDecline(
    runtime,
    usedCard.parse(row.data),
    waiting,
    await runtime.clock.now(runtime.db),
  );
  const verdict = ownReason === null ? await requestDecision(runtime, waiting) : declineByIssuer(ownReason);
  return actAtIssuer(runtime, (work) => decide(work, id, verdict));
}

/** The same for an increment. @throws IssuerError where its authorization ended meanwhile */
export async function answerIncrement(runtime: SandboxRuntime, id: string): Promise<AuthorizationData> {
  const after = await answerPending(runtime, id);
  if (after.status !== "pending") throw new IssuerError(400, `The authorization is ${after.status}`);
  return after;
}

/** Asks for more and reports what became of it. @throws IssuerError as `addRequest` and `answerIncrement` */
export async function requestIncrement(
  runtime: SandboxRuntime,
  threadId: string,
  asked: Asked,
): Promise<{ threadId: string; approved: boolean; reason: string; amount: number }> {
  const before = await actAtIssuer(runtime, (work) => addRequest(work, threadId, asked));
  const after = await answerIncrement(runtime, threadId);
  const approved = after.amount > before.amount;
  return { threadId, approved, reason: after.metadata["reason"] ?? "unknown", amount: after.amount };
}
