import { buildDeployment } from "@cardkeep/chain/account";
import type { Call } from "@cardkeep/chain/call";
import type { Signer } from "@cardkeep/chain/signer";
import type { CurrencySafe, Safe } from "@cardkeep/db/queries/accounts/safes";
import type { WorkerContext } from "../../core/context.ts";
import { configOf } from "../../core/safeAccount.ts";

/** The operator's key for which a Safe was opened; null where the worker lacks it. Another key would give another address. */
export const findOperatorKey = ({ operator, formerOperators }: WorkerContext, { creator }: Safe): Signer | null =>
  [operator, ...formerOperators].find(({ address }) => address === creator) ?? null;

/**
 * The call that brings an account of the operator's way to the chain; `present` names the parts that have code already.
 * @throws SignerFailed, SignedWrongly
 */
export const buildSafeDeployment = (
  ctx: WorkerContext,
  safe: CurrencySafe,
  operator: Signer,
  present: { safe: boolean; delay: boolean; roles: boolean; bouncer: boolean },
): Promise<Call> =>
  buildDeployment({
    operator,
    chainId: ctx.policy.chainId,
    saltNonce: safe.saltNonce,
    owners: [safe.firstOwner],
    config: configOf(ctx, safe),
    present,
  });
