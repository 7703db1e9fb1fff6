/** Collects debts of card payments: as soon as money arrives, each hour, and in parts where a Safe holds less. */
import { hourMs } from "@cardkeep/contract/core/durations";
import { accrueAllowance } from "@cardkeep/chain/allowance";
import { toBaseUnits, tokens } from "@cardkeep/chain/tokens";
import { enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import { findLastSequence, listHolds } from "@cardkeep/db/queries/spending/liveTransfers";
import { listTransfers } from "@cardkeep/db/queries/spending/transfers";
import { getCollectionRecord, listDebts, lockPayment } from "@cardkeep/db/queries/spending/debts";
import {
  type CurrencySafe,
  findActiveSafe,
  findSafe,
  hasCurrency,
  lockSafes,
} from "@cardkeep/db/queries/accounts/safes";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import { requireTransfers } from "../../chain/guards/restoreGuard.ts";
import type { WorkerContext } from "../../core/context.ts";
import { addressesOf } from "../../core/safeAccount.ts";
import { hashesOf, sumHeld } from "../../accounts/balances/holds.ts";
import { backOffMs, chainTargetOf, computeCollection } from "./debtAmounts.ts";
import { buildTransfer, computeNextOrdinal, insertPlanned } from "./planTransfer.ts";

/** Least part of a greater debt that is collected, in whole tokens: a drip of small amounts must not burn gas. */
const partMinTokens = 1;

/** Collects what a user owes, one spend of a Safe at a time. Runs again within an hour while anything is owed. */
export async function collectDebts(ctx: WorkerContext, { userId }: { userId: string }): Promise<void> {
  const debts = await listDebts(ctx.db, userId);
  if (debts.length === 0) return;
  for (const { threadId } of debts) await requireTransfers(ctx, () => threadId);
  const sources = new Map<string, { safe: CurrencySafe; debts: CardPayment[] }>();
  for (const debt of debts) {
    for (const safe of await listSources(ctx, debt)) {
      const source = sources.get(safe.id) ?? { safe, debts: [] };
      sources.set(safe.id, { safe, debts: [...source.debts, debt] });
    }
  }
  let delayMs = hourMs;
  for (const source of sources.values()) delayMs = Math.min(delayMs, await collectFrom(ctx, userId, source));
  await enqueueIfNone(ctx.db, "card.collect", { userId, requestId: ctx.requestId }, delayMs);
}

/** The Safes that pay a debt: the payment's own, and after its reset also the person's one in service with the same token. */
async function listSources(ctx: WorkerContext, { safeId, userId }: CardPayment): Promise<CurrencySafe[]> {
  const own = await findSafe(ctx.db, safeId);
  if (!own || !hasCurrency(own)) return [];
  const current = own.status === "reset" ? await findActiveSafe(ctx.db, userId) : null;
  return current?.tokenSymbol === own.tokenSymbol ? [current, own] : [own];
}

/** Plans one spend for the oldest debt that a Safe can pay; answers in how many milliseconds it is worth another look. */
async function collectFrom(
  ctx: WorkerContext,
  userId: string,
  { safe, debts }: { safe: CurrencySafe; debts: readonly CardPayment[] },
): Promise<number> {
  const { isUnderWay, failures, failedAt } = await getCollectionRecord(ctx.db, { safeId: safe.id, userId });
  if (isUnderWay) return hourMs;
  const waitMs = (failedAt?.getTime() ?? 0) + backOffMs(failures) - (await ctx.clock.now(ctx.db)).getTime();
  if (waitMs > 0) return Math.min(hourMs, waitMs);
  const token = tokens[safe.tokenSymbol];
  const last = await findLastSequence(ctx.db, safe.id);
  const holds = await listHolds(ctx.db, safe.id);
  const { balance, allowance, timestamp, hasRun } = await ctx.chain.getSpendingState({
    token: token.address,
    addresses: addressesOf(safe),
    cooldownSeconds: safe.cooldownSeconds,
    spender: safe.spender,
    messageHashes: hashesOf(holds),
  });
  const allowed = allowance ? accrueAllowance(allowance, timestamp) : 0n;
  const most = balance < allowed ? balance : allowed;
  const partMin = toBaseUnits(partMinTokens, token);
  await ctx.commit(async (work) => {
    const { tx } = work;
    await lockSafes(tx, [safe.id, ...debts.map(({ safeId }) => safeId)]);
    const available = most - sumHeld(holds, hasRun, await listHolds(tx, safe.id, last));
    for (const { id } of debts) {
      const debt = await lockPayment(tx, { id, userId });
      const transfers = await listTransfers(tx, userId, [id]);
      const amount = debt && computeCollection(chainTargetOf(debt, transfers), transfers, { available, partMin });
      if (!debt || amount === null) continue;
      const move = {
        direction: "spend",
        amount,
        ordinal: computeNextOrdinal(transfers),
        clearingId: null,
        isCollection: true,
        isByHand: false,
      } as const;
      await insertPlanned(work, buildTransfer(ctx, work, safe, debt, move));
      ctx.log.info({ userId: debt.userId, paymentId: id, amount: String(amount) }, "a debt is collected");
      return;
    }
  });
  return hourMs;
}
