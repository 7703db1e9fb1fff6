/** Messages that wait to be sent: those by choice, and warnings. The function `hand_out` of the migrations adds those about events. */
import type { MessageKind } from "@cardkeep/contract/users/messages";
import { asc, eq, inArray, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { events, userMessages, users } from "../../schema/tables.ts";

export type UserMessage = typeof userMessages.$inferSelect;

/** Adds a message about what no event reports, once for each subject, if its user wants messages of its kind. */
export async function addMessage(
  tx: Executor,
  { id, userId, kind, about, subjectId, requestId, createdAt }: UserMessage,
): Promise<void> {
  const at = sql.param(createdAt, userMessages.createdAt);
  await tx.execute(sql`
    insert into ${userMessages} (id, user_id, kind, about, subject_id, request_id, created_at)
    select ${id}, ${users.id}, ${kind}, ${about}, ${subjectId}, ${requestId}, ${at} from ${users}
    where ${users.id} = ${userId} and ${users.erasedAt} is null and ${users.messageChoices} ->> ${kind satisfies MessageKind} <> 'none'
    on conflict do nothing`);
}

/** The oldest waiting messages of a user. */
export const listMessages = (on: Executor, userId: string, limit: number): Promise<UserMessage[]> =>
  on.select().from(userMessages).where(eq(userMessages.userId, userId)).orderBy(asc(userMessages.id)).limit(limit);

/** Deletes messages that were sent, or that their user does not want any more. */
export async function deleteMessages(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.delete(userMessages).where(inArray(userMessages.id, [...ids]));
}

/** Type and data of an event; null for an unknown one. */
export async function findEvent(on: Executor, id: string): Promise<{ eventType: string; data: unknown } | null> {
  const [row] = await on
    .select({ eventType: events.eventType, data: events.data })
    .from(events)
    .where(eq(events.id, id))
    .limit(1);
  return row ?? null;
}
