/**
 * Posts what happened, source by source: history once, then what is new. A run that is killed or that runs twice books nothing
 * twice, because each event has one posting by a unique key.
 */
import { endedStatuses } from "../../cards/orders/orderReturns.ts";
import {
  findBookCursor,
  insertBookAccounts,
  insertPostings,
  type NewPosting,
  setBookCursor,
} from "@cardkeep/db/queries/books/postings";
import {
  findFirstInstant,
  listDisputesToPost,
  listUnexplainedEntries,
  listUnpostedClearings,
  listUnpostedEntries,
  listUnpostedIbanOrders,
  listUnpostedOrders,
  listUnpostedReturns,
  listUnpostedTopUps,
  type SourceSpan,
} from "@cardkeep/db/queries/books/sources";
import { dayOf } from "../../core/calendar.ts";
import type { CommitContext } from "../../core/context.ts";
import type { Policy } from "../../core/policy.ts";
import { accountKinds, kindOf } from "./chart.ts";
import {
  type Posting,
  postClearing,
  postDispute,
  postEntry,
  postGas,
  postIbanOrder,
  postOrder,
  postReturn,
  postWitnessEntry,
} from "./rules.ts";

type On = CommitContext["db"];

const secondMs = 1_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

interface Source {
  /** A span that is read at once. */
  readonly stepMs: number;
  /** Rows of so long before are read again: their commit, or what they wait for, may have been late. */
  readonly overlapMs: number;
  /** Younger rows wait. */
  readonly lagMs: (policy: Policy) => number;
  readonly read: (on: On, span: SourceSpan, policy: Policy) => Promise<(Posting | null)[]>;
}

/** Blocks come every 5 s on Gnosis Chain: an entry rests on final ones by then. */
const finalMs = ({ confirmations }: Policy): number => (confirmations - 1) * 6 * secondMs;
const noLag = (): number => 0;

/** Of dense tables. */
const dense = { stepMs: hourMs, overlapMs: 600 * secondMs };
/** Of tables with few rows, some of which wait for a partner. */
const sparse = { stepMs: 30 * dayMs, overlapMs: 3 * dayMs, lagMs: noLag };

/** Kinds of the issuer's entries that clearings and disputes explain. */
const explained = ["issuing_transaction", "issuing_dispute"] as const;
/** What moved on chain is explained by a posting within this time, or by none. */
const explainedWithinMs = hourMs;

const sources: Readonly<Record<string, Source>> = {
  entries: {
    ...dense,
    lagMs: finalMs,
    read: async (on, span) => (await listUnpostedEntries(on, span)).map(postEntry),
  },
  clearings: {
    ...dense,
    lagMs: noLag,
    read: async (on, span) => (await listUnpostedClearings(on, span)).map(postClearing),
  },
  orders: {
    ...sparse,
    lagMs: finalMs,
    read: async (on, span, policy) =>
      (await listUnpostedOrders(on, { ...span, ended: endedStatuses })).map((row) =>
        postOrder(row, policy.orderVatBasisPoints),
      ),
  },
  returns: {
    ...sparse,
    read: async (on, span, policy) =>
      (await listUnpostedReturns(on, span)).map((row) => postReturn(row, policy.orderVatBasisPoints)),
  },
  disputes: { ...sparse, read: async (on, span) => (await listDisputesToPost(on, span)).map(postDispute) },
  topUps: { ...sparse, read: async (on, span) => (await listUnpostedTopUps(on, span)).map(postGas) },
  ibanOrders: { ...sparse, read: async (on, span) => (await listUnpostedIbanOrders(on, span)).map(postIbanOrder) },
  issuer: {
    ...sparse,
    read: async (on, span) =>
      (await listUnexplainedEntries(on, { ...span, explained: [...explained, "transfer"] })).map(postWitnessEntry),
  },
  chain: {
    ...sparse,
    lagMs: () => explainedWithinMs,
    read: async (on, span) =>
      (await listUnexplainedEntries(on, { ...span, explained }))
        .filter(({ witness }) => witness === "chain")
        .map(postWitnessEntry),
  },
};

const isPosting = (posting: Posting | null): posting is Posting => posting !== null;
const pageRows = 500;
/** Pages in a row that others posted first. */
const idleMax = 100;

/** Reads one span of a source, page by page, each in a commit of its own. Answers how many postings were new. */
async function postSpan(ctx: CommitContext, source: Source, span: Omit<SourceSpan, "limit">): Promise<number> {
  const zone = ctx.policy.statementTimeZone;
  for (let posted = 0, idle = 0; ;) {
    const read = await source.read(ctx.db, { ...span, limit: pageRows }, ctx.policy);
    const postings = read
      .filter(isPosting)
      .map(({ at, ...posting }): NewPosting => ({ ...posting, effectiveOn: dayOf(at, zone) }));
    const added =
      postings.length === 0
        ? 0
        : await ctx.commit(async ({ tx, now }) => {
            const lines = postings.flatMap((posting) => posting.lines);
            const accounts = new Map(lines.map(({ account, currency }) => [account, currency]));
            await insertBookAccounts(
              tx,
              [...accounts].flatMap(([id, currency]) => {
                const kind = kindOf(id);
                return kind === null ? [] : [{ id, kind, currency, owner: accountKinds[kind].owner, createdAt: now }];
              }),
            );
            return insertPostings(tx, postings, now);
          });
    posted += added;
    // Rows that book nothing stay unposted, and a page of them would come again; or another worker posted it meanwhile.
    idle = added === 0 ? idle + 1 : 0;
    if (read.length < pageRows || postings.length === 0 || idle > idleMax) return posted;
  }
}

/** Posts one source up to `until`; stops early where `isStopped` says so. */
async function postSource(
  ctx: CommitContext,
  name: string,
  source: Source,
  { until, isStopped }: { until: Date; isStopped: () => boolean },
): Promise<number> {
  const cursor = await findBookCursor(ctx.db, name);
  const end = until.getTime() - source.lagMs(ctx.policy);
  const begin = cursor?.reachedAt ?? (await findFirstInstant(ctx.db)) ?? until;
  let fromMs = begin.getTime() - source.overlapMs;
  let posted = 0;
  while (fromMs < end && !isStopped()) {
    const toMs = Math.min(fromMs + source.stepMs, end);
    posted += await postSpan(ctx, source, { from: new Date(fromMs), to: new Date(toMs) });
    const reachedAt = new Date(toMs);
    await ctx.commit(({ tx, now }) => setBookCursor(tx, { source: name, reachedAt, block: null, updatedAt: now }));
    fromMs = toMs;
  }
  return posted;
}

/** Posts everything up to now. Answers how many postings were new. */
export async function postAll(ctx: CommitContext, isStopped: () => boolean = () => false): Promise<number> {
  const until = await ctx.clock.now(ctx.db);
  let posted = 0;
  for (const [name, source] of Object.entries(sources))
    posted += await postSource(ctx, name, source, { until, isStopped });
  return posted;
}

/** The same as a chore. */
export async function postBooks(ctx: CommitContext & { readonly stopping: AbortSignal }): Promise<void> {
  await postAll(ctx, () => ctx.stopping.aborted);
}
