import { fail } from "@cardkeep/contract/core/errors";
import { findRelayHash } from "@cardkeep/db/queries/chain/relay/bySubject";
import { findNewestSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { findUser, type User } from "@cardkeep/db/queries/users/users";
import type { Executor } from "@cardkeep/db/client";
import { reply, type UserContext } from "../../core/context.ts";
import { lockActor } from "../../core/lockActor.ts";
import { saltOf } from "../../core/safeAccount.ts";
import { openSafe } from "./openSafe.ts";
import { waitUntil } from "../../core/pollUntil.ts";
import { waitWhile } from "./waitWhile.ts";

/**
 * The older way's first step: the user's Safe, opened where there is none, with the signed-in wallet as its owner.
 *
 * Waits for the chain up to 10 s. A Safe of either way is answered as it stands.
 *
 * @throws safes.kyc_required, safes.key_required
 */
export async function createSafe(ctx: UserContext) {
  const startedMs = performance.now();
  const safe = await waitWhile(ctx, await findOrOpen(ctx), "processing", (ask) => waitUntil(ctx, null, startedMs, ask));
  const transactionHash = await findRelayHash(ctx.db, {
    subjectId: safe.id,
    purposes: ["safe.create", "safe.deploy"],
  });
  return reply({
    id: safe.id,
    address: safe.address,
    userId: safe.userId,
    chainId: String(ctx.policy.chainId),
    salt: saltOf(safe),
    createdAt: safe.createdAt,
    deployed: safe.status === "created" || safe.status === "settingUp" || safe.status === "ok",
    ...(transactionHash && { transactionHash }),
  });
}

async function findOrOpen(ctx: UserContext): Promise<string> {
  const { userId, signerAddress } = ctx.actor;
  const known = await findLive(ctx.db, await findUser(ctx.db, userId));
  if (known) return known.id;
  // A Safe 1.3.0 takes the signatures of contracts by an older standard than those contracts follow.
  const [isContract] = await ctx.chain.hasCode([signerAddress]);
  if (isContract) fail("safes.key_required");
  return ctx.prepare(async (work) => {
    const live = await findLive(work.tx, await lockActor(work.tx, ctx.actor));
    return live?.id ?? openSafe(ctx, work, { userId, firstOwner: signerAddress, setUpBy: "user" });
  });
}

/** The live Safe of a user who may have one. @throws auth.token_invalid, safes.kyc_required */
async function findLive(on: Executor, user: User | null): Promise<Safe | null> {
  if (!user) fail("auth.token_invalid");
  if (user.kycStatus !== "approved") fail("safes.kyc_required");
  const newest = await findNewestSafe(on, user.id);
  return newest?.status === "failed" ? null : newest;
}
