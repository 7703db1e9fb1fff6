/** A decision written down: the payment's row, its hold with its job, and its event. */
import { tokens } from "@cardkeep/chain/tokens";
import type { DeclineReason } from "@cardkeep/contract/declineReasons";
import type { CurrencySafe } from "@cardkeep/db/queries/safes";
import type { SpendingFacts, SpendingSafe } from "@cardkeep/db/queries/spending/facts";
import {
  type CardPayment,
  decidePayment,
  findPaymentByThread,
  insertPayment,
  type SpendingCard,
} from "@cardkeep/db/queries/spending/payments";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import type { Context, Work } from "../context.ts";
import { buildPaymentRow } from "./buildPaymentRow.ts";
import { type Decline, centsToBaseUnits } from "./checkCard.ts";
import { planTransferOf } from "./planTransfer.ts";
import { publishTransaction } from "./publishPayment.ts";

export interface Decision {
  readonly approved: boolean;
  /** `approved`, or the code of the decline: see `declineWords.ts` of the contract. */
  readonly reason: string;
}

/** Writes a decision about a claimed thread and returns it; an approval (without `decline`) needs the Safe's lock. */
export async function recordDecision(
  ctx: Context,
  work: Work,
  request: AuthorizationRequest,
  { safe, wallets }: { safe: SpendingSafe & Pick<CurrencySafe, "tokenSymbol">; wallets: SpendingFacts["wallets"] },
  { paymentId, card, decline }: { paymentId: string; card: SpendingCard; decline: Decline | null },
): Promise<Decision> {
  const { tx } = work;
  const authorizedCents = atLeastZero(request.amountCents);
  const target = decline ? 0n : centsToBaseUnits(request.amountCents, tokens[safe.tokenSymbol]);
  const amounts = { authorizedCents, merchantMinor: atLeastZero(request.merchantMinor), target };
  const requested = buildPaymentRow(work, { ...card, id: paymentId }, request, amounts);
  const change = decline
    ? ({ status: "DECLINED", declineResult: decline.result, declineReason: decline.reason } as const)
    : ({ status: "AUTHORIZED" } as const);
  const transfer = decline ? null : planTransferOf(ctx, work, safe, requested, []);
  const payment = { ...requested, ...change, cardToken: card.cardToken };
  const transfers = transfer ? [transfer.row] : [];
  const eventType = decline ? "card.transaction.declined" : "card.transaction.created";
  // One connection runs them in this order, so that each finds the rows that it refers to.
  await Promise.all([
    insertPayment(tx, requested),
    decidePayment(tx, payment),
    transfer?.write(),
    publishTransaction(ctx, work, eventType, { payment, safe, wallets, transfers, clearing: null }),
  ]);
  return buildDecision(decline);
}

/** A decline that leaves no row. */
export const refuse = (reason: DeclineReason): Decision => ({ approved: false, reason });

/** The answer to the issuer: approved where nothing declines. */
export const buildDecision = (decline: Decline | null): Decision =>
  decline ? refuse(decline.reason) : { approved: true, reason: "approved" };

async function getPaymentByThread({ tx }: Work, { threadId }: AuthorizationRequest): Promise<CardPayment> {
  const payment = await findPaymentByThread(tx, threadId);
  if (!payment) throw new Error(`Thread ${threadId} has no payment`);
  return payment;
}

/** The recorded decision for the same request again; a decline where card, amount or currency differ. */
export async function repeatDecision(
  work: Work,
  { cardId }: SpendingCard,
  request: AuthorizationRequest,
): Promise<Decision> {
  const known = await getPaymentByThread(work, request);
  const { status, declineReason, authorizedCents, billingCurrency } = known;
  if (status === "DECLINED") return { approved: false, reason: declineReason ?? "declined" };
  const isSame =
    known.cardId === cardId &&
    authorizedCents === atLeastZero(request.amountCents) &&
    billingCurrency === request.currency;
  return isSame ? buildDecision(null) : refuse("thread_conflict");
}

const atLeastZero = (amount: bigint): bigint => (amount < 0n ? 0n : amount);
