/** Inboxes: webhook receivers of the sandbox. */
import { and, desc, eq, getTableColumns, gt, sql } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { inboxAttempts, inboxes } from "./tables.ts";

/** Records an attempt at a webhook receiver, and takes the next of its planned answers. */
export async function receiveInInbox(
  tx: Tx,
  row: { name: string; headers: Record<string, string>; body: string; verified: boolean; receivedAt: Date },
): Promise<{ status: number; delayMs: number }> {
  await tx.insert(inboxes).values({ name: row.name, statuses: [], delayMs: 0 }).onConflictDoNothing();
  const [inbox] = await tx.select().from(inboxes).where(eq(inboxes.name, row.name)).for("update");
  const [status = 200, ...statuses] = inbox?.statuses ?? [];
  if (inbox && inbox.statuses.length > 0) await tx.update(inboxes).set({ statuses }).where(eq(inboxes.name, row.name));
  await tx.insert(inboxAttempts).values({ id: Bun.randomUUIDv7(), ...row, status });
  return { status, delayMs: inbox?.delayMs ?? 0 };
}

/** Attempts at a webhook receiver, oldest first: those behind the sequence `after`, and of these the newest `limit`. */
export async function listInbox(
  on: Executor,
  { name, after, limit }: { name: string; after?: bigint; limit?: number },
) {
  const isAfter = after === undefined ? undefined : gt(inboxAttempts.sequence, after);
  const newestFirst = on
    .select({
      sequence: inboxAttempts.sequence,
      headers: inboxAttempts.headers,
      body: inboxAttempts.body,
      verified: inboxAttempts.verified,
      status: inboxAttempts.status,
      receivedAt: inboxAttempts.receivedAt,
    })
    .from(inboxAttempts)
    .where(and(eq(inboxAttempts.name, name), isAfter))
    .orderBy(desc(inboxAttempts.sequence));
  return (await (limit === undefined ? newestFirst : newestFirst.limit(limit))).toReversed();
}

/** Sets how a webhook receiver answers from now on. */
export async function setInboxBehaviour(on: Executor, row: typeof inboxes.$inferInsert): Promise<void> {
  const { statuses, delayMs } = row;
  await on.insert(inboxes).values(row).onConflictDoUpdate({ target: inboxes.name, set: { statuses, delayMs } });
}

export type Inbox = typeof inboxes.$inferSelect & { attempts: number };

/** More attempts of a receiver are not counted. */
export const attemptsCountedMax = 1_000;

/** Every webhook receiver that was used or configured, by name, with the number of its attempts: at most one more than are counted. */
export async function listInboxes(on: Executor): Promise<Inbox[]> {
  const counted = sql<number>`(select count(*)::int from (select from ${inboxAttempts}
    where ${inboxAttempts.name} = ${inboxes.name} limit ${attemptsCountedMax + 1}) counted)`;
  return on
    .select({ ...getTableColumns(inboxes), attempts: counted })
    .from(inboxes)
    .orderBy(inboxes.name);
}

export type InboxAttempt = typeof inboxAttempts.$inferSelect;

/** So many of the newest attempts are looked through for a text. */
const lookedThroughMax = 1_000;

/** The newest attempts at a webhook receiver, newest first; with `text`, those of the newest thousand whose body contains it. */
export async function listNewestAttempts(
  on: Executor,
  { name, text, limit }: { name: string; text?: string | undefined; limit: number },
): Promise<InboxAttempt[]> {
  const newest = on
    .select()
    .from(inboxAttempts)
    .where(eq(inboxAttempts.name, name))
    .orderBy(desc(inboxAttempts.sequence))
    .limit(text === undefined ? limit : lookedThroughMax)
    .as("newest");
  return on
    .select()
    .from(newest)
    .where(text === undefined ? undefined : sql`strpos(${newest.body}, ${text}) > 0`)
    .orderBy(desc(newest.sequence))
    .limit(limit);
}
