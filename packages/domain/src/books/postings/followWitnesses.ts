/**
 * Reads what the witnesses of the books have recorded: the chain of the programme's own accounts, up to the last final block,
 * and the issuer of its balance. Each entry is kept once.
 */
import { dayMs } from "@cardkeep/contract/core/durations";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { tokenList, tokenOf } from "@cardkeep/chain/tokens";
import { listTransfersOf, listTransferTopics } from "@cardkeep/chain/transfers";
import { isCurrency } from "@cardkeep/contract/core/currencies";
import type { Address } from "@cardkeep/contract/core/primitives";
import {
  findBookCursor,
  insertWitnessEntries,
  type NewWitnessEntry,
  setBookCursor,
} from "@cardkeep/db/queries/books/postings";
import { findFirstInstant } from "@cardkeep/db/queries/books/witnessSources";
import type { BalanceEntry } from "@cardkeep/providers/issuer/port";
import { findBlockSince, readTimestamps } from "../../chain/guards/findBlockSince.ts";
import { dayOf } from "../../core/calendar.ts";
import { chainSearchSkewMs } from "../../core/clockSkew.ts";
import type { CommitContext } from "../../core/context.ts";
import { readEarlierTime } from "../../core/databaseTime.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { type AccountKind, nameAccount } from "./chart.ts";
import { openAccounts } from "./openAccounts.ts";
import { openChain, openingSource } from "./openChain.ts";

/** Nodes refuse questions about more blocks at once. */
const blocksMax = 1_000n;
const stepMsMax = 60 * dayMs;
/** The issuer may list an entry that late. */
const issuerOverlapMs = 1_800_000;

/** The programme's own accounts on chain. */
const listOwn = ({ policy }: Pick<CommitContext, "policy">): (readonly [AccountKind, Address])[] => {
  const { settlementAddress, treasuryAddress } = policy;
  const settlement = ["settlement", settlementAddress] as const;
  // One address may be both.
  return settlementAddress === treasuryAddress ? [settlement] : [settlement, ["treasury", treasuryAddress]];
};

interface Blocks {
  readonly from: bigint;
  readonly to: bigint;
  /** Older transfers are of no event: they are in the opening. */
  readonly since: Date;
}

async function readChain(
  ctx: CommitContext,
  { from: fromBlock, to: toBlock, since }: Blocks,
): Promise<NewWitnessEntry[]> {
  const addresses = tokenList.map(({ address }) => address);
  const own = listOwn(ctx);
  const asked = own.flatMap(([, address]) => listTransferTopics(address));
  const answers = await Promise.all(
    asked.map((topics) => ctx.chain.getLogs({ addresses, topics, fromBlock, toBlock })),
  );
  const found = new Map(
    listTransfersOf(answers.flat())
      .filter(({ amount, from, to }) => amount > 0n && from !== to)
      .map((transfer) => [`${transfer.log.blockNumber}:${transfer.log.logIndex}`, transfer]),
  );
  const times = await readTimestamps(
    ctx,
    [...found.values()].map(({ log }) => log),
  );
  const zone = ctx.policy.statementTimeZone;
  return [...found.values()].flatMap(({ from, to, amount, log }) => {
    const seconds = times.get(log.blockNumber);
    if (seconds === undefined) throw new Error(`The node has logs of block ${log.blockNumber}, and not the block`);
    const token = tokenList.find(({ address }) => address === log.address);
    const at = new Date(seconds * 1000);
    if (!token || at < since) return [];
    const build = ([kind, address]: readonly [AccountKind, Address], side: number): NewWitnessEntry[] => {
      if (address !== from && address !== to) return [];
      const named = { account: nameAccount(kind, token.fiat), currency: token.fiat };
      const [signed, party] = address === to ? [amount, from] : [-amount, to];
      // A transfer between the two accounts has an entry on each.
      const ordinal = 2 * log.logIndex + side;
      const entry = { reference: log.transactionHash, ordinal, kind: "transfer", party };
      return [{ witness: "chain", ...entry, ...named, amount: signed, effectiveOn: dayOf(at, zone), at }];
    };
    return own.flatMap((account, side) => build(account, side));
  });
}

async function keep(ctx: CommitContext, rows: readonly NewWitnessEntry[], cursor: Parameters<typeof setBookCursor>[1]) {
  await ctx.commit(async ({ tx, now }) => {
    await openAccounts(tx, rows, now);
    await insertWitnessEntries(tx, rows, now);
    await setBookCursor(tx, { ...cursor, updatedAt: now });
  });
}

/**
 * Reads the final blocks behind the last reading. Answers the instant up to which everything was read: the time of the last
 * final block; null before the first person, and where it was stopped.
 *
 * @throws ChainUnavailable, also where the node lacks that block
 */
