/** A decision written down: the payment's row, its hold with its job, and its event. */
import { tokens } from "@cardkeep/chain/tokens";
import type { CurrencySafe } from "@cardkeep/db/queries/safes";
import type { SpendingFacts, SpendingSafe } from "@cardkeep/db/queries/spending/facts";
import {
  type CardPayment,
  findPaymentByThread,
  insertPayment,
  movePayment,
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
  /** `approved`, or the reason of the decline. */
  readonly reason: string;
}

/** Writes a decision and returns it; an approval (without `decline`) needs the Safe's lock. */
export async function recordDecision(
  ctx: Context,
  work: Work,
  request: AuthorizationRequest,
  { safe, wallets }: { safe: SpendingSafe & Pick<CurrencySafe, "tokenSymbol">; wallets: SpendingFacts["wallets"] },
  { card, decline }: { card: SpendingCard; decline: Decline | null },
): Promise<Decision> {
  const { tx, now } = work;
  const authorizedCents = atLeastZero(request.amountCents);
  const target = decline ? 0n : centsToBaseUnits(request.amountCents, tokens[safe.tokenSymbol]);
  const amounts = { authorizedCents, merchantMinor: atLeastZero(request.merchantMinor), target };
  const requested = await insertPayment(tx, buildPaymentRow(work, card, request, amounts));
  // The same request arrived twice at once, and the other one was first.
  if (!requested) return repeatDecision(await getPaymentByThread(work, request), card, request);
  const change = decline ? { declineResult: decline.result, declineReason: decline.reason } : {};
  const status = decline ? "DECLINED" : "AUTHORIZED";
  const transfer = decline ? null : planTransferOf(ctx, work, safe, requested, []);
  const payment = { ...requested, ...change, status, cardToken: card.cardToken } as const;
  const transfers = transfer ? [transfer.row] : [];
  const eventType = decline ? "card.transaction.declined" : "card.transaction.created";
  await Promise.all([
    movePayment(tx, requested, status, { ...change, updatedAt: now }),
    transfer?.write(),
    publishTransaction(ctx, work, eventType, { payment, safe, wallets, transfers, clearing: null }),
  ]);
  return buildDecision(decline);
}

/** The answer to the issuer: approved where nothing declines. */
export const buildDecision = (decline: Decline | null): Decision =>
  decline ? { approved: false, reason: decline.reason } : { approved: true, reason: "approved" };

async function getPaymentByThread({ tx }: Work, { threadId }: AuthorizationRequest): Promise<CardPayment> {
  const payment = await findPaymentByThread(tx, threadId);
  if (!payment) throw new Error(`Thread ${threadId} has no payment`);
  return payment;
}

/** The recorded decision for the same request again; a decline where card, amount or currency differ. */
function repeatDecision(known: CardPayment, { cardId }: SpendingCard, request: AuthorizationRequest): Decision {
  const { status, declineReason, authorizedCents, billingCurrency } = known;
  if (status === "DECLINED") return { approved: false, reason: declineReason ?? "declined" };
  const isSame =
    known.cardId === cardId &&
    authorizedCents === atLeastZero(request.amountCents) &&
    billingCurrency === request.currency;
  return isSame ? buildDecision(null) : { approved: false, reason: "thread_conflict" };
}

const atLeastZero = (amount: bigint): bigint => (amount < 0n ? 0n : amount);
