/** Ties each incoming order of the e-money institution to the one mint on chain that paid it. */
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { fromDecimal, type Token, tokens } from "@cardkeep/chain/tokens";
import { listTransfersOf } from "@cardkeep/chain/transfers";
import { type Hex, nativeToken } from "@cardkeep/contract/core/primitives";
import {
  findIbanOrder,
  type IbanOrder,
  matchIbanOrder,
  setIbanOrderUnmatched,
} from "@cardkeep/db/queries/users/ibanOrders";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { endCaseOf } from "@cardkeep/db/queries/spending/cases";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { baseUnitsToCents } from "../../core/money.ts";
import { openCase } from "../../core/openCase.ts";
import { publish } from "../../core/publish.ts";
import { findFinalInstant } from "../../chain/guards/findBlockSince.ts";
import type { Work, WorkerContext } from "../../core/context.ts";
import { spaceLooks } from "../../core/spaceLooks.ts";

/** A mint that is not on chain by then is missing. */
const waitMsMax = dayMs;
const lookMsMax = hourMs;
const lookMsMin = 2_000;

/** The institution's tokens; it has none here for other currencies. */
const tokenOf: Readonly<Partial<Record<IbanOrder["currency"], Token>>> = { eur: tokens.EURe, gbp: tokens.GBPe };

interface Mint {
  mintHash: Hex;
  /** Its place among the logs of the receipt. */
  mintIndex: number;
}

/** Looks for the mint of an order, less and less often, for a day. Where none is the order's own, it is a case. */
export async function settleIbanOrder(ctx: WorkerContext, { orderId }: { orderId: string }): Promise<void> {
  const order = await findIbanOrder(ctx.db, orderId);
  const token = order && tokenOf[order.currency];
  if (!order || !token || !isAwaited(order)) return;
  const { mints, isOneMissing } = await readMints(ctx, order, token);
  await ctx.commit(async (work) => {
    // Reports are written behind this lock. A later one has a job of its own, which runs beside this one.
    await lockUser(work.tx, order.userId);
    const fresh = await findIbanOrder(work.tx, orderId);
    if (!fresh || !isAwaited(fresh) || knownSinceOf(fresh) > knownSinceOf(order)) return;
    for (const mint of mints)
      if (await matchIbanOrder(work.tx, orderId, { ...mint, updatedAt: work.now }))
        return publishReceived(work, order, mint);
    const ageMs = work.now.getTime() - knownSinceOf(order);
    if (isOneMissing && ageMs < waitMsMax) {
      const delayMs = spaceLooks(ageMs, { minMs: lookMsMin, maxMs: lookMsMax });
      return enqueue(work.tx, "iban.match", { orderId, requestId: work.requestId }, delayMs);
    }
    await openMintCase(work, order, mints);
    await setIbanOrderUnmatched(work.tx, orderId, work.now);
  });
}

/** Whether an incoming order was paid out, and its mint is neither found nor given up. */
const isAwaited = ({ kind, state, mintHash, unmatchedAt }: IbanOrder): boolean =>
  kind === "issue" && state === "processed" && mintHash === null && unmatchedAt === null;

/** What a comparison found has an early date of its report. */
const knownSinceOf = ({ reportedAt, updatedAt }: IbanOrder): number =>
  Math.max(reportedAt.getTime(), updatedAt?.getTime() ?? 0);

async function publishReceived(
  work: Work,
  { id: orderId, userId, address: safeAddress, currency, amount }: IbanOrder,
  { mintHash: hash }: Mint,
): Promise<void> {
  const ended = { at: work.now, why: "Its mint was found" };
  for (const kind of ["iban_mint_missing", "iban_mint_duplicate"] as const)
    await endCaseOf(work.tx, { kind, subjectId: orderId }, ended);
  await publish(work, "iban.order.received", userId, { userId, orderId, safeAddress, currency, amount, hash });
}

/**
 * The mints of an order's amount to its Safe in the transactions that it names, and whether one of these is not final. One that the
 * institution replaced never is.
 */
async function readMints(
  ctx: WorkerContext,
  order: IbanOrder,
  token: Token,
): Promise<{ mints: Mint[]; isOneMissing: boolean }> {
  const amount = fromDecimal(order.amount, token);
  const mints: Mint[] = [];
  let isOneMissing = order.txHashes.length === 0;
  for (const mintHash of order.txHashes) {
    const receipt = await ctx.chain.findReceipt(mintHash);
    if (!receipt || (await findFinalInstant(ctx, receipt)) === null) {
      isOneMissing = true;
      continue;
    }
    for (const each of listTransfersOf(receipt.logs)) {
      const isMint = each.log.address === token.address && each.from === nativeToken;
      if (isMint && each.to === order.address && each.amount === amount)
        mints.push({ mintHash, mintIndex: receipt.logs.indexOf(each.log) });
    }
  }
  return { mints, isOneMissing };
}

/** How many decimals the amount of an order has at most, in any currency. */
const amountForm = { decimals: 18 };

/** An order's amount as cases have it. */
export const toCaseAmount = ({ amount, currency }: Pick<IbanOrder, "amount" | "currency">) => ({
  amountCents: baseUnitsToCents(fromDecimal(amount, amountForm) ?? 0n, amountForm),
  currency: currency.toUpperCase(),
});

function openMintCase(work: Work, order: IbanOrder, mints: readonly Mint[]) {
  const isTaken = mints.length > 0;
  const subject = { userId: order.userId, ibanOrderId: order.id, ...toCaseAmount(order) };
  const note = isTaken
    ? "The mint that the order names pays another order. Ask the institution whether it sent the money once or twice."
    : "The order is processed, and the chain has no mint of its amount to its Safe. Ask the institution for the transaction.";
  return openCase(work, { ...subject, kind: isTaken ? "iban_mint_duplicate" : "iban_mint_missing", note });
}
