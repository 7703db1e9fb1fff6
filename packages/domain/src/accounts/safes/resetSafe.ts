import { tokenList } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import type { Executor } from "@cardkeep/db/client";
import { hasSignedOrderReturn } from "@cardkeep/db/queries/cards/orderReturns";
import { countLiveCards } from "@cardkeep/db/queries/cards/cards";
import { findOpenCardIssue } from "@cardkeep/db/queries/cards/issues";
import { listOpenDelays } from "@cardkeep/db/queries/accounts/delays/lists";
import { findNewestSafe, lockSafe, moveSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { hasSignedReturn } from "@cardkeep/db/queries/spending/liveTransfers";
import { findIban } from "@cardkeep/db/queries/users/ibans";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { watchFormerSafe } from "../../users/ibans/watchIban.ts";
import type { Commit, UserContext } from "../../core/context.ts";
import { forgetIbanOfSafe } from "../../users/ibans/resetIban.ts";
import { isAccountWhole } from "./getDeployment.ts";

/**
 * Forgets the user's Safe, so that another can be deployed; the contract stays where it is. An IBAN that pays into it is
 * forgotten too, and begins anew with the next Safe.
 *
 * Only one that is of no use: not taken into service or not whole on chain, empty, with nothing under way.
 *
 * @throws auth.token_invalid, safes.not_found, safes.reset_under_way, safes.reset_queued, safes.reset_in_service,
 *   safes.reset_cards, safes.reset_balance
 */
export async function resetSafe(ctx: UserContext): Promise<Commit<{ message: "Safe account reset successfully" }>> {
  const safe = (await findNewestSafe(ctx.db, ctx.actor.userId)) ?? fail("safes.not_found");
  await requireUseless(ctx, safe);
  return async (work) => {
    const { tx, now } = work;
    // The IBAN changes behind this lock.
    if (!(await lockUser(tx, safe.userId))) fail("auth.token_invalid");
    const locked = (await lockSafe(tx, safe.id)) ?? fail("safes.not_found");
    if (locked.status === "reset") fail("safes.not_found");
    if (locked.status !== safe.status) fail("safes.reset_under_way");
    if ((await listOpenDelays(tx, safe.id)).length > 0) fail("safes.reset_queued");
    await requireNoReturn(tx, safe);
    await requireNoCards(tx, ctx.actor.userId);
    await moveSafe(tx, safe.id, "reset", { updatedAt: now });
    const iban = await findIban(tx, safe.userId);
    if (iban?.address === safe.address) await forgetIbanOfSafe(work, iban);
    else await watchFormerSafe(work, safe);
    return { message: "Safe account reset successfully" };
  };
}

async function requireUseless(ctx: UserContext, safe: Safe): Promise<void> {
  if (safe.status === "processing" || safe.status === "settingUp") fail("safes.reset_under_way");
  // One that was set up and not taken, because it was used before, is not in service, however whole it is.
  if (safe.status !== "created" && (await isAccountWhole(ctx, safe))) fail("safes.reset_in_service");
  if ((await listOpenDelays(ctx.db, safe.id)).length > 0) fail("safes.reset_queued");
  await requireNoCards(ctx.db, safe.userId);
  // Before the balance is read, too: one that arrives between the two is not seen by either.
  await requireNoReturn(ctx.db, safe);
  const held = await Promise.all(tokenList.map(({ address }) => ctx.chain.getTokenBalance(address, safe.address)));
  if (held.some((amount) => amount > 0n)) fail("safes.reset_balance");
}

/** Requires that no money is on its way to the Safe. A return that is not signed yet goes to the next one. @throws safes.reset_under_way */
async function requireNoReturn(on: Executor, { id, address }: Safe): Promise<void> {
  if ((await hasSignedReturn(on, id)) || (await hasSignedOrderReturn(on, address)))
    fail("safes.reset_under_way", { text: "Cannot reset Safe account: money is on its way to it." });
}

/** Requires that all cards have ended and none is being made. @throws safes.reset_cards */
async function requireNoCards(on: Executor, userId: string): Promise<void> {
  if ((await countLiveCards(on, userId)) > 0 || (await findOpenCardIssue(on, userId))) fail("safes.reset_cards");
}
