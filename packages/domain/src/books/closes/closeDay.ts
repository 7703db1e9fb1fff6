/**
 * Closes days of the books: seals a day, hashes its postings in chunks, compares them with the witnesses, and keeps the result.
 *
 * Each step is a commit that another process may take further, so a worker that is killed loses one chunk. Two that close the
 * same day at once take turns by the lock of its row.
 */
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { fail } from "@cardkeep/contract/core/errors";
import {
  compareDay,
  findClose,
  insertClose,
  listOpenItems,
  lockDay,
  readBookDays,
  saveItems,
  sealDay,
  sumDay,
  updateDay,
} from "@cardkeep/db/queries/books/closes";
import { listPostings } from "@cardkeep/db/queries/books/postings";
import { findFirstInstant } from "@cardkeep/db/queries/books/witnessSources";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import { requireRows } from "../../chain/guards/restoreGuard.ts";
import { addDays, dayOf, isDay, nextDay, startOfDay } from "../../core/calendar.ts";
import type { CommitContext, Work } from "../../core/context.ts";
import { followInstitution } from "../postings/followInstitution.ts";
import { followChain, followIssuerEntries } from "../postings/followWitnesses.ts";
import { postAll } from "../postings/postBooks.ts";
import { enqueueAnnouncements } from "./announceClose.ts";
import { buildCloseDocument, type CloseDocument } from "./closeDocument.ts";
import { formatLeaf } from "./leaf.ts";
import { addLeaves, digestOf, rootOf } from "./merkle.ts";
import { carryOver } from "./carryOver.ts";

/** Postings that are hashed in one commit. */
const chunkPostings = 2_000;

/** The last day that is over. */
export async function findLastDay(ctx: Pick<CommitContext, "db" | "clock" | "policy">): Promise<string> {
  return addDays(dayOf(await ctx.clock.now(ctx.db), ctx.policy.statementTimeZone), -1);
}

/** Hashes the next postings of a sealed day. Answers whether there are more. */
async function hashChunk({ tx }: Work, day: string): Promise<boolean> {
  const row = await lockDay(tx, day);
  if (row === null || row.closedAt !== null) return false;
  const postings = await listPostings(tx, { day, after: row.after, limit: chunkPostings });
  const last = postings.at(-1);
  if (!last) return false;
  const tree = addLeaves({ count: row.postings, roots: row.roots }, postings.map(formatLeaf));
  const lines = postings.reduce((sum, posting) => sum + BigInt(posting.lines.length), row.lines);
  await updateDay(tx, day, { after: last.id, postings: tree.count, lines, roots: [...tree.roots] });
  return postings.length === chunkPostings;
}

/** The document of a stored close. */
export const parseClose = ({ document }: { document: string }): CloseDocument => JSON.parse(document) as CloseDocument;

/** Compares a hashed day with the witnesses, and keeps its close. */
async function finishDay(work: Work, day: string, zone: string): Promise<void> {
  const { tx, now } = work;
  const row = await lockDay(tx, day);
  if (row === null || row.closedAt !== null) return;
  const before = await findClose(tx, addDays(day, -1));
  const range = { day, from: startOfDay(day, zone), to: startOfDay(nextDay(day), zone) };
  const { comparisons, unmatched } = await compareDay(tx, range);
  const { open, resolved } = carryOver(await listOpenItems(tx), unmatched, day);
  const document = buildCloseDocument({
    day,
    timeZone: zone,
    closedAt: now,
    root: rootOf({ count: row.postings, roots: row.roots }),
    postings: Number(row.postings),
    lines: Number(row.lines),
    previous: before && { digest: before.digest, document: parseClose(before) },
    movements: await sumDay(tx, day),
    compared: comparisons,
    open,
    resolved,
  });
  const text = JSON.stringify(document);
  await insertClose(tx, { day, root: document.root, digest: digestOf(text), document: text, closedAt: now });
  await saveItems(tx, { open, resolved, day });
  await updateDay(tx, day, { closedAt: now });
  await enqueueAnnouncements(work);
}

/** Closes one day that follows the last closed one, with what is booked by now. A benchmark measures it. */
export async function closeOne(ctx: CommitContext, day: string, isStopped: () => boolean): Promise<void> {
  await ctx.commit(({ tx, now, requestId }) => sealDay(tx, { day, sealedAt: now, requestId }));
  while (await ctx.commit((work) => hashChunk(work, day))) if (isStopped()) return;
  await ctx.commit((work) => finishDay(work, day, ctx.policy.statementTimeZone));
}

