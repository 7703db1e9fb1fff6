/** The user resource, assembled from what we know. */
import { fail } from "@cardkeep/contract/core/errors";
import { realEmail } from "@cardkeep/contract/users/placeholderEmail";
import type { user } from "@cardkeep/contract/users/users";
import type { Executor } from "@cardkeep/db/client";
import { type Card, listCards } from "@cardkeep/db/queries/cards/cards";
import { findIban } from "@cardkeep/db/queries/users/ibans";
import { findDeployedSafe } from "@cardkeep/db/queries/accounts/safes";
import { findUser, listSignInWallets } from "@cardkeep/db/queries/users/users";
import type { z } from "zod";
import type { UserContext } from "../../core/context.ts";
import { isAvailable } from "../ibans/eligibility.ts";
import { buildBankingDetails } from "../ibans/iban.ts";

type Resource = z.output<typeof user>;

/** The user of events, whose cards carry the embossed name; answers leave it out. */
export type User = Omit<Resource, "cards"> & { cards: (Resource["cards"][number] & Pick<Card, "embossedName">)[] };

/** The user with wallets and Safe, or null when there is none. */
async function findUserResource(on: Executor, userId: string, chainId: number): Promise<User | null> {
  const row = await findUser(on, userId);
  if (!row) return null;
  const wallets = await listSignInWallets(on, userId);
  const safe = await findDeployedSafe(on, userId);
  const iban = await findIban(on, userId);
  return {
    ...row,
    email: realEmail(row.email),
    signInWallets: wallets,
    safeWallets: safe
      ? [
          {
            address: safe.address,
            chainId: String(chainId),
            tokenSymbol: safe.tokenSymbol,
            createdAt: safe.createdAt,
          },
        ]
      : [],
    availableFeatures: { emoneyIban: isAvailable(row, safe, iban) },
    cards: await listCards(on, userId),
    bankingDetails: buildBankingDetails(iban),
  };
}

/** The user of a row that is known to exist. */
export async function getUserResource(on: Executor, userId: string, chainId: number): Promise<User> {
  const found = await findUserResource(on, userId, chainId);
  if (!found) throw new Error(`User ${userId} has no row`);
  return found;
}

/** The signed-in user. @throws auth.token_invalid when the token outlived its user */
export async function getMe(ctx: UserContext): Promise<User> {
  return (await findUserResource(ctx.db, ctx.actor.userId, ctx.policy.chainId)) ?? fail("auth.token_invalid");
}
