/** Envelopes that only the worker opens, and the public keys that they are encrypted for. */
import { eq } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { cardEnvelopes, publishedKeys } from "../../schema/tables.ts";

export type CardEnvelope = typeof cardEnvelopes.$inferSelect;

export async function insertEnvelope(tx: Tx, row: typeof cardEnvelopes.$inferInsert): Promise<void> {
  await tx.insert(cardEnvelopes).values(row);
}

export async function findEnvelope(on: Executor, id: string): Promise<CardEnvelope | null> {
  const [row] = await on.select().from(cardEnvelopes).where(eq(cardEnvelopes.id, id)).limit(1);
  return row ?? null;
}

/** The PIN that goes with a card to be; null where its user chose none, or it was opened already. */
export async function findPinEnvelope(on: Executor, issueId: string): Promise<CardEnvelope | null> {
  const [row] = await on.select().from(cardEnvelopes).where(eq(cardEnvelopes.issueId, issueId)).limit(1);
  return row ?? null;
}

/** Empties an envelope, and keeps what came of it. */
export async function answerEnvelope(
  tx: Tx,
  id: string,
  answer: { outcome: NonNullable<CardEnvelope["outcome"]>; cardId: string | null },
): Promise<void> {
  await tx
    .update(cardEnvelopes)
    .set({ ...answer, encryptedKey: null, encryptedData: null, iv: null })
    .where(eq(cardEnvelopes.id, id));
}

export async function deleteEnvelope(tx: Tx, id: string): Promise<void> {
  await tx.delete(cardEnvelopes).where(eq(cardEnvelopes.id, id));
}

/** Publishes the public half of a key under a name, instead of any earlier one. */
export async function upsertPublishedKey(on: Executor, row: typeof publishedKeys.$inferInsert): Promise<void> {
  const { publicKey, updatedAt } = row;
  await on
    .insert(publishedKeys)
    .values(row)
    .onConflictDoUpdate({ target: publishedKeys.name, set: { publicKey, updatedAt } });
}

export async function findPublishedKey(on: Executor, name: string): Promise<string | null> {
  const [row] = await on.select().from(publishedKeys).where(eq(publishedKeys.name, name)).limit(1);
  return row?.publicKey ?? null;
}
