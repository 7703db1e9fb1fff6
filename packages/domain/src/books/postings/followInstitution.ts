/**
 * Asks the e-money institution at a close what it owes for the tokens of the treasury, and of customers' Safes with an IBAN, and keeps
 * what that is beyond the chain. The chain itself is compared with the books by each transfer, so the institution is compared with both.
 *
 * Its protocol names the balance of one address, and no total of what it safeguards. So customers' Safes are asked for in turn.
 */
import { fromDecimal, tokenOf } from "@cardkeep/chain/tokens";
import { isCurrency } from "@cardkeep/contract/core/currencies";
import type { Address } from "@cardkeep/contract/core/primitives";
import {
  findBookCursor,
  insertWitnessEntries,
  type NewWitnessEntry,
  setBookPlace,
} from "@cardkeep/db/queries/books/postings";
import { listSafesWithIban, sumWitnessed } from "@cardkeep/db/queries/books/witnessSources";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import type { CommitContext } from "../../core/context.ts";
import { createRowCalls } from "../../core/createRowCalls.ts";
import { isRedeemable } from "../../treasury/moves/showMove.ts";
import { type AccountKind, nameAccount } from "./chart.ts";
import { openAccounts } from "./openAccounts.ts";

const witness = "institution-balance";
/** Where the turn of customers' Safes is. */
const source = "witness:institution";
/** Money that moves in between is asked for again. */
const triesMax = 3;
/** Customers' Safes that are asked for at one close. */
const safesAtOnce = 200;

interface Difference {
  readonly account: string;
  /** The account's own name, or a customer's Safe and the currency. */
  readonly reference: string;
  readonly currency: string;
  readonly amount: bigint;
}

interface Asked {
  readonly address: Address;
  readonly kind: AccountKind;
}

/** The tokens that the institution issues: what it owes for others is another's debt. */
const known = Object.values(tokenOf).filter(({ fiat }) => isRedeemable(fiat));

/** What the institution has beyond the chain, by currency; null while the balance keeps moving. */
async function readDifferences(ctx: CommitContext, { address, kind }: Asked): Promise<Difference[] | null> {
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
      const account = nameAccount(kind, currency);
      const reference = kind === "safes" ? `${address}:${currency}` : account;
      return [{ account, reference, currency, amount: units - held }];
    });
  }
  return null;
}

/** Keeps the differences as entries of the day that is closed: what each changed by since the last reading. */
async function keep(ctx: CommitContext, day: string, differences: readonly Difference[], place: string | null) {
  await ctx.commit(async ({ tx, now }) => {
    await openAccounts(tx, differences, now);
    const rows: NewWitnessEntry[] = [];
    for (const { account, reference, currency, amount } of differences) {
      const earlier = await sumWitnessed(tx, { witness, account, reference });
      // One reading a day counts.
      const ordinal = Number(day.replaceAll("-", ""));
      const entry = { witness, reference, ordinal, account, currency, amount: amount - earlier };
      // Of customers' Safes one row a currency says that they agree.
      if (entry.amount === 0n && reference !== account) continue;
      rows.push({ ...entry, kind: "balance", party: null, effectiveOn: day, at: now });
    }
    await insertWitnessEntries(tx, rows, now);
    await setBookPlace(tx, { source, after: place, updatedAt: now });
  });
}

const isOfInstitution = (error: unknown): boolean =>
  error instanceof ProviderRefused || error instanceof ProviderUnavailable;

/** A row a currency says that customers' Safes were compared. */
const withTotals = (differences: readonly Difference[]): Difference[] =>
  differences.flatMap((difference) => {
    const { currency } = difference;
    if (!isCurrency(currency)) return [difference];
    const account = nameAccount("safes", currency);
    return [difference, { account, reference: account, currency, amount: 0n }];
  });

/**
 * Asks for the next customers' Safes in turn; behind the last one it begins again. One that the institution does not answer is left
 * out. The place is kept with each Safe, so that none holds up those behind it.
 *
 * @throws ProviderUnavailable while the institution is away
 */
async function followCustomers(ctx: CommitContext, day: string, isStopped: () => boolean): Promise<void> {
  const cursor = await findBookCursor(ctx.db, source);
  const safes = await listSafesWithIban(ctx.db, { after: cursor?.after ?? "", limit: safesAtOnce });
  const call = createRowCalls(ctx, () => Promise.resolve());
  for (const { userId, address } of safes) {
    if (isStopped()) return;
    const found = await call(userId, () => readDifferences(ctx, { address, kind: "safes" }));
    await keep(ctx, day, withTotals(found ?? []), userId);
  }
  if (safes.length < safesAtOnce) await keep(ctx, day, [], null);
}

/** Compares the institution with the chain. One that does not answer, or knows no such address, is no witness of the day. */
export async function followInstitution(
  ctx: CommitContext,
  day: string,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const { settlementAddress, treasuryAddress: address } = ctx.policy;
  // One address may be both.
  const kind = address === settlementAddress ? "settlement" : "treasury";
  try {
    const own = await readDifferences(ctx, { address, kind });
    await keep(ctx, day, own ?? [], (await findBookCursor(ctx.db, source))?.after ?? null);
  } catch (error) {
    if (!isOfInstitution(error)) throw error;
    ctx.log.warn({ err: error }, "the institution did not say what it owes for the treasury");
  }
  try {
    await followCustomers(ctx, day, isStopped);
  } catch (error) {
    if (!isOfInstitution(error)) throw error;
    ctx.log.warn({ err: error }, "the institution did not say what it owes customers");
  }
}
