/**
 * The request side of the delay relay: a signed operation is compared with the one that the server would have offered to
 * sign, and accepted together with the job that enqueues it.
 */
import { hourMs } from "@cardkeep/contract/core/durations";
import type { Call, OperationType } from "@cardkeep/chain/call";
import { buildEnqueue, buildModuleCall, hashModuleMessage } from "@cardkeep/chain/delay";
import { findOwnerChange } from "@cardkeep/chain/owners";
import { normalizeSignature, recoverSigner } from "@cardkeep/chain/signatures";
import type { FundsQuestion, SignerState } from "@cardkeep/chain/accountState";
import { fail } from "@cardkeep/contract/core/errors";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { enqueueQuietly } from "@cardkeep/db/queue/enqueue";
import { type DelayTransaction, insertDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import {
  lockSubmission,
  readSubmissionFacts,
  type SubmissionFacts,
} from "@cardkeep/db/queries/accounts/delays/submissionFacts";
import { requireRows } from "../../chain/guards/restoreGuard.ts";
import type { UserContext, Work } from "../../core/context.ts";
import { enqueueBalanceChecks } from "../balances/publishBalance.ts";
import { buildDelayId } from "./delayId.ts";
import { generateId } from "../../core/generateId.ts";
import { findRestored } from "./findRestored.ts";

export interface OperationSignature {
  signature: Hex;
  message: { salt: Hex; data: Hex };
  smartWalletAddress?: Address | undefined;
}

export interface DelayedOperation {
  kind: DelayTransaction["kind"];
  call: Call;
  operation: OperationType;
  tokenAddress?: Address;
  amount?: bigint;
}

/** An operation that an owner of the Safe signed, with what the database knew of the Safe before the chain was asked. */
export interface VerifiedOperation {
  signer: Address;
  messageHash: Hex;
  enqueueData: Hex;
  facts: SubmissionFacts;
  funds: SignerState["funds"];
  /** The operation that this message became before the database lost its row: the answer to the message sent again. */
  restored: DelayTransaction | null;
}

/**
 * Proves that an owner of the Safe signed exactly this operation. `findFunds` names the funds to read in the same request
 * to the chain.
 *
 * @throws delays.message_mismatch, delays.invalid_signature, delays.signer_leaving, delays.already_submitted
 */
export async function verifySignedOperation(
  ctx: UserContext,
  safe: Safe,
  { call, operation }: DelayedOperation,
  { signature, message, smartWalletAddress }: OperationSignature,
  findFunds: (facts: SubmissionFacts) => FundsQuestion | null = () => null,
): Promise<VerifiedOperation> {
  const data = buildModuleCall(call, operation);
  if (data !== message.data) fail("delays.message_mismatch");
  const delay = safe.delayAddress;
  const signed = { delay, chainId: ctx.policy.chainId, data, salt: message.salt };
  const messageHash = hashModuleMessage(signed);
  const recovered = await recoverSigner(messageHash, signature);
  // A key whose account holds code (EIP-7702) looks like a contract wallet to a client, yet signs for itself.
  const smartWallet = smartWalletAddress === recovered ? undefined : smartWalletAddress;
  const signer = smartWallet ?? recovered ?? fail("delays.invalid_signature");
  const facts = await readSubmissionFacts(ctx.reads, submissionOf(ctx, safe, messageHash));
  const question = { delay, signer, messageHash, funds: findFunds(facts) };
  const { isOwner, isConsumed, funds } = await ctx.chain.getSigner(question);
  if (!isOwner) fail("delays.invalid_signature");
  if (smartWallet && !(await ctx.chain.verifyHash({ address: smartWallet, hash: messageHash, signature }))) {
    fail("delays.invalid_signature");
  }
  const isKnown = facts.isSubmitted || isConsumed;
  const restored = isKnown ? await findRestored(ctx, { delay, messageHash }) : null;
  if (isKnown && !restored) {
    // The database may lack its row, which is about to be restored.
    if (!facts.isSubmitted) await requireRows(ctx, "entries");
    fail("delays.already_submitted");
  }
  if (!restored) requireStaying(facts, safe, signer);
  const enqueueCall = smartWallet
    ? buildEnqueue({ ...signed, signature, smartWallet })
    : buildEnqueue({ ...signed, signature: normalizeSignature(signature) });
  return { signer, messageHash, enqueueData: enqueueCall.data, facts, funds, restored };
}

/**
 * Accepts a verified operation: writes row and job in the caller's commit, behind the Safe's row lock.
 *
 * `check` gets the facts as they are under that lock, and may still refuse.
 *
 * No row is locked before it in the transaction: the lock of the switch comes first.
 *
 * @throws accounts.withdrawals_stopped, safes.not_found, delays.signer_leaving, delays.already_submitted, delays.quota_exceeded
 */
export async function acceptOperation(
  ctx: UserContext,
  work: Work,
  safe: Safe,
  { kind, call, operation, tokenAddress, amount }: DelayedOperation,
  { facts: before, signer, messageHash, enqueueData }: VerifiedOperation,
  check: (facts: SubmissionFacts) => void = () => {},
): Promise<DelayTransaction> {
  const { tx, now, requestId } = work;
  const isWithdrawal = kind === "withdrawal";
  const message = submissionOf(ctx, safe, messageHash);
  const facts = await lockSubmission(tx, { ...message, isWithdrawal, after: before.lastTransfer });
  if (isWithdrawal && facts.isStopped) fail("accounts.withdrawals_stopped");
  if (!facts.isInService) fail("safes.not_found");
  requireStaying(facts, safe, signer);
  if (facts.isSubmitted) fail("delays.already_submitted");
  check(facts);
  checkQuota(ctx, facts, now);
  // Sent together: none depends on another, and one that fails rolls all of them back.
  const [row] = await Promise.all([
    insertDelay(tx, {
      id: buildDelayId({ delayAddress: safe.delayAddress, messageHash }),
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
      signer,
      messageHash,
      enqueueData,
      status: "QUEUING",
      enqueueTaskId: generateId(),
      requestId,
      createdAt: now,
      updatedAt: now,
    }),
    enqueueQuietly(tx, "delay.relay", { subjects: [safe.id], requestId }),
    isWithdrawal && facts.hasReceivers ? enqueueBalanceChecks(work, { ids: [safe.id] }) : null,
  ]);
  if (!row) fail("delays.already_submitted");
  work.wake("jobs");
  return row;
}

/** An operation of an owner who is being removed would be queued behind the removal, and fail. @throws delays.signer_leaving */
function requireStaying({ open }: SubmissionFacts, { delayAddress: to }: Safe, signer: Address): void {
  for (const { removal: data } of open) {
    if (data !== null && findOwnerChange({ to, value: 0n, data }, to)?.owner === signer) fail("delays.signer_leaving");
  }
}

const submissionOf = ({ policy }: UserContext, { id: safeId, delayAddress }: Safe, messageHash: Hex) => ({
  safeId,
  delayAddress,
  quota: policy.relayedOperationsPerHour,
  messageHash,
});

/** @throws delays.quota_exceeded */
function checkQuota({ policy }: UserContext, { quotaReachedAt }: SubmissionFacts, now: Date): void {
  const waitMs = quotaReachedAt === null ? 0 : quotaReachedAt.getTime() + hourMs - now.getTime();
  if (waitMs <= 0) return;
  const quota = { name: "relayed-operations", count: policy.relayedOperationsPerHour, withinSeconds: hourMs / 1000 };
  fail("delays.quota_exceeded", { quota, retryAfterSeconds: Math.ceil(waitMs / 1000) });
}