export async function followChain(ctx: CommitContext, isStopped: () => boolean = () => false): Promise<Date | null> {
  const head = await ctx.chain.getBlock();
  const final = await ctx.chain.getBlockAt(head.number - BigInt(ctx.policy.confirmations - 1));
  const source = "witness:chain";
  const known = (await findBookCursor(ctx.db, source))?.block ?? null;
  const first = (await findBookCursor(ctx.db, openingSource)) ? null : await findFirstInstant(ctx.db);
  if (known === null && first === null) return null;
  if (!final) throw new ChainUnavailable(`The node lacks a block below its block ${head.number}`);
  let from = known === null ? (await findBlockSince(ctx, first ?? new Date(0))).fromBlock : known + 1n;
  // The first transfer of the programme may be that old by the chain's clock when the first person is there by ours.
  const since = new Date((first?.getTime() ?? 0) - chainSearchSkewMs);
  const reachedAt = new Date(final.timestamp * 1000);
  while (from <= final.number) {
    if (isStopped()) return null;
    const to = final.number - from > blocksMax ? from + blocksMax : final.number;
    const isLast = to === final.number;
    const rows = await readChain(ctx, { from, to, since });
    await keep(ctx, rows, { source, block: to, reachedAt: isLast ? reachedAt : null, updatedAt: reachedAt });
    from = to + 1n;
  }
  if (first) await openChain(ctx, { own: listOwn(ctx), source, block: final, at: first });
  return reachedAt;
}

const objectKinds: ReadonlySet<string> = new Set(["issuing_transaction", "issuing_dispute"]);

const toEntry =
  (zone: string) =>
  (entry: BalanceEntry): NewWitnessEntry[] => {
    const { currency, id, source, kind, at } = entry;
    if (!isCurrency(currency)) return [];
    const amount = centsToBaseUnits(entry.amountCents, tokenOf[currency]);
    const named = { account: nameAccount("prefund", currency), currency, amount, kind, party: source };
    // A clearing and a dispute are known by their own ids, a top-up and a fee by the entry's.
    const isOfObject = source !== null && objectKinds.has(kind);
    const reference = isOfObject ? source : id;
    // Several entries of one object have an ordinal each, which their ids give in any order of reading.
    const ordinal = isOfObject ? Number(BigInt.asUintN(31, BigInt(Bun.hash(id)))) : 0;
    return [{ witness: "issuer", reference, ordinal, ...named, effectiveOn: dayOf(at, zone), at }];
  };

/**
 * Reads once what was sent to the issuer before the books begin: the balance that the programme began with. What else moved
 * then is of no event here. It counts from the first sign-up on, so that no earlier day has to be closed.
 */
async function readFirstTopUps(ctx: CommitContext): Promise<void> {
  const source = "witness:issuer-opening";
  const first = (await findBookCursor(ctx.db, source)) ? null : await findFirstInstant(ctx.db);
  if (first === null) return;
  const until = new Date(first.getTime() - dayMs);
  const sent = await ctx.issuer.listBalanceEntries({ from: new Date(0), to: until, kind: "topup" });
  const rows = sent.map((entry) => ({ ...entry, at: first })).flatMap(toEntry(ctx.policy.statementTimeZone));
  await keep(ctx, rows, { source, block: null, reachedAt: until, updatedAt: until });
}

/** Reads the issuer's entries behind the last reading, a day at a time where there are any. Answers the instant up to which all was read. */
export async function followIssuerEntries(
  ctx: CommitContext,
  isStopped: () => boolean = () => false,
): Promise<Date | null> {
  const now = await readEarlierTime(ctx);
  const cursor = await findBookCursor(ctx.db, "witness:issuer");
  const first = cursor?.reachedAt ? null : await findFirstInstant(ctx.db);
  if (!cursor?.reachedAt && first === null) return null;
  await readFirstTopUps(ctx);
  const reached = cursor?.reachedAt ? cursor.reachedAt.getTime() - issuerOverlapMs : (first ?? now).getTime() - dayMs;
  let stepMs = dayMs;
  for (let from = reached; from < now.getTime();) {
    if (isStopped()) return null;
    const to = new Date(Math.min(from + stepMs, now.getTime()));
    const entries = await ctx.issuer.listBalanceEntries({ from: new Date(from), to });
    const rows = entries.flatMap(toEntry(ctx.policy.statementTimeZone));
    await keep(ctx, rows, { source: "witness:issuer", block: null, reachedAt: to, updatedAt: now });
    from = to.getTime();
    // Quiet times are passed in long steps.
    stepMs = entries.length === 0 ? Math.min(2 * stepMs, stepMsMax) : dayMs;
  }
  return now;
}
