import { buildSignInMessage } from "@cardkeep/chain/siwe";
import { fail } from "@cardkeep/contract/core/errors";
import type { Address } from "@cardkeep/contract/core/primitives";
import { listSignInWallets } from "@cardkeep/db/queries/users/users";
import { insertSubscriptionMessage } from "@cardkeep/db/queries/partners/subscriptions";
import { randomBytes } from "node:crypto";
import type { CommitContext, UserContext } from "../../core/context.ts";
import { getActivePartner } from "../partners/getPartner.ts";

/** As long as a nonce of sign-in. */
const lifetimeMs = 10 * 60_000;

/**
 * Issues the message whose signature subscribes a partner: for one user, partner, wallet and nonce, good once.
 *
 * @throws partners.not_found, webhooks.foreign_wallet
 */
export async function createSubscriptionMessage(
  ctx: UserContext & CommitContext,
  input: { partnerId: string; walletAddress?: Address | undefined },
): Promise<{ message: string; nonce: string }> {
  const { userId } = ctx.actor;
  const { partnerId, walletAddress } = input;
  const partner = await getActivePartner(ctx, partnerId);
  // Newest first: the primary wallet is the one that signed up.
  const wallets = (await listSignInWallets(ctx.db, userId)).map(({ address }) => address);
  const address = walletAddress ?? wallets.at(-1);
  if (address === undefined || !wallets.includes(address)) fail("webhooks.foreign_wallet");
  const nonce = randomBytes(16).toString("hex");
  // Signed timestamps follow the wall clock; how long the message is good for is the service's own time.
  const issuedAt = new Date();
  const text = buildSignInMessage({
    domain: new URL(ctx.policy.publicUrl).host,
    address,
    statement: `Let ${nameOf(partner)} receive notifications about my account.`,
    uri: ctx.policy.publicUrl,
    chainId: ctx.policy.chainId,
    nonce,
    issuedAt,
    expirationTime: new Date(issuedAt.getTime() + lifetimeMs),
    resources: [`${ctx.policy.publicUrl}/api/v1/webhooks/subscription/${encodeURIComponent(partnerId)}`],
  });
  return ctx.commit(async ({ tx, now }) => {
    const expiresAt = new Date(now.getTime() + lifetimeMs);
    await insertSubscriptionMessage(tx, { nonce, partnerId, userId, walletAddress: address, message: text, expiresAt });
    return { message: text, nonce };
  });
}

/** A partner's name in what a statement may hold: EIP-4361 has printable ASCII on one line. */
const nameOf = ({ id, name }: { id: string; name: string }): string => (/^[\w .,&'()-]+$/.test(name) ? name : id);
