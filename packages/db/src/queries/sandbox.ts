/** What the simulated partners remember. */
import { and, asc, desc, eq, sql } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import {
  emoneyRecords,
  inboxAttempts,
  inboxes,
  issuerObjects,
  issuerReplies,
  kycApplicants,
  messages,
} from "../schema/tables.ts";

export type KycApplicant = typeof kycApplicants.$inferSelect;

const messagesMax = 100;

export async function insertMessage(on: Executor, row: Omit<typeof messages.$inferInsert, "id">): Promise<void> {
  await on.insert(messages).values({ id: Bun.randomUUIDv7(), ...row });
}

/** The last hundred messages, newest first, to one receiver or to all. */
export async function listMessages(on: Executor, channel: "mail" | "phone", to?: string) {
  const ofChannel = eq(messages.channel, channel);
  return on
    .select({
      to: messages.to,
      subject: messages.subject,
      text: messages.text,
      code: messages.code,
      sentAt: messages.sentAt,
    })
    .from(messages)
    .where(to === undefined ? ofChannel : and(ofChannel, eq(messages.to, to)))
    .orderBy(desc(messages.sequence))
    .limit(messagesMax);
}

export async function findApplicantByUser(on: Executor, externalUserId: string): Promise<KycApplicant | null> {
  const [row] = await on.select().from(kycApplicants).where(eq(kycApplicants.externalUserId, externalUserId)).limit(1);
  return row ?? null;
}

export async function findApplicant(on: Executor, id: string): Promise<KycApplicant | null> {
  const [row] = await on.select().from(kycApplicants).where(eq(kycApplicants.id, id)).limit(1);
  return row ?? null;
}

export async function countApplicants(on: Executor): Promise<number> {
  return on.$count(kycApplicants);
}

/** The applicant of a user, made from `row` when there is none yet. */
export async function getOrInsertApplicant(tx: Tx, row: typeof kycApplicants.$inferInsert): Promise<KycApplicant> {
  await tx.insert(kycApplicants).values(row).onConflictDoNothing();
  const [found] = await tx
    .select()
    .from(kycApplicants)
    .where(eq(kycApplicants.externalUserId, row.externalUserId))
    .for("update");
  if (!found) throw new Error("The applicant was not written");
  return found;
}

export async function updateApplicant(
  tx: Tx,
  id: string,
  change: Partial<typeof kycApplicants.$inferInsert>,
): Promise<void> {
  await tx.update(kycApplicants).set(change).where(eq(kycApplicants.id, id));
}

export type IssuerObject = typeof issuerObjects.$inferSelect;

export async function insertIssuerObject(
  tx: Tx,
  row: Omit<typeof issuerObjects.$inferInsert, "sequence">,
): Promise<IssuerObject> {
  const [inserted] = await tx.insert(issuerObjects).values(row).returning();
  if (!inserted) throw new Error("The object was not written");
  return inserted;
}

export async function findIssuerObject(on: Executor, object: string, id: string): Promise<IssuerObject | null> {
  const isThis = and(eq(issuerObjects.object, object), eq(issuerObjects.id, id));
  const [row] = await on.select().from(issuerObjects).where(isThis).limit(1);
  return row ?? null;
}

export async function lockIssuerObject(tx: Tx, object: string, id: string): Promise<IssuerObject | null> {
  const isThis = and(eq(issuerObjects.object, object), eq(issuerObjects.id, id));
  const [row] = await tx.select().from(issuerObjects).where(isThis).for("update");
  return row ?? null;
}

export async function updateIssuerObject(
  tx: Tx,
  id: string,
  change: Partial<Pick<IssuerObject, "data" | "hidden">>,
): Promise<void> {
  await tx.update(issuerObjects).set(change).where(eq(issuerObjects.id, id));
}

