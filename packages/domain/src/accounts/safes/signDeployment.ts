/** The first half of a deployment: signs the next transaction of one Safe. */
import { buildCreation } from "@cardkeep/chain/account";
import type { Call } from "@cardkeep/chain/call";
import { CallReverted } from "@cardkeep/chain/errors";
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/chain/relay/bySubject";
import { hasCurrency, lockSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import type { RelayPurpose } from "@cardkeep/db/schema/chain/relayers";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { readHold } from "../../chain/relay/gasBudget.ts";
import { setUpGasMax } from "../../chain/relay/gasLimits.ts";
import { pickRelayer } from "../../chain/relay/pickRelayer.ts";
import { quoteRelay, signRelayTransaction } from "../../chain/relay/signRelayTransaction.ts";
import { findPresent } from "../../core/safeAccount.ts";
import { buildSafeDeployment, findOperatorKey } from "./buildSafeDeployment.ts";
import { retryOrGiveUp } from "./moveDeployment.ts";
import { settleIfDeployed } from "./settleDeployment.ts";

/** The purposes of relay transactions that bring an account to the chain. */
export const deploymentPurposes: readonly RelayPurpose[] = ["safe.deploy", "safe.create", "safe.setUp"];

/** The operator may raise the budget meanwhile. */
const holdLookMs = 300_000;

/** Signs a Safe's next transaction, unless one is under way or the chain already has its result. */
export async function signDeployment(ctx: WorkerContext, safe: Safe): Promise<void> {
  const done = await settleIfDeployed(ctx, safe);
  if (done) return ctx.commit(done);
  const step = await buildStep(ctx, safe);
  if (!step)
    return ctx.commit((work) => retryOrGiveUp(work, safe, `No setting names the operator's key ${safe.creator}`));
  const { purpose, call } = step;
  const { id: safeId, requestId, userId } = safe;
  const { waitMs } = purpose === "safe.setUp" ? await readHold(ctx, userId) : { waitMs: 0 };
  if (waitMs > 0) return enqueue(ctx.db, "safe.deploy", { safeId, requestId }, Math.min(waitMs, holdLookMs));
  const relayer = await pickRelayer(ctx, safe.id);
  try {
    const quote = await quoteRelay(ctx, relayer, call, purpose === "safe.setUp" ? { gasMax: setUpGasMax } : {});
    await ctx.commit(async (work) => {
      const locked = await lockSafe(work.tx, safe.id);
      if (locked?.status !== safe.status || (await hasOpenRelayTransaction(work.tx, safe.id, deploymentPurposes)))
        return;
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
    const refused = { logs: [], blockNumber: error.block ?? 0n };
    // A set-up that another sender sent meanwhile is refused too, and is not void.
    const ran = safe.status === "settingUp" ? await settleIfDeployed(ctx, safe, refused) : null;
    await ctx.commit(ran ?? ((work) => retryOrGiveUp(work, safe, error.reason)));
  }
}

/** Null where the worker lacks the operator's key for which the Safe was opened: another one would give another address. */
async function buildStep(ctx: WorkerContext, safe: Safe): Promise<{ purpose: RelayPurpose; call: Call } | null> {
  if (safe.status === "settingUp" && safe.setUpData) {
    return { purpose: "safe.setUp", call: { to: safe.address, value: 0n, data: safe.setUpData } };
  }
  const { saltNonce } = safe;
  if (safe.setUpBy === "user") {
    return { purpose: "safe.create", call: buildCreation({ creator: safe.creator, saltNonce }) };
  }
  if (!hasCurrency(safe)) throw new Error(`Safe ${safe.id} has no currency`);
  const operator = findOperatorKey(ctx, safe);
  if (!operator) return null;
  const call = await buildSafeDeployment(ctx, safe, operator, await findPresent(ctx, safe));
  return { purpose: "safe.deploy", call };
}
