/**
 * The door of the delay relay: a signed operation is checked against what the server itself would have asked to sign,
 * and accepted together with the job that carries it out.
 */
import type { Call, OperationType } from "@cardkeep/chain/call";
import { buildEnqueue, buildModuleCall, hashModuleMessage } from "@cardkeep/chain/delay";
import { normalizeSignature, recoverModuleSigner } from "@cardkeep/chain/signatures";
import { fail } from "@cardkeep/contract/errors";
import type { Address, Hex } from "@cardkeep/contract/primitives";
import type { Tx } from "@cardkeep/db/client";
import { enqueue } from "@cardkeep/db/jobs";
import {
  type DelayTransaction,
  findDelayByMessage,
  findNewestDelayTime,
  insertDelay,
} from "@cardkeep/db/queries/delays";
import { lockSafe, type Safe } from "@cardkeep/db/queries/safes";
import type { UserContext, Work } from "../context.ts";
import { lookAtBalances } from "../accounts/tellBalance.ts";
import { generateId } from "../ids.ts";

export interface Authorization {
  signature: Hex;
  message: { salt: Hex; data: Hex };
  smartWalletAddress?: Address | undefined;
}

export interface Operation {
  kind: DelayTransaction["kind"];
  call: Call;
  operation: OperationType;
  tokenAddress?: Address;
  amount?: bigint;
}

const hourMs = 3_600_000;

/**
 * Proves that an owner of the Safe signed exactly this operation.
 *
 * @throws delays.message_mismatch, delays.invalid_signature, delays.already_submitted
 */
export async function authorize(
  ctx: UserContext,
  safe: Safe,
  { call, operation }: Operation,
  { signature, message, smartWalletAddress }: Authorization,
): Promise<{ signer: Address; messageHash: Hex; enqueueData: Hex }> {
  const data = buildModuleCall(call, operation);
  if (data.toLowerCase() !== message.data.toLowerCase()) fail("delays.message_mismatch");
  const delay = safe.delayAddress;
  const signed = { delay, chainId: ctx.rules.chainId, data, salt: message.salt };
  const messageHash = hashModuleMessage(signed);
  const recovered = await recoverModuleSigner({ ...signed, signature });
  // A key whose account holds code (EIP-7702) looks like a contract wallet to a client, yet signs for itself.
  const smartWallet = smartWalletAddress === recovered ? undefined : smartWalletAddress;
  const signer = smartWallet ?? recovered ?? fail("delays.invalid_signature");
  const { isOwner, isConsumed } = await ctx.chain.getSigner({ delay, signer, messageHash });
  if (!isOwner) fail("delays.invalid_signature");
  if (smartWallet && !(await ctx.chain.verifyHash({ address: smartWallet, hash: messageHash, signature }))) {
    fail("delays.invalid_signature");
  }
  if (await findDelayByMessage(ctx.db, { delayAddress: delay, signer, messageHash })) fail("delays.already_submitted");
  if (isConsumed) fail("delays.already_submitted");
  const enqueueCall = smartWallet
    ? buildEnqueue({ ...signed, signature, smartWallet })
    : buildEnqueue({ ...signed, signature: normalizeSignature(signature) });
  return { signer, messageHash, enqueueData: enqueueCall.data };
}

/**
 * Accepts an authorised operation: row and job in the caller's commit, behind the Safe's row lock.
 *
 * `check` runs under that lock and may still refuse.
 *
 * @throws safes.not_found, delays.already_submitted, delays.quota_exceeded
 */
export async function accept(
  ctx: UserContext,
  work: Work,
  safe: Safe,
  { kind, call, operation, tokenAddress, amount }: Operation,
  authorized: { signer: Address; messageHash: Hex; enqueueData: Hex },
  check: () => Promise<void> = async () => {},
): Promise<DelayTransaction> {
  const { tx, now, requestId } = work;
  if ((await lockSafe(tx, safe.id))?.status !== "ok") fail("safes.not_found");
  if (await findDelayByMessage(tx, { delayAddress: safe.delayAddress, ...authorized }))
    fail("delays.already_submitted");
  await check();
  await checkQuota(ctx, tx, safe.id, now);
  const row = await insertDelay(tx, {
    id: generateId(),
    safeId: safe.id,
    userId: safe.userId,
    kind,
    to: call.to,
    value: call.value,
    data: call.data,
    operation,
    tokenAddress: tokenAddress ?? null,
    amount: amount ?? null,
    delayAddress: safe.delayAddress,
    ...authorized,
    status: "QUEUING",
    enqueueTaskId: generateId(),
    requestId,
    createdAt: now,
    updatedAt: now,
  });
  if (!row) fail("delays.already_submitted");
  await enqueue(tx, "delay.relay", { safeId: safe.id, requestId });
  if (kind === "withdrawal") await lookAtBalances(work, { ids: [safe.id] });
  return row;
}

/** @throws delays.quota_exceeded */
async function checkQuota({ rules }: UserContext, tx: Tx, safeId: string, now: Date): Promise<void> {
  const count = rules.relayedOperationsPerHour;
  const oldest = await findNewestDelayTime(tx, safeId, count);
  const waitMs = oldest === null ? 0 : oldest.getTime() + hourMs - now.getTime();
  if (waitMs <= 0) return;
  const quota = { name: "relayed-operations", count, withinSeconds: hourMs / 1000 };
  fail("delays.quota_exceeded", { quota, retryAfterSeconds: Math.ceil(waitMs / 1000) });
}
