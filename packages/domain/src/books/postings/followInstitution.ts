/**
 * Asks the e-money institution at a close what it owes for the tokens of the treasury, and keeps what that is beyond the chain.
 * The chain itself is compared with the books by each transfer, so the institution is compared with both.
 */
import { fromDecimal, tokenOf } from "@cardkeep/chain/tokens";
import { isCurrency } from "@cardkeep/contract/core/currencies";
import { insertWitnessEntries, type NewWitnessEntry } from "@cardkeep/db/queries/books/postings";
import { sumWitnessed } from "@cardkeep/db/queries/books/witnessSources";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import type { CommitContext } from "../../core/context.ts";
import { nameAccount } from "./chart.ts";
import { openAccounts } from "./openAccounts.ts";

const witness = "institution-balance";
/** Money that moves in between is asked for again. */
const triesMax = 3;

interface Difference {
  readonly account: string;
  readonly currency: string;
  readonly amount: bigint;
}

/** What the institution has beyond the chain, by currency; null while the balance keeps moving. */
async function readDifferences(ctx: CommitContext): Promise<Difference[] | null> {
  const { settlementAddress, treasuryAddress: address } = ctx.policy;
  // One address may be both.
  const kind = address === settlementAddress ? "settlement" : "treasury";
  const known = Object.values(tokenOf);
  const readChain = () => Promise.all(known.map((token) => ctx.chain.getTokenBalance(token.address, address)));
  for (let tries = 0; tries < triesMax; tries++) {
    const before = await readChain();
    const owed = await ctx.emoney.readBalances({ address });
    const after = await readChain();
    if (before.some((amount, place) => amount !== after[place])) continue;
    return owed.flatMap(({ currency, amount }) => {
      if (!isCurrency(currency)) return [];
      const token = tokenOf[currency];
      const units = fromDecimal(amount, token);
      const held = after[known.indexOf(token)];
      if (units === null || held === undefined) return [];
      return [{ account: nameAccount(kind, currency), currency, amount: units - held }];
    });
  }
  return null;
}

/** Keeps the differences as entries of the day that is closed. An institution that does not answer or knows no such address is no witness of it. */
export async function followInstitution(ctx: CommitContext, day: string): Promise<void> {
  let found: Difference[] | null;
  try {
    found = await readDifferences(ctx);
  } catch (error) {
    if (!(error instanceof ProviderRefused || error instanceof ProviderUnavailable)) throw error;
    ctx.log.warn({ err: error }, "the institution did not say what it owes for the treasury");
    return;
  }
  const differences = found ?? [];
  await ctx.commit(async ({ tx, now }) => {
    await openAccounts(tx, differences, now);
    const rows: NewWitnessEntry[] = [];
    for (const { account, currency, amount } of differences) {
      const earlier = await sumWitnessed(tx, { witness, account });
      // One reading a day counts.
      const ordinal = Number(day.replaceAll("-", ""));
      const entry = { witness, reference: account, ordinal, account, currency, amount: amount - earlier };
      rows.push({ ...entry, kind: "balance", party: null, effectiveOn: day, at: now });
    }
    await insertWitnessEntries(tx, rows, now);
  });
}
