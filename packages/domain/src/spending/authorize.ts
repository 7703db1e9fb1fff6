/** The answer to an issuer that asks whether a card may be used now. */
import { CallReverted, ChainUnavailable } from "@cardkeep/chain/errors";
import type { SpendingState } from "@cardkeep/chain/port";
import { tokens } from "@cardkeep/chain/tokens";
import { enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import { type CurrencySafe, lockSafe } from "@cardkeep/db/queries/safes";
import { findSpendingFacts, type SpendingFacts, type SpendingSafe } from "@cardkeep/db/queries/spending/facts";
import {
  type CardPayment,
  findPaymentByThread,
  findSpendingCard,
  insertPayment,
  movePayment,
  type SpendingCard,
} from "@cardkeep/db/queries/spending/payments";
import { listHolds } from "@cardkeep/db/queries/spending/transfers";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import type { Context, Work } from "../context.ts";
import { generateId } from "../generateId.ts";
import { addressesOf } from "../safeAccount.ts";
import { hashesOf, sumHeld } from "../balances/holds.ts";
import { checkAccount, checkCard, checkFreshness, type Decline, toBaseUnits, unavailable } from "./checkCard.ts";
import { planTransferOf } from "./plan.ts";
import { publishTransaction } from "./publishPayment.ts";

export interface Decision {
  readonly approved: boolean;
  /** `approved`, or why not. */
  readonly reason: string;
}

/** A node that takes longer is not waited for: nothing is ever approved blindly. */
const chainMsMax = 300;
/** The issuer is answered within 500 ms, whatever happens here. */
const decisionMsMax = 450;

/** The follower of the chain reads new queue entries within a second; what it was not shown is asked for after this. */
const checkAgainMs = 3_000;

const buildDecision = (refusal: Decline | null): Decision =>
  refusal ? { approved: false, reason: refusal.reason } : { approved: true, reason: "approved" };

/**
 * Decides, and writes decision, hold, job and event in one commit. The same request again is answered as before; one
 * with a known thread's id and another card, amount or currency is declined and changes nothing.
 *
 * Answers in time: what is not decided by then is declined, and should it be approved after that, the issuer's word about
 * the thread takes it back.
 */
export async function authorize(ctx: Context, request: AuthorizationRequest): Promise<Decision> {
  const startedAt = performance.now();
  const isLate = () => performance.now() - startedAt > decisionMsMax;
  const decided = decide(ctx, request, isLate).catch((error: unknown) => {
    ctx.log.error({ err: error, threadId: request.threadId }, "an authorization could not be decided");
    return buildDecision(unavailable);
  });
  return within(decided, decisionMsMax, () => buildDecision(unavailable));
}

/** What `work` answers, or after so long what `late` does. */
async function within<T>(work: Promise<T>, ms: number, late: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(late()), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the database said, of a Safe with a currency. */
type Facts = Omit<SpendingFacts, "safe"> & { safe: SpendingSafe & Pick<CurrencySafe, "tokenSymbol"> };

async function decide(ctx: Context, request: AuthorizationRequest, isLate: () => boolean): Promise<Decision> {
  if (request.isIncrement) return { approved: false, reason: "increments_not_supported" };
  const found = await findSpendingFacts(ctx.reads, request.issuerCardId);
  if (!found) {
    ctx.log.warn({ threadId: request.threadId }, "a card is used that nobody here has");
    return { approved: false, reason: "card_unknown" };
  }
  const { card, safe } = found;
  if (safe.tokenSymbol === null) return { approved: false, reason: "account_not_ready" };
  const facts = { ...found, safe: { ...safe, tokenSymbol: safe.tokenSymbol } };
  const refusal = checkCard(card, request, safe.status === "ok" ? tokens[safe.tokenSymbol] : null);
  const state = refusal ? null : await askChain(ctx, facts);
  const decline = (why: Decline) => ctx.commit((work) => write(ctx, work, request, facts, { card, refusal: why }));
  if (!state) return decline(refusal ?? unavailable);
  return ctx
    .commit(async (work) => {
      const decision = await settle(ctx, work, request, facts, state);
      // Nobody waits for it any more: nothing of it is to stay.
      if (decision.approved && isLate()) throw new Late();
      return decision;
    })
    .catch((error: unknown) => {
      if (error instanceof Late) return decline(unavailable);
      throw error;
    });
}

/** An approval that would come too late. */
class Late extends Error {}

function repeat(known: CardPayment, { cardId }: SpendingCard, request: AuthorizationRequest): Decision {
  const { status, declineReason, authorizedCents, billingCurrency } = known;
  if (status === "DECLINED") return { approved: false, reason: declineReason ?? "declined" };
  const isSame =
    known.cardId === cardId &&
    authorizedCents === atLeastZero(request.amountCents) &&
    billingCurrency === request.currency;
  return isSame ? buildDecision(null) : { approved: false, reason: "thread_conflict" };
}

/** What bounds the spending; null where the node does not say so in time. */
async function askChain(ctx: Context, { safe, holds }: Facts): Promise<SpendingState | null> {
  const asked = ctx.chain
    .getSpendingState({
      token: tokens[safe.tokenSymbol].address,
      addresses: addressesOf(safe),
      cooldownSeconds: safe.cooldownSeconds,
      spender: ctx.rules.spenderAddress,
      messageHashes: hashesOf(holds),
    })
    .catch((error: unknown) => {
      if (!(error instanceof ChainUnavailable) && !(error instanceof CallReverted)) throw error;
      ctx.log.warn({ err: error }, "the chain could not be asked about an authorization");
      return null;
    });
  return within(asked, chainMsMax, () => null);
}

/** Decides behind the Safe's lock, by what was planned since the chain was asked too. */
async function settle(
  ctx: Context,
  work: Work,
  request: AuthorizationRequest,
  facts: Facts,
  state: SpendingState,
): Promise<Decision> {
  const { safe, holds, last, checkedEntries } = facts;
  await lockSafe(work.tx, safe.id);
  const [card, later] = await Promise.all([
    findSpendingCard(work.tx, request.issuerCardId),
    listHolds(work.tx, safe.id, last),
  ]);
  if (!card) throw new Error("A card is gone");
  const token = tokens[safe.tokenSymbol];
  const held = sumHeld(holds, state.hasRun, later);
  const amount = toBaseUnits(request.amountCents, token);
  const refusal =
    checkCard(card, request, token) ??
    checkFreshness(work.now, { chainAt: new Date(state.timestamp * 1000), ...facts }, ctx.rules) ??
    checkAccount(state, { amount, held, checkedEntries });
  if (state.queueNonce > checkedEntries) {
    await enqueueIfNone(work.tx, "safe.check", { safeId: safe.id, requestId: work.requestId }, checkAgainMs);
  }
  return write(ctx, work, request, facts, { card, refusal });
}

/** Writes a decision; without a refusal the caller holds the Safe's lock. */
async function write(
  ctx: Context,
  work: Work,
  request: AuthorizationRequest,
  { safe, wallets }: Facts,
  { card, refusal }: { card: SpendingCard; refusal: Decline | null },
): Promise<Decision> {
  const { tx, now } = work;
  const target = refusal ? 0n : toBaseUnits(request.amountCents, tokens[safe.tokenSymbol]);
  const requested = await insertPayment(tx, buildPayment(work, request, card, target));
  // The same request came twice at once, and the other one was first.
  if (!requested) return repeat((await findPaymentByThread(tx, request.threadId)) ?? raceLost(request), card, request);
  const change = refusal ? { declineResult: refusal.result, declineReason: refusal.reason } : {};
  const status = refusal ? "DECLINED" : "AUTHORIZED";
  const transfer = refusal ? null : planTransferOf(ctx, work, safe, requested, []);
  const decided = { ...requested, ...change, status, cardToken: card.cardToken } as const;
  const transfers = transfer ? [transfer.row] : [];
  await Promise.all([
    movePayment(tx, requested.id, status, { ...change, updatedAt: now }),
    transfer?.write(),
    publishTransaction(ctx, work, refusal ? "card.transaction.declined" : "card.transaction.created", {
      payment: decided,
      safe,
      wallets,
      transfers,
      clearing: null,
    }),
  ]);
  return buildDecision(refusal);
}

const raceLost = ({ threadId }: AuthorizationRequest): never => {
  throw new Error(`Thread ${threadId} has no payment`);
};

const atLeastZero = (amount: bigint): bigint => (amount < 0n ? 0n : amount);

function buildPayment(
  { now, requestId }: Work,
  request: AuthorizationRequest,
  { userId, safeId, cardId }: SpendingCard,
  target: bigint,
): Parameters<typeof insertPayment>[1] {
  const { merchant } = request;
  return {
    id: generateId(),
    threadId: request.threadId,
    userId,
    safeId,
    cardId,
    status: "REQUESTED",
    authorizedCents: atLeastZero(request.amountCents),
    reversedCents: 0n,
    capturedCents: 0n,
    refundedCents: 0n,
    billingCurrency: request.currency,
    merchantMinor: atLeastZero(request.merchantMinor),
    merchantCurrency: request.merchantCurrency,
    merchantName: merchant.name,
    merchantCity: merchant.city,
    merchantCountry: merchant.country,
    mcc: merchant.mcc,
    transactionType: request.transactionType,
    target,
    version: 0,
    requestId,
    createdAt: now,
    updatedAt: now,
  };
}
