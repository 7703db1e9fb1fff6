/** A new Safe: its row and the job that deploys it, for both ways to an account. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { predictAccount } from "@cardkeep/chain/predictAccount";
import { keccak256 } from "@cardkeep/chain/hex";
import { toBaseUnits, type Token } from "@cardkeep/chain/tokens";
import type { Address } from "@cardkeep/contract/core/primitives";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { LostSafe } from "@cardkeep/db/queries/sync/lostSafes";
import { resolveDiscrepancy } from "@cardkeep/db/queries/sync/reconciliations";
import { insertSafe, listOpenings } from "@cardkeep/db/queries/accounts/safes";
import { randomBytes } from "node:crypto";
import type { Context, Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { requireQuota } from "../../core/limits/requireQuota.ts";

/**
 * Opens a Safe; the caller holds the user's row lock and has seen that there is none.
 *
 * The salt is random, so that strangers cannot occupy the addresses before. A Safe of the wallet that the database lost is
 * opened again with its own salt and periods.
 *
 * @throws request.rate_limited: each deployment costs the operator gas
 */
export async function openSafe(
  ctx: Context,
  { tx, now, requestId }: Work,
  input: { userId: string; firstOwner: Address } & (
    | { setUpBy: "operator"; token: Token; dailyLimit: number; lost: LostSafe | null }
    | { setUpBy: "user" }
  ),
): Promise<string> {
  const { userId, firstOwner, setUpBy } = input;
  const lost = input.setUpBy === "operator" ? input.lost : null;
  if (!lost) await requireDeployment(ctx, { tx, now }, userId);
  const saltNonce = lost?.saltNonce ?? BigInt(keccak256(Buffer.concat([Buffer.from(userId), randomBytes(32)])));
  const creator = setUpBy === "user" ? firstOwner : (lost?.creator ?? ctx.policy.operatorAddress);
  const { safe: address, delay, roles, bouncer } = predictAccount({ creator, saltNonce });
  const { cooldownSeconds, expirationSeconds } = lost?.periods ?? ctx.policy;
  const id = generateId();
  const opened = await insertSafe(tx, {
    id,
    userId,
    saltNonce,
    address,
    delayAddress: delay,
    rolesAddress: roles,
    bouncerAddress: bouncer,
    firstOwner,
    setUpBy,
    creator,
    spender: lost?.spender ?? ctx.policy.spenderAddress,
    ...(input.setUpBy === "operator" && {
      tokenSymbol: input.token.symbol,
      dailyLimit: toBaseUnits(input.dailyLimit, input.token),
    }),
    cooldownSeconds,
    expirationSeconds,
    status: "processing",
    requestId,
    createdAt: now,
    updatedAt: now,
  });
  if (!opened) throw new Error(`User ${userId} has a live Safe already`);
  const bound = { action: "Bound to the user of its wallet", subjectId: id, resolvedAt: now };
  if (lost) await resolveDiscrepancy(tx, { kind: "safe", name: address, ...bound });
  await enqueue(tx, "safe.deploy", { safeId: id, requestId });
  return id;
}

async function requireDeployment(
  { policy }: Context,
  { tx, now }: Pick<Work, "tx" | "now">,
  userId: string,
): Promise<void> {
  const quota = { name: "safe-deployments", count: policy.safeDeploymentsPerDay, withinSeconds: dayMs / 1000 };
  requireQuota(quota, await listOpenings(tx, userId, new Date(now.getTime() - dayMs)), now);
}