/**
 * Whether a day may be closed. The first close takes no day before the first person and the first posting but yesterday, because
 * each later close has every day since.
 *
 * @throws books.invalid_day, books.day_not_over, books.day_before
 */
export async function requireClosable(ctx: Pick<CommitContext, "db" | "clock" | "policy">, day: string): Promise<void> {
  if (!isDay(day)) fail("books.invalid_day");
  const last = await findLastDay(ctx);
  if (day > last) fail("books.day_not_over");
  const { first, sealed } = await readBookDays(ctx.db);
  if (sealed !== null || day === last) return;
  const firstAt = await findFirstInstant(ctx.db);
  const begins = [first, firstAt && dayOf(firstAt, ctx.policy.statementTimeZone)];
  if (!begins.some((begin) => begin !== null && begin <= day)) fail("books.day_before");
}

/** Before a close, what happened is read again from so long before. */
const readAgainMs = 3 * dayMs;

/**
 * Closes every open day up to one that is over, oldest first. A closed one stays as it is.
 *
 * @param isStopped ends the work between two commits; a later call goes on
 * @throws books.invalid_day, books.day_not_over, books.day_before, books.witness_behind
 */
export async function closeUpTo(
  ctx: CommitContext,
  day: string,
  isStopped: () => boolean = () => false,
): Promise<void> {
  await requireClosable(ctx, day);
  if ((await findClose(ctx.db, day)) !== null) return;
  // A close stays as it is, so it is made of all rows.
  await requireRows(ctx, null);
  const end = startOfDay(nextDay(day), ctx.policy.statementTimeZone);
  const [chainAt, issuerAt] = [await followChain(ctx, isStopped), await followIssuerEntries(ctx, isStopped)];
  // Without a person there is nothing to read.
  if ((chainAt ?? end) < end || (issuerAt ?? end) < end) fail("books.witness_behind");
  await followInstitution(ctx, day, isStopped);
  await postAll(ctx, isStopped, readAgainMs);
  const { first, sealed, closed } = await readBookDays(ctx.db);
  const begin = first !== null && first < day ? first : day;
  // A sealed day that is not closed was left by a process that ended.
  const start = sealed === null ? begin : sealed === closed ? nextDay(sealed) : sealed;
  // Another may have closed it since.
  if (start > day && (await findClose(ctx.db, day)) === null) fail("books.day_before");
  for (let next = start; next <= day && !isStopped(); next = nextDay(next)) await closeOne(ctx, next, isStopped);
}

/** A witness does not answer, or refuses: cards and accounts work without the books. */
const isOfWitness = (error: unknown): boolean =>
  error instanceof ProviderUnavailable || error instanceof ProviderRefused || error instanceof ChainUnavailable;

/** What the witnesses have is followed for so long in one turn: a chore that follows years at once would be overdue. */
const followMsMax = 180_000;

/** From the set hour on, closes yesterday, once what the witnesses have was followed. */
export async function closeBooks(
  ctx: CommitContext & { readonly stopping: AbortSignal },
  followMs: number = followMsMax,
): Promise<void> {
  const isStopped = () => ctx.stopping.aborted;
  const endMs = performance.now() + followMs;
  const isCut = () => isStopped() || performance.now() >= endMs;
  const now = await ctx.clock.now(ctx.db);
  const { statementTimeZone: zone, booksCloseHour } = ctx.policy;
  const isTime = now.getTime() >= startOfDay(dayOf(now, zone), zone).getTime() + booksCloseHour * hourMs;
  const day = await findLastDay(ctx);
  const { first, closed } = await readBookDays(ctx.db);
  const isDue = isTime && first !== null && first <= day && (closed === null || closed < day);
  try {
    await followChain(ctx, isCut);
    await followIssuerEntries(ctx, isCut);
    if (isDue && !isCut()) await closeUpTo(ctx, day, isStopped);
  } catch (error) {
    // A later run goes on. The doctor names the days that stay open.
    if (!isOfWitness(error)) throw error;
    ctx.log.warn({ err: error }, "the books could not be compared");
  }
}
