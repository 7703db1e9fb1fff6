/**
 * Proof of funds: the settlement account on chain holds at least what the ledger says, per token.
 *
 * Spends are booked after the chain has them, so the chain may only be ahead. Returns leave the account before they are
 * booked, so every return under way is taken off what is required. The rows are read before and after the chain: where a
 * return began or was booked in between, the answer would say nothing, and both are read again.
 */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { type TokenSymbol, tokens } from "@cardkeep/chain/tokens";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import {
  listSettlementFunds,
  readSettlementLedger,
  saveSettlementFunds,
  type SettlementFunds,
  type SettlementLedger,
} from "@cardkeep/db/queries/chain/settlementFunds";
import type { CommitContext, Context } from "../../core/context.ts";
import { formatUnits } from "../../core/wording.ts";

const everyMs = 15_000;
/** A first shortfall may be a block that was just removed; the second comparison decides. */
const againMs = 3_000;
const triesMax = 5;

const symbols = keysOf(tokens);

interface Comparison {
  token: TokenSymbol;
  required: bigint;
  balance: bigint;
}

/** Compares once; runs again within 15 s. */
export async function compareFunds(ctx: CommitContext): Promise<void> {
  const compared = await readBoth(ctx);
  await ctx.commit(async ({ tx, now, requestId }) => {
    const rows = compared ? await saveSettlementFunds(tx, compared, now) : [];
    for (const { token, shortfall } of rows.filter(isConfirmed).map(toState)) {
      ctx.log.error({ token, shortfall }, "The settlement account holds less than the ledger says.");
    }
    const isOpen = compared === null || rows.some((row) => row.shortSince !== null && !isConfirmed(row));
    const payload = { chainId: String(ctx.policy.chainId), requestId };
    await enqueue(tx, "chain.funds", payload, isOpen ? againMs : everyMs);
  });
}

/** Rows and chain of one state; null where returns kept coming in between. */
async function readBoth(ctx: Context): Promise<Comparison[] | null> {
  const owner = ctx.policy.settlementAddress;
  for (let tries = 0; tries < triesMax; tries++) {
    const before = await readSettlementLedger(ctx.db);
    const balances = await Promise.all(
      symbols.map((symbol) => ctx.chain.getTokenBalance(tokens[symbol].address, owner)),
    );
    const after = await readSettlementLedger(ctx.db);
    if (symbols.some((token) => before.get(token)?.version !== after.get(token)?.version)) continue;
    return symbols.map((token, index) => ({
      token,
      required: requiredOf(before.get(token)),
      balance: balances[index] ?? 0n,
    }));
  }
  return null;
}

const requiredOf = (ledger: SettlementLedger | undefined): bigint => {
  const required = ledger ? ledger.booked - ledger.returning : 0n;
  return required > 0n ? required : 0n;
};

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

/** The money that the settlement account lacks, as text; null where it lacks none. */
export function describeShortfall(funds: readonly FundsState[], address: string): string | null {
  const missing = funds.flatMap(({ token, shortfall }) => (shortfall === null ? [] : [`${shortfall} ${token}`]));
  if (missing.length === 0) return null;
  return `The settlement account ${address} holds ${missing.join(" and ")} less than the ledger says: find the transfers out of it that this service did not sign`;
}

/** The money that the settlement account holds beyond the ledger, as text. */
export async function describeFunds(ctx: Pick<Context, "db">): Promise<string> {
  const funds = await listFunds(ctx);
  if (funds.length === 0) return "Not compared yet: a worker does it";
  const surplus = funds.map(({ token, difference }) => `${formatUnits(difference, tokens[token].decimals)} ${token}`);
  return `Beyond the ledger: ${surplus.join(", ")}`;
}
