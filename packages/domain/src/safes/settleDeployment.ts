/** The worker's half of a deployment: sign it, and judge what the chain made of it. */
import { buildDeployment } from "@cardkeep/chain/account";
import { CallReverted } from "@cardkeep/chain/errors";
import { enqueue } from "@cardkeep/db/jobs";
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/relayers";
import { findSafe, lockSafe, type Safe, settleSafe, updateSafe } from "@cardkeep/db/queries/safes";
import type { Work, WorkerContext } from "../context.ts";
import { publish } from "../events.ts";
import { generateId } from "../ids.ts";
import { pickRelayer, quoteRelay, signRelayTransaction } from "../relay/sign.ts";
import { addressesOf, configOf } from "./account.ts";

const attemptsMax = 5;
const integrityOk = 0;
const integrityQueueNotEmpty = 7;

/**
 * Signs the transaction that deploys a Safe, unless one is under way or the account stands already.
 *
 * What strangers deployed at its addresses is left out, so nobody can make the set-up fail for ever.
 */
export async function deploySafe(ctx: WorkerContext, input: { safeId: string }): Promise<void> {
  const safe = await findSafe(ctx.db, input.safeId);
  if (safe?.status !== "processing" || (await hasOpenRelayTransaction(ctx.db, safe.id, ["safe.deploy"]))) return;
  if (await isInService(ctx, safe)) return ctx.commit((work) => markInService(ctx, work, safe));
  const addresses = addressesOf(safe);
  const [hasSafe = false, delay = false, roles = false, bouncer = false] = await ctx.chain.hasCode([
    addresses.safe,
    addresses.delay,
    addresses.roles,
    addresses.bouncer,
  ]);
  const built = await buildDeployment({
    operatorPrivateKey: ctx.operatorPrivateKey,
    chainId: ctx.rules.chainId,
    saltNonce: safe.saltNonce,
    owners: [safe.firstOwner],
    config: configOf(ctx, safe),
    present: { safe: hasSafe, delay, roles, bouncer },
  });
  const call = { ...built, value: 0n };
  const relayer = pickRelayer(ctx, safe.id);
  try {
    const quote = await quoteRelay(ctx, relayer, call);
    await ctx.commit(async (work) => {
      const locked = await lockSafe(work.tx, safe.id);
      if (locked?.status !== "processing" || (await hasOpenRelayTransaction(work.tx, safe.id, ["safe.deploy"]))) return;
      await updateSafe(work.tx, safe.id, { attempts: locked.attempts + 1, updatedAt: work.now });
      await signRelayTransaction(ctx, work, {
        id: generateId(),
        purpose: "safe.deploy",
        subjectId: safe.id,
        requestId: safe.requestId,
        relayer,
        call,
        quote,
      });
    });
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    await retryOrFail(ctx, safe, error.reason);
  }
}

/** What a mined deployment means for its Safe: in service if the account is whole, else another try. */
export async function settleDeployment(ctx: WorkerContext, safeId: string): Promise<(work: Work) => Promise<void>> {
  const safe = await findSafe(ctx.db, safeId);
  if (!safe) return async () => {};
  return (await isInService(ctx, safe))
    ? (work) => markInService(ctx, work, safe)
    : ({ tx }) => enqueue(tx, "safe.deploy", { safeId, requestId: safe.requestId });
}

async function isInService(ctx: WorkerContext, safe: Safe): Promise<boolean> {
  const { status } = await ctx.chain.getAccountIntegrity({
    addresses: addressesOf(safe),
    cooldownSeconds: safe.cooldownSeconds,
  });
  return status === integrityOk || status === integrityQueueNotEmpty;
}

async function markInService(ctx: WorkerContext, work: Work, safe: Safe): Promise<void> {
  if (!(await settleSafe(work.tx, safe.id, { status: "ok", updatedAt: work.now }))) return;
  const data = {
    ...safe,
    salt: `0x${safe.saltNonce.toString(16).padStart(64, "0")}`,
    chainId: String(ctx.rules.chainId),
  };
  await publish(work, "safe.created", safe.userId, data);
  await publish(work, "safe.currency.updated", safe.userId, data);
  await publish(work, "safe.modules.deployed", safe.userId, data);
}

async function retryOrFail(ctx: WorkerContext, safe: Safe, reason: string): Promise<void> {
  await ctx.commit(async ({ tx, now }) => {
    const locked = await lockSafe(tx, safe.id);
    if (locked?.status !== "processing") return;
    if (locked.attempts + 1 >= attemptsMax) {
      await settleSafe(tx, safe.id, { status: "failed", reason, updatedAt: now });
      return;
    }
    await updateSafe(tx, safe.id, { attempts: locked.attempts + 1, reason, updatedAt: now });
    const { id: safeId, requestId } = safe;
    await enqueue(tx, "safe.deploy", { safeId, requestId }, 1000 * 2 ** locked.attempts);
  });
}
