/** What the chain and our own rows say of a user's money now and over time, for operators. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { accrueAllowance } from "@cardkeep/chain/allowance";
import { CallReverted, ChainUnavailable } from "@cardkeep/chain/errors";
import { type DayMoney, listDailyMoney } from "@cardkeep/db/queries/spending/paymentParts";
import { listPublishedBalances } from "@cardkeep/db/queries/operations/userHistory";
import { type CurrencySafe, hasCurrency, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { type Balances, readBalances } from "../../accounts/balances/getBalances.ts";
import { getSnapshot } from "../../core/safeAccount.ts";
import type { Services } from "../../core/services.ts";

/** A Safe's money in base units of its token. */
export interface AccountMoney {
  balances: Balances;
  /** What cards may spend in a day, and what is left of it now; null where the Safe's role is not as it was set up. */
  limit: { daily: bigint; left: bigint } | null;
}

/** The money of a Safe by the chain, or the reason why the chain did not answer; null without a Safe in service. */
export async function readAccount(
  ctx: Pick<Services, "db" | "snapshots">,
  safe: Safe | null,
): Promise<AccountMoney | { fault: string } | null> {
  if (safe?.status !== "ok" || !hasCurrency(safe)) return null;
  return read(ctx, safe).catch((error: unknown) => {
    if (error instanceof ChainUnavailable || error instanceof CallReverted) return { fault: error.message };
    throw error;
  });
}

async function read(ctx: Pick<Services, "db" | "snapshots">, safe: CurrencySafe): Promise<AccountMoney> {
  const balances = await readBalances(ctx, safe);
  const { allowance, timestamp } = await (await getSnapshot(ctx, safe)).readIntegrity();
  const limit = allowance && { daily: allowance.refill, left: accrueAllowance(allowance, timestamp) };
  return { balances, limit };
}

/** Events are kept for 30 days. */
const historyDays = 30;

/** What cards moved from a Safe to the settlement account and back, by day, for the last days. */
export async function listCardMoney(
  { db, clock }: Pick<Services, "db" | "clock">,
  safe: Safe | null,
): Promise<DayMoney[]> {
  if (!safe) return [];
  const since = new Date((await clock.now(db)).getTime() - historyDays * dayMs);
  return listDailyMoney(db, { safeId: safe.id, userId: safe.userId, since });
}

/**
 * The balance of a user's newest Safe as it was published to partners, for the last days; each holds until the next. Balances of
 * the Safe before may be of another token.
 */
export async function listBalanceHistory(
  { db, clock }: Pick<Services, "db" | "clock">,
  safe: Pick<Safe, "userId" | "createdAt"> | null,
): Promise<{ at: Date; total: bigint }[]> {
  if (!safe) return [];
  const since = Math.max((await clock.now(db)).getTime() - historyDays * dayMs, safe.createdAt.getTime());
  const rows = await listPublishedBalances(db, { userId: safe.userId, since: new Date(since) });
  return rows.map(({ at, total }) => ({ at, total: BigInt(total) }));
}
