/**
 * Proof of funds: the settlement account on chain holds at least what the ledger says, per token.
 *
 * Spends are booked after the chain has them, so the chain may only be ahead. Returns leave the account before they are
 * booked, so every return under way is taken off what is required. One that has not left yet brings nothing back, so an open
 * item stays required until the money is there. The rows are read before and after the chain: where a
 * return began or was booked in between, the answer would say nothing, and both are read again. A node that lacks a block that
 * was seen may lack a booked spend, so nothing is compared with it.
 */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { type TokenSymbol, tokens } from "@cardkeep/chain/tokens";
import { lockTreasury } from "@cardkeep/db/queries/treasury/moves";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import {
  listSettlementFunds,
  readSettlementLedger,
  saveSettlementFunds,
  type SettlementFunds,
} from "@cardkeep/db/queries/chain/settlementFunds";
import {
  closeItem,
  insertItem,
  listOpenTreasuryItems,
  setItemAmount,
  type TreasuryItem,
} from "@cardkeep/db/queries/treasury/unannounced";
import type { CommitContext, Context, Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { atLeastZero, greatest, least, sumOf } from "../../core/money.ts";
import { formatInstant, formatUnits } from "../../core/wording.ts";
import { readHead } from "../guards/readHead.ts";

const everyMs = 15_000;
/** A first shortfall may be a block that was just removed; the second comparison decides. */
const againMs = 3_000;
const triesMax = 5;

const symbols = keysOf(tokens);

interface Comparison {
  token: TokenSymbol;
  booked: bigint;
  /** What may have left the account and is not booked yet. */
  returning: bigint;
  balance: bigint;
  /** Of the ledger's side that was compared. */
  version: string;
}

/** Compares once; runs again within 15 s. */
export async function compareFunds(ctx: CommitContext): Promise<void> {
  const compared = await readBoth(ctx);
  await ctx.commit(async ({ tx, now, requestId }) => {
    // What was explained or booked since the comparison is no movement: the next one sees it.
    await lockTreasury(tx);
    const ledger = await readSettlementLedger(tx);
    const same = (compared ?? []).filter(({ token, version }) => (ledger.get(token)?.version ?? "") === version);
    const open = await listOpenTreasuryItems(tx);
    const judged = compared?.map((each) => ({ ...each, required: requiredOf(each, sumOpen(open, each.token)) }));
    const rows = judged ? await saveSettlementFunds(tx, judged, now) : [];
    for (const row of rows)
      if (same.some(({ token }) => token === row.token)) await recordMissing(ctx, { tx, now }, row, open);
    const isOpen = compared === null || rows.some((row) => row.shortSince !== null && !isConfirmed(row));
    const payload = { chainId: String(ctx.policy.chainId), requestId };
    await enqueue(tx, "chain.funds", payload, isOpen ? againMs : everyMs);
  });
}

/**
 * Keeps an item for each movement that nothing explains: what is missing beyond the open items is a new one, and what came back
 * closes the newest ones.
 */
async function recordMissing(
  ctx: Pick<Context, "log">,
  { tx, now }: Pick<Work, "tx" | "now">,
  row: SettlementFunds,
  open: readonly TreasuryItem[],
): Promise<void> {
  const { token } = row;
  const missing = isConfirmed(row) ? row.required - row.balance : 0n;
  // A first shortfall waits for the comparison that confirms it.
  if (row.shortSince !== null && !isConfirmed(row)) return;
  const known = open.filter((item) => item.token === token);
  let surplus = sumOpen(open, token) - missing;
  if (surplus < 0n) {
    await insertItem(tx, { id: generateId(), token, amount: -surplus, foundAt: now });
    const fields = { token, amount: formatUnits(-surplus, tokens[token].decimals) };
    ctx.log.error(fields, "The settlement account holds less than the ledger says: money left it unannounced.");
    return;
  }
  for (const { id, amount } of known.toReversed()) {
    if (surplus <= 0n) return;
    if (surplus < amount) return setItemAmount(tx, id, amount - surplus);
    surplus -= amount;
    await closeItem(tx, id, { outcome: "returned", closedAt: now, closedBy: null, reason: null });
  }
}

/** Rows and chain of one state; null where the node lags, or returns kept coming in between. */
async function readBoth(ctx: Context): Promise<Comparison[] | null> {
  const owner = ctx.policy.settlementAddress;
  for (let tries = 0; tries < triesMax; tries++) {
    const before = await readSettlementLedger(ctx.db);
    // Read after the rows, which rest on blocks that were seen by then.
    const { head, isBehind } = await readHead(ctx);
    if (isBehind) return null;
    // At this block, because the next call may reach another node.
    const balances = await Promise.all(
      symbols.map((symbol) => ctx.chain.getTokenBalance(tokens[symbol].address, owner, head.number)),
    );
    const after = await readSettlementLedger(ctx.db);
    if (symbols.some((token) => before.get(token)?.version !== after.get(token)?.version)) continue;
    return symbols.map((token, index) => ({
      token,
      booked: before.get(token)?.booked ?? 0n,
      returning: before.get(token)?.returning ?? 0n,
      version: before.get(token)?.version ?? "",
      balance: balances[index] ?? 0n,
    }));
  }
  return null;
}

/** What is known to be missing of a token. */
const sumOpen = (open: readonly TreasuryItem[], token: TokenSymbol): bigint =>
  sumOf(open.flatMap((item) => (item.token === token ? [item.amount] : [])));

/** The ledger's side without what is under way; with it as far as an open item is still missing. */
function requiredOf({ booked, returning, balance }: Omit<Comparison, "token" | "version">, missing: bigint): bigint {
  const known = missing > 0n ? least(booked, balance + missing) : 0n;
  return atLeastZero(greatest(booked - returning, known));
}

/** Whether two comparisons in a row found too little. */
const isConfirmed = ({ shortSince, comparedAt }: SettlementFunds): boolean =>
  shortSince !== null && comparedAt.getTime() > shortSince.getTime();

/** One token at the settlement account, by the last comparison. */
export interface FundsState {
  token: TokenSymbol;
  /** Base units on chain less what is required; below zero where money is missing. */
  difference: bigint;
  /** Missing whole tokens as text, once two comparisons have found it; else null. */
  shortfall: string | null;
  comparedAt: Date;
}

const toState = (row: SettlementFunds): FundsState => {
  const difference = row.balance - row.required;
  const { decimals } = tokens[row.token];
  const shortfall = isConfirmed(row) ? formatUnits(-difference, decimals) : null;
  return { token: row.token, difference, shortfall, comparedAt: row.comparedAt };
};

/** Every token at the settlement account, by the last comparison; none before the first. */
export const listFunds = async ({ db }: Pick<Context, "db">): Promise<FundsState[]> =>
  (await listSettlementFunds(db)).map(toState);

/** The money that the settlement account lacks, as text with the items about it; null where it lacks none. */
export function describeShortfall(
  funds: readonly FundsState[],
  address: string,
  items: readonly Pick<TreasuryItem, "id" | "foundAt">[] = [],
): string | null {
  const missing = funds.flatMap(({ token, shortfall }) => (shortfall === null ? [] : [`${shortfall} ${token}`]));
  if (missing.length === 0) return null;
  const named = items.map(({ id, foundAt }) => `${id} since ${formatInstant(foundAt)}`);
  const next = named.length === 0 ? "" : `, then \`treasury explain\` it: ${named.join(", ")}`;
  return `The settlement account ${address} holds ${missing.join(" and ")} less than the ledger says: find the transfers out of it that this service did not sign${next}`;
}

/** The money that the settlement account holds beyond the ledger, as text. */
export async function describeFunds(ctx: Pick<Context, "db">): Promise<string> {
  const funds = await listFunds(ctx);
  if (funds.length === 0) return "Not compared yet: a worker does it";
  const surplus = funds.map(({ token, difference }) => `${formatUnits(difference, tokens[token].decimals)} ${token}`);
  return `Beyond the ledger: ${surplus.join(", ")}`;
}
