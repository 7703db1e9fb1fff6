/**
 * Posts what happened, source by source: history once, then what is new. A run that is killed or that runs twice books nothing
 * twice, because each event has one posting by a unique key.
 */
import { dayMs, hourMs, secondMs } from "@cardkeep/contract/core/durations";
import { endedStatuses } from "../../cards/orders/orderReturns.ts";
import { findBookCursor, insertPostings, setBookCursor } from "@cardkeep/db/queries/books/postings";
import {
  listCreditsToPost,
  listDisputesToPost,
  listUnpostedClearings,
  listUnpostedEntries,
} from "@cardkeep/db/queries/books/cardSources";
import {
  listUnpostedIbanOrders,
  listUnpostedMoves,
  listUnpostedOrders,
  listUnpostedReturns,
  listUnpostedTopUps,
  listUnusedPayments,
} from "@cardkeep/db/queries/books/sources";
import { type SourceSpan } from "@cardkeep/db/queries/books/spans";
import { listExplained, listLostPayments } from "@cardkeep/db/queries/books/reversedPostings";
import { findFirstInstant, listUnexplainedEntries } from "@cardkeep/db/queries/books/witnessSources";
import { dayOf } from "../../core/calendar.ts";
import type { CommitContext } from "../../core/context.ts";
import { readEarlierTime } from "../../core/databaseTime.ts";
import type { Policy } from "../../core/policy.ts";
import { openAccounts } from "./openAccounts.ts";
import {
  type Posting,
  postClearing,
  postCredit,
  postDispute,
  postEntry,
  postExplained,
  postGas,
  postIbanOrder,
  postLostPayment,
  postMove,
  postOrder,
  postReturn,
  postUnused,
  postWitnessEntry,
} from "./rules.ts";

type On = CommitContext["db"];

const recordEveryMs = 300_000;
const stepMsMax = 30 * dayMs;

interface Source {
  /** A span that is read at once. */
  readonly stepMs: number;
  /** Rows of so long before are read again: their commit, or what they wait for, may have been late. */
  readonly overlapMs: number;
  /** Younger rows wait. */
  readonly lagMs: (policy: Policy) => number;
  /** The rows without a posting, oldest first, and what each books. */
  readonly read: (on: On, span: SourceSpan, policy: Policy) => Promise<Read[]>;
}

interface Read {
  readonly position: Date;
  readonly posting: Posting | null;
}

/** Rows with what a rule makes of each. */
const apply = <R extends { readonly position: Date }>(rows: readonly R[], rule: (row: R) => Posting | null): Read[] =>
  rows.map((row) => ({ position: row.position, posting: rule(row) }));

/** Blocks come every 5 s on Gnosis Chain: an entry rests on final ones by then. */
const finalMs = ({ confirmations }: Policy): number => (confirmations - 1) * 6 * secondMs;
const noLag = (): number => 0;

/** Of dense tables. */
const dense = { stepMs: hourMs, overlapMs: 600 * secondMs };
/** Of tables with few rows, some of which wait for a partner. */
const sparse = { stepMs: 30 * dayMs, overlapMs: 3 * dayMs, lagMs: noLag };

/** Kinds of the issuer's entries that clearings and disputes explain. */
const explained = ["issuing_transaction", "issuing_dispute"] as const;
/** What moved is explained by a posting within this time as a rule; a later one ends its suspense. */
const explainedWithinMs = hourMs;
const beforeOf = ({ to }: Pick<SourceSpan, "to">): Date => new Date(to.getTime() - explainedWithinMs);

/** By the name of its cursor. Another name reads all again, such as what an earlier version passed over. */
const sources: Readonly<Record<string, Source>> = {
  entries: {
    ...dense,
    lagMs: finalMs,
    read: async (on, span) => apply(await listUnpostedEntries(on, span), postEntry),
  },
  clearings: {
    ...dense,
    lagMs: noLag,
    read: async (on, span) => apply(await listUnpostedClearings(on, span), postClearing),
  },
  // Before orders, which may be paid again.
  lostPayments: {
    ...sparse,
    read: async (on, span) => apply(await listLostPayments(on, span), postLostPayment),
  },
  orders: {
    ...sparse,
    lagMs: finalMs,
    read: async (on, span, policy) =>
      apply(await listUnpostedOrders(on, { ...span, ended: endedStatuses }), (row) =>
        postOrder(row, policy.orderTaxPercent),
      ),
  },
  // Before returns, which pay first what is payable.
  unusedPayments: {
    ...sparse,
    read: async (on, span) => apply(await listUnusedPayments(on, { ...span, ended: endedStatuses }), postUnused),
  },
  returns: {
    ...sparse,
    read: async (on, span, policy) =>
      apply(await listUnpostedReturns(on, span), (row) => postReturn(row, policy.orderTaxPercent)),
  },
  credits: {
    ...sparse,
    lagMs: finalMs,
    read: async (on, span) => apply(await listCreditsToPost(on, span), postCredit),
  },
  disputes: { ...sparse, read: async (on, span) => apply(await listDisputesToPost(on, span), postDispute) },
  topUps: { ...sparse, read: async (on, span) => apply(await listUnpostedTopUps(on, span), postGas) },
  emoneyOrders: { ...sparse, read: async (on, span) => apply(await listUnpostedIbanOrders(on, span), postIbanOrder) },
  treasuryMoves: {
    ...sparse,
    lagMs: finalMs,
    read: async (on, span) => apply(await listUnpostedMoves(on, span), postMove),
  },
  issuer: {
    ...sparse,
    read: async (on, span) =>
      apply(
        await listUnexplainedEntries(on, { ...span, witness: "issuer", explained, before: beforeOf(span) }),
        postWitnessEntry,
      ),
  },
  chain: {
    ...sparse,
    read: async (on, span) =>
      apply(
        await listUnexplainedEntries(on, { ...span, witness: "chain", explained: [], before: beforeOf(span) }),
        postWitnessEntry,
      ),
  },
  suspenseEnds: { ...sparse, read: async (on, span) => apply(await listExplained(on, span), postExplained) },
};

