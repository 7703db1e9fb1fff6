/**
 * Posts what happened, source by source: history once, then what is new. A run that is killed or that runs twice books nothing
 * twice, because each event has one posting by a unique key.
 */
import { dayMs } from "@cardkeep/contract/core/durations";
import { findBookCursor, insertPostings, setBookCursor } from "@cardkeep/db/queries/books/postings";
import { type SourceSpan } from "@cardkeep/db/queries/books/spans";
import { findFirstInstant } from "@cardkeep/db/queries/books/witnessSources";
import { dayOf } from "../../core/calendar.ts";
import type { CommitContext } from "../../core/context.ts";
import { readEarlierTime } from "../../core/databaseTime.ts";
import { type BookSource, bookSources } from "./bookSources.ts";
import { openAccounts } from "./openAccounts.ts";
import type { Posting } from "./rules.ts";

const recordEveryMs = 300_000;
const stepMsMax = 30 * dayMs;

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
async function postSpan(ctx: CommitContext, source: BookSource, span: Omit<SourceSpan, "limit">): Promise<number> {
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
  source: BookSource,
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
  for (const [name, source] of Object.entries(bookSources))
    posted += await postSource(ctx, name, source, { until, overlapMsMin, isStopped });
  return posted;
}

/** The same as a chore. */
export async function postBooks(ctx: CommitContext & { readonly stopping: AbortSignal }): Promise<void> {
  await postAll(ctx, () => ctx.stopping.aborted);
}
