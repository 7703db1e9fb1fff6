import { tokens } from "@cardkeep/chain/tokens";
import { listOpenDelays } from "@cardkeep/db/queries/accounts/delays/lists";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { type Hold, listHolds } from "@cardkeep/db/queries/spending/liveTransfers";
import type { Context, UserContext } from "../../core/context.ts";
import { getActiveSafe, getSnapshot } from "../../core/safeAccount.ts";
import { hashesOf, leaveOutRun, sumHolds, sumWithdrawals } from "./holds.ts";

/**
 * Balances of the Safe's token in base units; `total` is always `spendable` plus `pending`.
 *
 * The rows are read before the chain, which gives balance, queue and the spends that ran at one block. An operation that
 * ran between the two reads is in neither the balance nor the pending sum, so no money is counted twice or as spendable.
 *
 * @throws safes.not_found
 */
export async function getBalances(ctx: UserContext): Promise<Balances> {
  return readBalances(ctx, await getActiveSafe(ctx));
}

export interface Balances {
  total: bigint;
  spendable: bigint;
  pending: bigint;
}

/** The balances of one Safe. */
export async function readBalances(ctx: Pick<Context, "db" | "snapshots">, safe: CurrencySafe): Promise<Balances> {
  return (await readBalancesBy(ctx, safe, await readReservations(ctx, safe))).balances;
}

/** What rows say of a Safe's money that is spoken for. */
interface Reservations {
  open: Awaited<ReturnType<typeof listOpenDelays>>;
  holds: Hold[];
}

/** Reads the rows: what is on chain in a block of theirs is in none of them any more. */
export async function readReservations({ db }: Pick<Context, "db">, { id }: CurrencySafe): Promise<Reservations> {
  const [open, holds] = await Promise.all([listOpenDelays(db, id), listHolds(db, id)]);
  return { open, holds };
}

/** The balances by rows that were read before, and the block whose state they are of. */
export async function readBalancesBy(
  ctx: Pick<Context, "snapshots">,
  safe: CurrencySafe,
  { open, holds }: Reservations,
): Promise<{ balances: Balances; block: bigint }> {
  const token = tokens[safe.tokenSymbol].address;
  const hashes = hashesOf(holds);
  const snapshot = await getSnapshot(ctx, safe, hashes);
  const { balance, txNonce, block } = snapshot;
  const hasRun = hashes.map((hash) => snapshot.hasRun.get(hash) === true);
  const hasLeft = (queueNonce: bigint | null) => queueNonce !== null && queueNonce < txNonce;
  const withdrawn = sumWithdrawals(
    open.filter((row) => !hasLeft(row.queueNonce)),
    token,
  );
  const reserved = withdrawn + sumHolds(leaveOutRun(holds, hasRun));
  const pending = reserved < balance ? reserved : balance;
  return { balances: { total: balance, spendable: balance - pending, pending }, block: block.number };
}
