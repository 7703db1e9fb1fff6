/** Wallet tokens of cards. Every change is made behind the row lock of the card. */
import { and, desc, eq, getTableColumns, lt, ne } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { walletTokens } from "../../schema/tables.ts";

export type WalletToken = Omit<typeof walletTokens.$inferSelect, "issuer">;

const { issuer: _, ...columns } = getTableColumns(walletTokens);

export async function findWalletToken(on: Executor, id: string): Promise<WalletToken | null> {
  const [row] = await on.select(columns).from(walletTokens).where(eq(walletTokens.id, id)).limit(1);
  return row ?? null;
}

/** The wallet tokens of a card, newest first. */
export const listWalletTokens = (on: Executor, cardId: string): Promise<WalletToken[]> =>
  on
    .select(columns)
    .from(walletTokens)
    .where(eq(walletTokens.cardId, cardId))
    .orderBy(desc(walletTokens.createdAt), desc(walletTokens.id));

/** Wallet tokens of all cards by their ids, the highest first; `after` is the last row of the page before. */
export const listAllWalletTokens = (
  on: Executor,
  { after, limit }: { after: string | null; limit: number },
): Promise<WalletToken[]> =>
  on
    .select(columns)
    .from(walletTokens)
    .where(after === null ? undefined : lt(walletTokens.id, after))
    .orderBy(desc(walletTokens.id))
    .limit(limit);

export async function insertWalletToken(tx: Tx, row: WalletToken): Promise<void> {
  await tx.insert(walletTokens).values(row);
}

export async function updateWalletToken(tx: Tx, id: string, change: Partial<Omit<WalletToken, "id">>): Promise<void> {
  await tx.update(walletTokens).set(change).where(eq(walletTokens.id, id));
}

/** Ends every wallet token of a card, and returns those that had not ended, as they were. */
export async function endWalletTokens(tx: Tx, cardId: string, now: Date): Promise<WalletToken[]> {
  const isLive = and(eq(walletTokens.cardId, cardId), ne(walletTokens.status, "deleted"));
  const live = await tx.select(columns).from(walletTokens).where(isLive).orderBy(walletTokens.id);
  if (live.length > 0) await tx.update(walletTokens).set({ status: "deleted", updatedAt: now }).where(isLive);
  return live;
}
