import { buildSafeExecution, hashSafeTransaction } from "@cardkeep/chain/safeTransaction";
import { recoverSigner } from "@cardkeep/chain/signatures";
import { fail } from "@cardkeep/contract/core/errors";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findRelayHash } from "@cardkeep/db/queries/chain/relay/bySubject";
import { lockSafe, moveSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { reply, type Commit, type UserContext } from "../../core/context.ts";
import { buildPayload, getLiveSafe, requireUnused } from "./signaturePayload.ts";
import { pollUntil } from "../../core/pollUntil.ts";
import { holdPlace } from "../../core/waits.ts";
import { waitWhile } from "./waitWhile.ts";

/**
 * The older way's last step: sends the set-up that the Safe's owner signed, and waits for it up to 10 s.
 *
 * The same signature again waits for the same set-up, and is answered alike after it.
 *
 * @throws safes.not_found, safes.already_set_up, safes.kyc_required, safes.not_deployed, safes.currency_missing,
 *   safes.already_used, safes.invalid_signature, safes.set_up_failed; server.unavailable where too many requests wait
 */
export async function deployModules(
  ctx: UserContext,
  { signature }: { signature: Hex },
): Promise<Commit<{ transactionHash?: Hex; deployed: boolean }>> {
  return holdPlace(ctx.waits, ctx.actor.userId, () => setUp(ctx, signature));
}

async function setUp(ctx: UserContext, signature: Hex): Promise<Commit<{ transactionHash?: Hex; deployed: boolean }>> {
  const startedMs = performance.now();
  const safe = await getLiveSafe(ctx);
  if (safe.status === "ok" || safe.status === "settingUp") await requireSameRequest(safe, signature);
  else await start(ctx, safe, signature);
  const settled = await waitWhile(ctx, safe.id, "settingUp", (ask) => pollUntil(ctx, startedMs, ask));
  if (settled.status === "created") fail("safes.set_up_failed");
  const { id: subjectId, setUpData: data } = settled;
  const transactionHash = await findRelayHash(ctx.db, { subjectId, purposes: ["safe.setUp"], data });
  const deployed = settled.status === "ok";
  return reply({ ...(transactionHash && { transactionHash }), deployed });
}

async function requireSameRequest(safe: Safe, signature: Hex): Promise<void> {
  const signer = safe.setUpHash && (await recoverSigner(safe.setUpHash, signature));
  if (signer === safe.firstOwner) return;
  fail(safe.status === "ok" ? "safes.already_set_up" : "safes.invalid_signature");
}

/** Row and job of the set-up, unless another request was first. */
async function start(ctx: UserContext, safe: Safe, signature: Hex): Promise<void> {
  const { typed, spender } = await findSigned(ctx, safe, signature);
  const setUpHash = hashSafeTransaction(typed);
  const { data: setUpData } = buildSafeExecution(typed, signature);
  await ctx.prepare(async ({ tx, now, requestId }) => {
    const user = (await lockUser(tx, safe.userId)) ?? fail("auth.token_invalid");
    if (user.kycStatus !== "approved") fail("safes.kyc_required");
    const locked = await lockSafe(tx, safe.id);
    // The signature is for another currency than the Safe has by now.
    if (locked?.tokenSymbol !== safe.tokenSymbol) fail("safes.invalid_signature");
    const change = { setUpHash, setUpData, spender, reason: null, requestId, updatedAt: now };
    if (await moveSafe(tx, safe.id, "settingUp", change)) {
      await enqueue(tx, "safe.deploy", { safeId: safe.id, requestId });
    }
  });
}

/** The set-up that the owner signed. The spender may have been rotated since it was read. @throws safes.invalid_signature */
async function findSigned(ctx: UserContext, safe: Safe, signature: Hex) {
  const unused = await requireUnused(ctx, safe);
  for (const spender of new Set([ctx.policy.spenderAddress, safe.spender])) {
    const typed = await buildPayload(ctx, unused, spender);
    if ((await recoverSigner(hashSafeTransaction(typed), signature)) === safe.firstOwner) return { typed, spender };
  }
  return fail("safes.invalid_signature");
}