const pageRows = 500;
/** Pages of one instant in a row that book nothing. */
const idleMax = 20;

/** Books some postings in one commit. Answers how many were new. */
const book = (ctx: CommitContext, postings: readonly Posting[]): Promise<number> =>
  ctx.commit(async ({ tx, now }) => {
    await openAccounts(
      tx,
      postings.flatMap(({ lines }) => lines),
      now,
    );
    const zone = ctx.policy.statementTimeZone;
    return insertPostings(
      tx,
      postings.map(({ at, ...posting }) => ({ ...posting, effectiveOn: dayOf(at, zone) })),
      now,
    );
  });

/** Reads one span of a source, page by page, each in a commit of its own. Answers how many postings were new. */
async function postSpan(ctx: CommitContext, source: Source, span: Omit<SourceSpan, "limit">): Promise<number> {
  let [posted, { from }, idle] = [0, span, 0];
  for (;;) {
    const read = await source.read(ctx.db, { from, to: span.to, limit: pageRows }, ctx.policy);
    const postings = read.flatMap(({ posting }) => posting ?? []);
    const added = postings.length === 0 ? 0 : await book(ctx, postings);
    posted += added;
    const last = read.at(-1);
    if (!last || read.length < pageRows) return posted;
    // Rows that book nothing come again as long as the instant is theirs; and other workers may post the same page.
    idle = added === 0 && last.position.getTime() === from.getTime() ? idle + 1 : 0;
    if (idle > idleMax) return posted;
    from = last.position;
  }
}

/** What is posted, and how. */
interface Reading {
  readonly until: Date;
  /** Rows of so long before are read again, of each source. */
  readonly overlapMsMin: number;
  readonly isStopped: () => boolean;
}

/** Posts one source up to `until`; stops early where `isStopped` says so. */
async function postSource(
  ctx: CommitContext,
  name: string,
  source: Source,
  { until, overlapMsMin, isStopped }: Reading,
): Promise<number> {
  const cursor = await findBookCursor(ctx.db, name);
  const end = until.getTime() - source.lagMs(ctx.policy);
  const begin = cursor?.reachedAt ?? (await findFirstInstant(ctx.db)) ?? until;
  let fromMs = begin.getTime() - Math.max(source.overlapMs, overlapMsMin);
  let [posted, stepMs] = [0, source.stepMs];
  const record = (reachedMs: number) =>
    ctx.commit(({ tx, now }) =>
      setBookCursor(tx, { source: name, reachedAt: new Date(reachedMs), block: null, updatedAt: now }),
    );
  while (fromMs < end && !isStopped()) {
    const span = { from: new Date(fromMs), to: new Date(Math.min(fromMs + stepMs, end)) };
    // Quiet times are passed in long steps. Where something happened, one begins again with short ones.
    if (stepMs > source.stepMs && (await source.read(ctx.db, { ...span, limit: 1 }, ctx.policy)).length > 0) {
      stepMs = source.stepMs;
      continue;
    }
    const added = await postSpan(ctx, source, span);
    posted += added;
    fromMs = span.to.getTime();
    const isDense = added > 0 || span.to < begin;
    stepMs = isDense ? source.stepMs : Math.min(2 * stepMs, Math.max(stepMsMax, source.stepMs));
    if (added > 0) await record(fromMs);
  }
  // A quiet source writes seldom: what is read again has its postings.
  if (fromMs - (cursor?.reachedAt?.getTime() ?? 0) >= recordEveryMs) await record(fromMs);
  return posted;
}

/**
 * Posts everything up to now. Answers how many postings were new.
 *
 * @param overlapMsMin for how long rows are read again: those of a worker whose clock is behind come behind the cursor
 */
export async function postAll(
  ctx: CommitContext,
  isStopped: () => boolean = () => false,
  overlapMsMin = 0,
): Promise<number> {
  // A cursor that is ahead of all clocks but one would pass over what the others write.
  const until = await readEarlierTime(ctx);
  let posted = 0;
  for (const [name, source] of Object.entries(sources))
    posted += await postSource(ctx, name, source, { until, overlapMsMin, isStopped });
  return posted;
}

/** The same as a chore. */
export async function postBooks(ctx: CommitContext & { readonly stopping: AbortSignal }): Promise<void> {
  await postAll(ctx, () => ctx.stopping.aborted);
}
