import { predictAccount } from "@cardkeep/chain/account";
import { findTokenForCountry } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/errors";
import { defaultDailyLimit } from "@cardkeep/contract/safes";
import { enqueue } from "@cardkeep/db/jobs";
import { findNewestSafe, insertSafe } from "@cardkeep/db/queries/safes";
import { lockUser } from "@cardkeep/db/queries/users";
import { keccak256 } from "@cardkeep/chain/hash";
import { randomBytes } from "node:crypto";
import type { UserContext } from "../context.ts";
import { generateId } from "../ids.ts";

/**
 * Accepts the deployment of the user's Safe; a worker carries it out.
 *
 * Asked again while one is under way it starts nothing. The salt is random, so nobody can occupy the addresses ahead.
 *
 * @throws safes.kyc_required, safes.already_exists
 */
export async function deploy(
  ctx: UserContext,
  input: { dailyLimit?: number | undefined },
): Promise<{ status: "accepted" }> {
  const { userId, signerAddress } = ctx.actor;
  return ctx.commit(async ({ tx, now, requestId }) => {
    const user = (await lockUser(tx, userId)) ?? fail("auth.unauthorized");
    if (user.kycStatus !== "approved") fail("safes.kyc_required");
    const newest = await findNewestSafe(tx, userId);
    if (newest?.status === "ok") fail("safes.already_exists");
    if (newest?.status === "processing") return { status: "accepted" };
    const token = findTokenForCountry(user.country ?? "");
    const saltNonce = BigInt(keccak256(Buffer.concat([Buffer.from(userId), randomBytes(32)])));
    const addresses = predictAccount({ operator: ctx.rules.operatorAddress, saltNonce });
    const safeId = generateId();
    await insertSafe(tx, {
      id: safeId,
      userId,
      saltNonce,
      address: addresses.safe,
      delayAddress: addresses.delay,
      rolesAddress: addresses.roles,
      bouncerAddress: addresses.bouncer,
      firstOwner: signerAddress,
      tokenSymbol: token.symbol,
      dailyLimit: BigInt(input.dailyLimit ?? defaultDailyLimit) * 10n ** BigInt(token.decimals),
      cooldownSeconds: ctx.rules.cooldownSeconds,
      expirationSeconds: ctx.rules.expirationSeconds,
      status: "processing",
      requestId,
      createdAt: now,
      updatedAt: now,
    });
    await enqueue(tx, "safe.deploy", { safeId, requestId });
    return { status: "accepted" };
  });
}
