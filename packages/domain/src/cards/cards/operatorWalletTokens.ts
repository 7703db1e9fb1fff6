/** Wallet tokens as the operator sees and moves them. */
import { fail } from "@cardkeep/contract/core/errors";
import { findCard } from "@cardkeep/db/queries/cards/cards";
import {
  findWalletToken,
  listAllWalletTokens,
  listWalletTokens,
  type WalletToken,
} from "@cardkeep/db/queries/cards/walletTokens";
import { createContext, type OperatorContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { getAnyCard } from "./getAnyCard.ts";
import { moveAtIssuer, requireMovable, type WalletTokenMove } from "./walletTokens.ts";

/** The wallet tokens of a card, newest first; without a card those of all by their ids. @throws cards.not_found */
export async function listAnyWalletTokens(
  { db }: Pick<Services, "db">,
  { card: reference, after, limit }: { card: string | null; after: string | null; limit: number },
): Promise<WalletToken[]> {
  if (reference === null) return listAllWalletTokens(db, { after, limit });
  const { id } = await getAnyCard({ db }, { reference });
  // A card has a few.
  const rows = await listWalletTokens(db, id);
  const begin = rows.findIndex((row) => row.id === after) + 1;
  return rows.slice(begin, begin + limit);
}

/**
 * Suspends, resumes or deletes a wallet token. The action is recorded before the issuer acts, so it is there too where the issuer
 * refuses or does not answer. The row follows the issuer, at the latest by its callback.
 *
 * @throws operators.forbidden, walletTokens.not_found, walletTokens.wrong_status, ProviderUnavailable
 */
export async function moveAnyWalletToken(
  ctx: OperatorContext,
  { id, status }: { id: string; status: WalletTokenMove },
): Promise<WalletToken> {
  const known = (await findWalletToken(ctx.db, id)) ?? fail("walletTokens.not_found");
  const card = (await findCard(ctx.db, known.cardId)) ?? fail("cards.not_found");
  requireMovable(known, status);
  await ctx.act("wallet-tokens.set", async () => ({
    output: undefined,
    subject: { kind: "card", id: card.id },
    before: { walletTokenId: id, status: known.status },
    after: { walletTokenId: id, status },
  }));
  const follow = await moveAtIssuer(ctx, card, id, status);
  return createContext(ctx, ctx).commit(follow);
}
