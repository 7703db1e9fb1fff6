import { buildSetAllowance } from "@cardkeep/chain/allowance";
import { buildModuleCall, type ModuleTypedData } from "@cardkeep/chain/delay";
import { toBaseUnits, tokens } from "@cardkeep/chain/tokens";
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { DelayTransaction } from "@cardkeep/db/queries/accounts/delays/delays";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { type Commit, type Context, reply, type UserContext } from "../../core/context.ts";
import { buildTypedData, rehearse } from "../delays/rehearse.ts";
import { buildDelayedTransaction, type DelayedTransaction } from "../delays/delayedTransaction.ts";
import {
  acceptOperation,
  type DelayedOperation,
  type OperationSignature,
  verifySignedOperation,
} from "../delays/delayedOperation.ts";
import { configOf, getActiveSafe } from "../../core/safeAccount.ts";

/**
 * Accepts a daily limit, in whole units, that an owner of the user's Safe signed; it is in force after the cooldown.
 *
 * @throws safes.not_found, delays.message_mismatch, delays.invalid_signature, delays.already_submitted, delays.refused,
 *   delays.quota_exceeded
 */
export async function setDailyLimit(
  ctx: UserContext,
  input: { newLimit: number } & OperationSignature,
): Promise<Commit<{ data: DelayedTransaction }>> {
  const safe = await getActiveSafe(ctx);
  return submitLimitChange(ctx, safe, input.newLimit, input, (row) => ({
    data: buildDelayedTransaction(row, safe.address, ctx.policy.transactionDataFormat),
  }));
}

/** The typed data whose signature by an owner sets exactly this daily limit, once. @throws safes.not_found */
export async function getDailyLimitData(
  ctx: UserContext,
  { newLimit }: { newLimit: number },
): Promise<{ data: ModuleTypedData }> {
  const safe = await getActiveSafe(ctx);
  return { data: buildTypedData(ctx, safe, buildLimitChange(ctx, safe, newLimit)) };
}

/** A limit whose days begin when it comes into force: the default of account-kit. */
const fromExecution = 0;

/** The limit in whole units of the Safe's token; its days go on beginning when they did at the set-up, midnight UTC. */
export const buildLimitChange = (ctx: Context, safe: CurrencySafe, newLimit: number): DelayedOperation =>
  buildFrom(ctx, safe, newLimit, configOf(ctx, safe).allowanceStartsAt);

function buildFrom(ctx: Context, safe: CurrencySafe, newLimit: number, startsAt: number): DelayedOperation {
  return {
    kind: "limit",
    call: buildSetAllowance({
      bouncer: safe.bouncerAddress,
      refill: toBaseUnits(newLimit, tokens[safe.tokenSymbol]),
      periodSeconds: configOf(ctx, safe).periodSeconds,
      startsAt,
    }),
    operation: "CALL",
  };
}

/**
 * Accepts a signed change of the limit; `buildAnswer` makes the reply from its row.
 *
 * Besides what we offer to sign, the same limit is accepted with days of its own, as account-kit builds it.
 *
 * @throws delays.message_mismatch, delays.invalid_signature, delays.already_submitted, delays.refused,
 *   delays.quota_exceeded
 */
export async function submitLimitChange<T>(
  ctx: UserContext,
  safe: CurrencySafe,
  newLimit: number,
  authorization: OperationSignature,
  buildAnswer: (row: DelayTransaction) => T,
): Promise<Commit<T>> {
  const offered = buildLimitChange(ctx, safe, newLimit);
  const ownDays = buildFrom(ctx, safe, newLimit, fromExecution);
  const operation = isSigned(ownDays, authorization.message.data) ? ownDays : offered;
  const authorized = await verifySignedOperation(ctx, safe, operation, authorization);
  if (authorized.restored) return reply(buildAnswer(authorized.restored));
  await rehearse(ctx, safe, operation);
  return async (work) => buildAnswer(await acceptOperation(ctx, work, safe, operation, authorized));
}

const isSigned = ({ call, operation }: DelayedOperation, data: Hex): boolean =>
  buildModuleCall(call, operation).toLowerCase() === data.toLowerCase();
