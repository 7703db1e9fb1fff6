/** A user's wallet tokens: listed, suspended, resumed and deleted. The issuer acts first, then the row follows. */
import { fail } from "@cardkeep/contract/core/errors";
import type { WalletTokenStatus } from "@cardkeep/contract/cards/walletTokens";
import { type Card, lockCard } from "@cardkeep/db/queries/cards/cards";
import {
  findWalletToken,
  listWalletTokens as listRows,
  type WalletToken,
} from "@cardkeep/db/queries/cards/walletTokens";
import { holdUser } from "@cardkeep/db/queries/users/users";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import { requireSettledContact } from "../../core/cardholders/contactWindow.ts";
import { getCard } from "./card.ts";
import type { Commit, Context, UserContext, Work } from "../../core/context.ts";
import { buildWalletToken, recordWalletToken } from "./recordWalletToken.ts";

type Shown = ReturnType<typeof buildWalletToken>;
interface Reference {
  cardId: string;
  walletTokenId: string;
}

/** The wallet tokens of a card, newest first. @throws cards.not_found */
export async function listOwnWalletTokens(ctx: UserContext, { cardId }: { cardId: string }): Promise<Shown[]> {
  const card = await getCard(ctx.db, ctx.actor.userId, cardId);
  return (await listRows(ctx.db, card.id)).map(buildWalletToken);
}

/** Suspends an active one. @throws cards.not_found, walletTokens.not_found, walletTokens.wrong_status */
export const suspendWalletToken = (ctx: UserContext, input: Reference): Promise<Commit<Shown>> =>
  moveOwn(ctx, input, "suspended");

/** Resumes a suspended one. @throws as above, cards.contact_changed */
export const resumeWalletToken = (ctx: UserContext, input: Reference): Promise<Commit<Shown>> =>
  moveOwn(ctx, input, "active");

/** Deletes one for good. @throws as above */
export const removeWalletToken = (ctx: UserContext, input: Reference): Promise<Commit<Shown>> =>
  moveOwn(ctx, input, "deleted");

async function moveOwn(
  ctx: UserContext,
  { cardId, walletTokenId }: Reference,
  to: WalletTokenMove,
): Promise<Commit<Shown>> {
  const card = await getCard(ctx.db, ctx.actor.userId, cardId);
  if (to === "active") await requireSettledContact(ctx, ctx.db, card.userId);
  const record = await moveAtIssuer(ctx, card, walletTokenId, to);
  return async (work) => buildWalletToken(await record(work));
}

export type WalletTokenMove = Exclude<WalletTokenStatus, "requested">;

const origins: Readonly<Record<WalletTokenMove, readonly WalletTokenStatus[]>> = {
  suspended: ["active"],
  active: ["suspended"],
  deleted: ["requested", "active", "suspended"],
};

/** @throws walletTokens.wrong_status where one of this status does not go there */
export function requireMovable({ status }: Pick<WalletToken, "status">, to: WalletTokenMove): void {
  if (!origins[to].includes(status)) fail("walletTokens.wrong_status");
}

/**
 * Moves a wallet token at the issuer, and returns the writes that follow.
 * @throws walletTokens.not_found, walletTokens.wrong_status, cards.issuer_unavailable
 */
export async function moveAtIssuer(
  ctx: Pick<Context, "db" | "issuer">,
  { id: cardId, cardToken, userId }: Card,
  walletTokenId: string,
  status: WalletTokenMove,
): Promise<(work: Work) => Promise<WalletToken>> {
  const known = await findWalletToken(ctx.db, walletTokenId);
  if (known?.cardId !== cardId) return fail("walletTokens.not_found");
  requireMovable(known, status);
  await ctx.issuer.setWalletTokenStatus(known.id, status).catch((cause: unknown) => {
    if (cause instanceof ProviderRefused) fail("walletTokens.wrong_status", { cause });
    if (cause instanceof ProviderUnavailable) fail("cards.issuer_unavailable", { cause });
    throw cause;
  });
  const { id, createdAt, wallet, network, deviceType, deviceName, lastFourDigits } = known;
  const report = { id, cardToken, status, createdAt, wallet, network, deviceType, deviceName, lastFourDigits };
  return async (work) => {
    // The person may be erased while the issuer acts.
    if (!(await holdUser(work.tx, userId))) fail("walletTokens.not_found");
    const card = (await lockCard(work.tx, cardId)) ?? fail("cards.not_found");
    return recordWalletToken(work, card, report);
  };
}
