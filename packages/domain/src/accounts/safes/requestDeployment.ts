import { predictAccount } from "@cardkeep/chain/predictAccount";
import { findTokenForCountry, tokenList } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { defaultDailyLimit } from "@cardkeep/contract/accounts/safes";
import { findLostSafe, type LostSafe } from "@cardkeep/db/queries/sync/lostSafes";
import { findNewestSafe, lockSafe, moveSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import type { Commit, UserContext, Work } from "../../core/context.ts";
import { lockActor } from "../../core/lockActor.ts";
import { waitUntil } from "../../core/pollUntil.ts";
import { openSafe } from "./openSafe.ts";
import { waitWhile } from "./waitWhile.ts";

/**
 * Accepts the deployment of the user's Safe; a worker carries it out.
 *
 * Asked again while one is under way it starts nothing. A Safe of the older way that waits for its owner's set-up and is
 * empty is given up for the new one. One that is being created is waited for up to 10 s.
 *
 * @throws safes.kyc_required, safes.already_exists, safes.set_up_older, server.unavailable while one of the older way is being created
 */
export async function requestDeployment(
  ctx: UserContext,
  input: { dailyLimit?: number | undefined },
): Promise<Commit<{ status: "accepted" }>> {
  const { userId, signerAddress } = ctx.actor;
  const left = await findSettled(ctx, await findNewestSafe(ctx.db, userId));
  if (left?.status === "created") await requireEmpty(ctx, left);
  const owned = await findOwned(ctx);
  return async (work) => {
    const user = await lockActor(work.tx, ctx.actor);
    if (user.kycStatus !== "approved") fail("safes.kyc_required");
    const newest = await findNewestSafe(work.tx, userId);
    if (newest && isUnderWay(newest)) return { status: "accepted" };
    if (newest && newest.status !== "failed") await giveUp(work, newest, left);
    const found = owned && (await findLostSafe(work.tx, signerAddress));
    const lost = found?.saltNonce === owned?.saltNonce ? found : null;
    await openSafe(ctx, work, {
      lost,
      userId,
      firstOwner: signerAddress,
      setUpBy: "operator",
      token: findTokenForCountry(user.country ?? ""),
      dailyLimit: input.dailyLimit ?? defaultDailyLimit,
    });
    return { status: "accepted" };
  };
}

/**
 * The Safe of the wallet that the database lost; none where the wallet was removed from its owners since: a thief of that wallet would get
 * cards that spend its person's money.
 */
async function findOwned({ chain, db, actor }: UserContext): Promise<LostSafe | null> {
  const lost = await findLostSafe(db, actor.signerAddress);
  if (!lost) return null;
  const owners = await chain.listOwners(predictAccount(lost).delay);
  return owners.includes(actor.signerAddress) ? lost : null;
}

/** Whether a worker brings the account into service without another request. */
const isUnderWay = ({ status, setUpBy }: Safe): boolean =>
  status === "settingUp" || (status === "processing" && setUpBy === "operator");

/** The user's Safe, once one of the older way that is being created stands or has failed, or the request has to be answered. */
async function findSettled(ctx: UserContext, newest: Safe | null): Promise<Safe | null> {
  if (newest?.status !== "processing" || newest.setUpBy !== "user") return newest;
  const startedMs = performance.now();
  return waitWhile(ctx, newest.id, "processing", (ask) => waitUntil(ctx, null, startedMs, ask));
}

/** Its owner alone can move what a Safe of the older way holds. @throws safes.set_up_older */
async function requireEmpty({ chain }: UserContext, { address }: Safe): Promise<void> {
  const held = await Promise.all([
    chain.getNativeBalance(address),
    ...tokenList.map((token) => chain.getTokenBalance(token.address, address)),
  ]);
  if (held.some((amount) => amount > 0n)) fail("safes.set_up_older");
}

/**
 * Ends a Safe of the older way that was found empty before.
 * @throws safes.already_exists, server.unavailable for one that is being created, or stands since the chain was asked
 */
async function giveUp({ tx, now }: Work, newest: Safe, foundEmpty: Safe | null): Promise<void> {
  const locked = await lockSafe(tx, newest.id);
  if (locked?.status !== "created" && locked?.status !== "processing") fail("safes.already_exists");
  if (locked.status === "processing" || locked.id !== foundEmpty?.id || foundEmpty.status !== "created")
    fail("server.unavailable");
  await moveSafe(tx, locked.id, "reset", { updatedAt: now });
}
