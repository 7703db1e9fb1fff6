/** Wallet tokens as the operator sees and moves them. */
import { fail } from "@cardkeep/contract/core/errors";
import { findCard } from "@cardkeep/db/queries/cards/cards";
import {
  findWalletToken,
  listAllWalletTokens,
  listWalletTokens,
  type WalletToken,
} from "@cardkeep/db/queries/cards/walletTokens";
import type { OperatorContext } from "../../core/context.ts";
import { requireRole } from "../../core/operators/requireRole.ts";
import type { Services } from "../../core/services.ts";
import { getAnyCard } from "./listAllCards.ts";
import { moveAtIssuer, type WalletTokenMove } from "./walletTokens.ts";

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

/** Suspends, resumes or deletes a wallet token. @throws walletTokens.not_found, walletTokens.wrong_status */
export async function moveAnyWalletToken(
  ctx: OperatorContext,
  { id, status }: { id: string; status: WalletTokenMove },
): Promise<WalletToken> {
  // The issuer acts before the commit that records the action, so the role is checked before both.
  requireRole(ctx.actor, "wallet-tokens.set");
  const known = (await findWalletToken(ctx.db, id)) ?? fail("walletTokens.not_found");
  const card = (await findCard(ctx.db, known.cardId)) ?? fail("cards.not_found");
  const record = await moveAtIssuer(ctx, card, id, status);
  return ctx.act("wallet-tokens.set", async (work) => {
    const output = await record(work);
    return {
      output,
      subject: { kind: "card", id: card.id },
      before: { walletTokenId: id, status: known.status },
      after: { walletTokenId: id, status: output.status },
    };
  });
}
