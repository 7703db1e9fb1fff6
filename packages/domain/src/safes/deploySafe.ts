/** The first half of a deployment: signs the next transaction. */
import { buildCreation, buildDeployment, predictAccount } from "@cardkeep/chain/account";
import type { Call } from "@cardkeep/chain/call";
import { CallReverted } from "@cardkeep/chain/errors";
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/relay/bySubject";
import { findSafe, hasCurrency, lockSafe, type Safe } from "@cardkeep/db/queries/safes";
import type { RelayPurpose } from "@cardkeep/db/schema/relayers";
import type { WorkerContext } from "../context.ts";
import { generateId } from "../generateId.ts";
import { pickRelayer } from "../relay/pickRelayer.ts";
import { quoteRelay, signRelayTransaction } from "../relay/signRelayTransaction.ts";
import { configOf, creatorOf, findPresent } from "../safeAccount.ts";
import { settleIfDeployed, retryOrGiveUp } from "./settleDeployment.ts";

const purposes: readonly RelayPurpose[] = ["safe.deploy", "safe.create", "safe.setUp"];

/**
 * Signs a Safe's next transaction, unless one is under way or the chain already has its result.
 *
 * Contracts that strangers deployed at its addresses are left out, so that strangers cannot make the set-up fail for ever.
 */
export async function deploySafe(ctx: WorkerContext, input: { safeId: string }): Promise<void> {
  const safe = await findSafe(ctx.db, input.safeId);
  if (!safe || !isUnderWay(safe) || (await hasOpenRelayTransaction(ctx.db, safe.id, purposes))) return;
  const done = await settleIfDeployed(ctx, safe);
  if (done) return ctx.commit(done);
  if (!isPlannedFor(ctx, safe))
    return ctx.commit((work) => retryOrGiveUp(work, safe, "The operator's key has changed since"));
  const { purpose, call } = await buildStep(ctx, safe);
  const relayer = await pickRelayer(ctx, safe.id);
  try {
    const quote = await quoteRelay(ctx, relayer, call);
    await ctx.commit(async (work) => {
      const locked = await lockSafe(work.tx, safe.id);
      if (locked?.status !== safe.status || (await hasOpenRelayTransaction(work.tx, safe.id, purposes))) return;
      await signRelayTransaction(ctx, work, {
        id: generateId(),
        purpose,
        subjectId: safe.id,
        requestId: safe.requestId,
        relayer,
        call,
        quote,
      });
    });
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    await ctx.commit((work) => retryOrGiveUp(work, safe, error.reason));
  }
}

const isUnderWay = ({ status }: Safe): boolean => status === "processing" || status === "settingUp";

/** Under another operator key the Safe would get another address than the published one. */
const isPlannedFor = (ctx: WorkerContext, safe: Safe): boolean =>
  predictAccount({ creator: creatorOf(ctx, safe), saltNonce: safe.saltNonce }).safe === safe.address;

async function buildStep(ctx: WorkerContext, safe: Safe): Promise<{ purpose: RelayPurpose; call: Call }> {
  if (safe.status === "settingUp" && safe.setUpData) {
    return { purpose: "safe.setUp", call: { to: safe.address, value: 0n, data: safe.setUpData } };
  }
  const { saltNonce } = safe;
  if (safe.setUpBy === "user") {
    return { purpose: "safe.create", call: buildCreation({ creator: creatorOf(ctx, safe), saltNonce }) };
  }
  if (!hasCurrency(safe)) throw new Error(`Safe ${safe.id} has no currency`);
  const call = await buildDeployment({
    operator: ctx.operator,
    chainId: ctx.rules.chainId,
    saltNonce,
    owners: [safe.firstOwner],
    config: configOf(ctx, safe),
    present: await findPresent(ctx, safe),
  });
  return { purpose: "safe.deploy", call };
}
