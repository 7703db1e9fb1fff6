/** Cards as the operator sees them. */
import type { CardStatus } from "@cardkeep/contract/cards/cards";
import { type Card, listAllCards as listRows } from "@cardkeep/db/queries/cards/cards";
import { findCardholder } from "@cardkeep/db/queries/cards/issues";
import { listWalletTokens, type WalletToken } from "@cardkeep/db/queries/cards/walletTokens";
import { findSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import type { OperatorContext } from "../../core/context.ts";
import { hideName, resolveUser } from "../../users/users/listUsers.ts";
import { getAnyCard } from "./getAnyCard.ts";

/** Everybody's cards, or one user's, newest first; a viewer reads no name. @throws users.not_found */
export async function listAllCards(
  { db, actor }: Pick<OperatorContext, "db" | "actor">,
  input: {
    user?: string | null | undefined;
    status?: CardStatus | null | undefined;
    after?: string | null | undefined;
    limit: number;
  },
): Promise<Card[]> {
  const user = input.user ? await resolveUser(db, input.user) : null;
  const { status = null, after = null, limit } = input;
  const rows = await listRows(db, { userId: user?.id ?? null, status, after, limit });
  return rows.map((row) => hideName(actor, row));
}

export interface CardDetails {
  readonly card: Card;
  /** Whose money it spends. */
  readonly safe: Safe | null;
  /** The person at the issuer. */
  readonly cardholder: Awaited<ReturnType<typeof findCardholder>>;
  readonly walletTokens: readonly WalletToken[];
}

/** The card of an id or a card token, with what belongs to it; a viewer reads no name. @throws cards.not_found */
export async function getCardDetails(
  { db, actor }: Pick<OperatorContext, "db" | "actor">,
  input: { reference: string },
): Promise<CardDetails> {
  const card = hideName(actor, await getAnyCard({ db }, input));
  const [safe, cardholder, walletTokens] = await Promise.all([
    findSafe(db, card.safeId),
    findCardholder(db, card.userId),
    listWalletTokens(db, card.id),
  ]);
  return { card, safe, cardholder, walletTokens };
}