/** Objects of one kind whose data contain `part`, newest first, older than the object `startingAfter`. */
export async function listIssuerObjects(
  on: Executor,
  input: {
    object: string;
    part: Record<string, unknown>;
    /** Unix seconds. */
    createdFrom?: number;
    startingAfter: string | null;
    limit: number;
  },
): Promise<IssuerObject[]> {
  const after = on.select({ sequence: issuerObjects.sequence }).from(issuerObjects);
  return on
    .select()
    .from(issuerObjects)
    .where(
      and(
        eq(issuerObjects.object, input.object),
        sql`${issuerObjects.data} @> ${JSON.stringify(input.part)}::jsonb`,
        input.createdFrom === undefined
          ? undefined
          : sql`(${issuerObjects.data} ->> 'created')::bigint >= ${input.createdFrom}`,
        input.startingAfter === null
          ? undefined
          : sql`${issuerObjects.sequence} < (${after.where(eq(issuerObjects.id, input.startingAfter))})`,
      ),
    )
    .orderBy(desc(issuerObjects.sequence))
    .limit(input.limit);
}

type IssuerReply = typeof issuerReplies.$inferSelect;

/** What was answered under a key; requests with the same key wait for each other until the transaction ends. */
export async function lockIssuerReply(tx: Tx, key: string): Promise<IssuerReply | null> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`sandbox:issuer:${key}`}, 0))`);
  const [row] = await tx.select().from(issuerReplies).where(eq(issuerReplies.key, key)).limit(1);
  return row ?? null;
}

export async function insertIssuerReply(tx: Tx, row: typeof issuerReplies.$inferInsert): Promise<void> {
  await tx.insert(issuerReplies).values(row);
}

export type EmoneyRecord = typeof emoneyRecords.$inferSelect;

/** Keeps a document of the e-money institution, in place of one of the same kind and id. */
export async function putEmoneyRecord(
  on: Executor,
  row: { kind: string; id: string; profile?: string | null; data: Record<string, unknown> },
): Promise<void> {
  const { profile = null, data } = row;
  await on
    .insert(emoneyRecords)
    .values({ ...row, profile })
    .onConflictDoUpdate({ target: [emoneyRecords.kind, emoneyRecords.id], set: { profile, data } });
}

/** Keeps a document unless there is one of its kind and id; false then. */
export async function insertEmoneyRecord(
  on: Executor,
  row: { kind: string; id: string; profile?: string | null; data: Record<string, unknown> },
): Promise<boolean> {
  return (await on.insert(emoneyRecords).values(row).onConflictDoNothing().returning()).length === 1;
}

export async function findEmoneyRecord(on: Executor, kind: string, id: string): Promise<EmoneyRecord | null> {
  const isIt = and(eq(emoneyRecords.kind, kind), eq(emoneyRecords.id, id));
  const [row] = await on.select().from(emoneyRecords).where(isIt).limit(1);
  return row ?? null;
}

/** Takes a document out, so that what it stands for serves once. */
export async function takeEmoneyRecord(on: Executor, kind: string, id: string): Promise<EmoneyRecord | null> {
  const isIt = and(eq(emoneyRecords.kind, kind), eq(emoneyRecords.id, id));
  const [row] = await on.delete(emoneyRecords).where(isIt).returning();
  return row ?? null;
}

/** The documents of a kind, of one profile or of all, oldest first. */
export async function listEmoneyRecords(on: Executor, kind: string, profile?: string): Promise<EmoneyRecord[]> {
  return on
    .select()
    .from(emoneyRecords)
    .where(and(eq(emoneyRecords.kind, kind), profile === undefined ? undefined : eq(emoneyRecords.profile, profile)))
    .orderBy(asc(emoneyRecords.sequence));
}

/** Notes what a webhook receiver was sent, and takes the next of the answers it was told to give. */
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

/** Every attempt that a webhook receiver saw, oldest first. */
export async function listInbox(on: Executor, name: string) {
  return on
    .select({
      headers: inboxAttempts.headers,
      body: inboxAttempts.body,
      verified: inboxAttempts.verified,
      status: inboxAttempts.status,
      receivedAt: inboxAttempts.receivedAt,
    })
    .from(inboxAttempts)
    .where(eq(inboxAttempts.name, name))
    .orderBy(asc(inboxAttempts.sequence));
}

/** How a webhook receiver answers from now on. */
export async function setInboxBehaviour(on: Executor, row: typeof inboxes.$inferInsert): Promise<void> {
  const { statuses, delayMs } = row;
  await on.insert(inboxes).values(row).onConflictDoUpdate({ target: inboxes.name, set: { statuses, delayMs } });
}
