/** The ledger of card money for an operator: entries, sums, and the settlement account on chain. */
import { fail } from "@cardkeep/contract/core/errors";
import { address as addressOf } from "@cardkeep/contract/core/primitives";
import { findSafeByAddress, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { listSettlementFunds, type SettlementFunds } from "@cardkeep/db/queries/chain/settlementFunds";
import {
  type LedgerFilter,
  type LedgerRow,
  listLedger as listRows,
  sumLedger,
} from "@cardkeep/db/queries/spending/ledger";
import type { LedgerAccount } from "@cardkeep/db/schema/spending/ledger";
import type { Services } from "../../core/services.ts";

export type LedgerListEntry = LedgerRow;

/** What to list; null for everything. */
export interface LedgerSearch {
  /** Address of a Safe. */
  readonly safeAddress: string | null;
  readonly paymentId: string | null;
  /** Of payments that were made within. */
  readonly from: Date | null;
  readonly until: Date | null;
}

const separator = " ";

/** The name of an entry, which lists continue after. */
export const nameLedgerEntry = ({ paymentId, id }: Pick<LedgerRow, "paymentId" | "id">): string =>
  `${paymentId}${separator}${id}`;

function parseEntryName(name: string | null): { paymentId: string; id: string } | null {
  const [paymentId, id] = name?.split(separator) ?? [];
  return paymentId === undefined || id === undefined ? null : { paymentId, id };
}

async function findFilter({ db }: Pick<Services, "db">, search: LedgerSearch): Promise<LedgerFilter> {
  const { safeAddress, ...filter } = search;
  if (safeAddress === null) return { ...filter, safe: null };
  const read = addressOf.safeParse(safeAddress);
  return { ...filter, safe: (read.success ? await findSafeByAddress(db, read.data) : null) ?? fail("safes.not_found") };
}

/** Entries of the newest payments first. @throws safes.not_found */
export async function listLedger(
  ctx: Pick<Services, "db">,
  { after, limit, ...search }: LedgerSearch & { after: string | null; limit: number },
): Promise<LedgerListEntry[]> {
  return listRows(ctx.db, { ...(await findFilter(ctx, search)), after: parseEntryName(after), limit });
}

export interface LedgerSums extends Record<LedgerAccount, bigint> {
  readonly count: number;
  readonly tokenSymbol: Safe["tokenSymbol"];
}

/** More entries are not added up for a page. */
export const summedEntriesMax = 10_000;

/**
 * What a Safe's or a payment's entries come to. Null for a search that names neither: the whole ledger is not added up for a
 * page. Where `count` is above `summedEntriesMax`, the sums are not those of all entries.
 *
 * @throws safes.not_found
 */
export async function sumLedgerOf(ctx: Pick<Services, "db">, search: LedgerSearch): Promise<LedgerSums | null> {
  if (search.safeAddress === null && search.paymentId === null) return null;
  const filter = await findFilter(ctx, search);
  const [first] = await listRows(ctx.db, { ...filter, after: null, limit: 1 });
  return first ? { ...(await sumLedger(ctx.db, filter, summedEntriesMax)), tokenSymbol: first.tokenSymbol } : null;
}

/** The settlement account by the last comparison: each token's balance on chain, and what the ledger requires of it. */
export const listSettlement = ({ db }: Pick<Services, "db">): Promise<SettlementFunds[]> => listSettlementFunds(db);
