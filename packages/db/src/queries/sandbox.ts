/** What the simulated partners remember. */
import { and, desc, eq } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { kycApplicants, messages } from "../schema/tables.ts";

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
