/** From planned to signed: the chain's side of one transfer of card money. */
import type { Call } from "@cardkeep/chain/call";
import { AnswerLate, CallReverted, SignerFailed } from "@cardkeep/chain/errors";
import type { SpenderKey } from "@cardkeep/chain/relayer";
import { buildSignedSpend, buildSpendTypedData } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import { isFinalState } from "@cardkeep/contract/core/machine";
import { transferMachine } from "@cardkeep/contract/spending/spending";
import { hasExecutedViolation } from "@cardkeep/db/queries/accounts/integrity";
import { type CurrencySafe, lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { findPayment } from "@cardkeep/db/queries/spending/payments";
import {
  type CardTransfer,
  findTransfer,
  listTransfers,
  lockPlannedTransfer,
  moveTransfer,
} from "@cardkeep/db/queries/spending/transfers";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findReturnSafe } from "../../accounts/safes/returnSafe.ts";
import { findOwnTransfer } from "../../chain/guards/findOwnTransfer.ts";
import { requireNothingHeld, requireSettled } from "../../chain/guards/requireSettled.ts";
import { requireTransfers } from "../../chain/guards/restoreGuard.ts";
import type { Work, WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { pickRelayer } from "../../chain/relay/pickRelayer.ts";
import { spendGasMax } from "../../chain/relay/gasLimits.ts";
import { quoteRelay, signRelayTransaction } from "../../chain/relay/signRelayTransaction.ts";
import { getCurrencySafe } from "../../core/safeAccount.ts";
import { completeTransfer } from "./endTransfer.ts";
import { paymentOf } from "./planTransfer.ts";
import { redirectReturn } from "./redirectReturn.ts";
import { settleRefusedSpend } from "./settleSpend.ts";
import { isBeyondApproval, openWaitingReturn } from "./waitingReturn.ts";

/** How soon a return that cannot be signed is tried again: the operator has to fund or approve. A new Safe of the person wakes it. */
const returnAgainMs = 30_000;

/** Signs a planned transfer, unless one before it in its thread is still under way: that one wakes it. */
export async function carryOutTransfer(ctx: WorkerContext, { transferId }: { transferId: string }): Promise<void> {
  const transfer = await findTransfer(ctx.db, transferId);
  if (transfer?.status !== "PLANNED") return;
  await requireTransfers(ctx, async () => (await findPayment(ctx.db, paymentOf(transfer)))?.threadId);
  const thread = await listTransfers(ctx.db, transfer.userId, [transfer.paymentId]);
  if (thread.some(({ ordinal, status }) => ordinal < transfer.ordinal && !isFinalState(transferMachine, status)))
    return;
  const safe = await getCurrencySafe(ctx, transfer.safeId);
  if (transfer.direction === "spend") await spend(ctx, safe, transfer);
  else await returnMoney(ctx, safe, transfer);
}

async function spend(ctx: WorkerContext, safe: CurrencySafe, transfer: CardTransfer): Promise<void> {
  const { to: roles, data, salt } = transfer;
  const signature = await findSpender(ctx, safe).signSpend(
    buildSpendTypedData({ roles, data, salt }, ctx.policy.chainId),
  );
  try {
    await sign(
      ctx,
      transfer,
      "card.spend",
      await pickRelayer(ctx, safe.id),
      buildSignedSpend({ roles, data, salt }, signature),
    );
  } catch (error) {
    const reason = await findRefusal(ctx, safe, error);
    if (reason === null) throw error;
    const block = error instanceof CallReverted && error.block !== undefined ? { block: error.block } : {};
    const refusal = { reason, hash: null, isRefusedNow: true, ...block };
    const write = await settleRefusedSpend(ctx, safe, transfer, refusal);
    await ctx.commit(async (work) => {
      await lockSafe(work.tx, safe.id);
      // Another job may have signed it, and its transaction may be why the node refuses this one: then its receipt decides.
      if (await lockPlannedTransfer(work.tx, transfer)) await write(work);
    });
  }
}

/**
 * Why the chain refuses a spend; null where the error is none of the call. Code that its owner put behind a Safe can be slow
 * on purpose, on every node.
 */
async function findRefusal(ctx: WorkerContext, { id }: CurrencySafe, error: unknown): Promise<string | null> {
  if (error instanceof CallReverted) return error.reason;
  if (!(error instanceof AnswerLate)) return null;
  const isChanged = await hasExecutedViolation(ctx.db, id);
  return isChanged ? "The account was changed, and its code does not answer in time" : null;
}

/** The key that is the member of the Safe's spending role. @throws SignerFailed where no setting names it */
function findSpender(ctx: WorkerContext, safe: CurrencySafe): SpenderKey {
  const spender = [ctx.spender, ...ctx.formerSpenders].find(({ address }) => address === safe.spender);
  if (spender) return spender;
  throw new SignerFailed(
    `No setting names the spender's key ${safe.spender}: put it back into FORMER_SPENDER_PRIVATE_KEYS`,
  );
}

/** Signs a return. One that is on chain already, after a database was restored, is only recorded. */
async function returnMoney(ctx: WorkerContext, safe: CurrencySafe, transfer: CardTransfer): Promise<void> {
  await requireSettled(ctx, transfer.id, "card.return");
  await requireNothingHeld(ctx, ctx.spender.address);
  const returned = await findReturned(ctx, safe, transfer);
  if (returned) return ctx.commit((work) => completeTransfer(ctx, work, transfer, returned));
  const receiver = await findReturnSafe(ctx.db, safe);
  if (receiver === null) return ctx.commit((work) => waitFor(work, safe, transfer, "safe"));
  // It may have been planned before that Safe was there.
  if (receiver.id !== safe.id) return redirectReturn(ctx, transfer, receiver);
  try {
    await sign(ctx, transfer, "card.return", ctx.spender, { to: transfer.to, value: 0n, data: transfer.data });
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    ctx.log.warn({ transferId: transfer.id, reason: error.reason }, "the settlement account cannot return money");
    const isBeyond = await isBeyondApproval(ctx, safe, transfer);
    await ctx.commit((work) => waitFor(work, safe, transfer, isBeyond ? "approval" : null));
  }
}

/** Locks the Safe of a return. Once that was given up meanwhile the return begins anew: false. */
async function lockUnlessReset({ tx }: Work, { id: transferId, safeId, requestId }: CardTransfer): Promise<boolean> {
  if ((await lockSafe(tx, safeId))?.status !== "reset") return true;
  await enqueue(tx, "card.transfer", { transferId, requestId });
  return false;
}

/** Has a return tried again later; as a case where it waits for a person. */
async function waitFor(
  work: Work,
  safe: CurrencySafe,
  transfer: CardTransfer,
  awaited: "approval" | "safe" | null,
): Promise<void> {
  const { id: transferId, requestId } = transfer;
  if (awaited !== null) await openWaitingReturn(work, safe, transfer, awaited);
  await enqueue(work.tx, "card.transfer", { transferId, requestId }, returnAgainMs);
}

async function sign(
  ctx: WorkerContext,
  transfer: CardTransfer,
  purpose: "card.spend" | "card.return",
  relayer: WorkerContext["relayers"][number],
  call: Call,
): Promise<void> {
  const quote = await quoteRelay(ctx, relayer, call, { gasMax: spendGasMax });
  await ctx.commit(async (work) => {
    if (purpose === "card.return" && !(await lockUnlessReset(work, transfer))) return;
    if (!(await lockPlannedTransfer(work.tx, transfer))) return;
    const { hash } = await signRelayTransaction(ctx, work, {
      id: generateId(),
      purpose,
      subjectId: transfer.id,
      requestId: transfer.requestId,
      relayer,
      call,
      quote,
    });
    await moveTransfer(work.tx, transfer, "SIGNED", { hash, updatedAt: work.now });
  });
}

/** Where a return is on chain, found by its tag; null if the searched blocks do not hold it. */
const findReturned = (ctx: WorkerContext, safe: CurrencySafe, { amount, salt: tag }: CardTransfer) =>
  findOwnTransfer(ctx, {
    token: tokens[safe.tokenSymbol].address,
    from: ctx.policy.settlementAddress,
    to: safe.address,
    amount,
    tag,
  });
