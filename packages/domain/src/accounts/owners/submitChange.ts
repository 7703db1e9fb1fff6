/** Changes of a Safe's owners: the allowed changes, and the operations that must end before. */
import type { QueueEntry } from "@cardkeep/chain/delayLogs";
import { deployments } from "@cardkeep/chain/deployments";
import { buildAddOwner, buildRemoveOwner, findOwnerChange, isSuitableOwner } from "@cardkeep/chain/owners";
import { suggestFees } from "@cardkeep/chain/relayer";
import { fail } from "@cardkeep/contract/core/errors";
import type { Address } from "@cardkeep/contract/core/primitives";
import { listOpenDelays } from "@cardkeep/db/queries/accounts/delays/lists";
import type { OpenDelay } from "@cardkeep/db/queries/accounts/delays/submissionFacts";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import { type Commit, type Context, reply, type UserContext } from "../../core/context.ts";
import { listForeignEntries } from "../delays/chainHistory.ts";
import { buildDelayedTransaction, type DelayedTransaction } from "../delays/delayedTransaction.ts";
import { rehearse } from "../delays/rehearse.ts";
import {
  acceptOperation,
  type DelayedOperation,
  type OperationSignature,
  verifySignedOperation,
} from "../delays/delayedOperation.ts";
import { listServiceAddresses } from "../../core/policy.ts";
import { addressesOf } from "../../core/safeAccount.ts";

/**
 * A new owner as an operation.
 *
 * The service's own keys are no wallets of users: a relayer that is an owner would be believed without a signature. The request
 * carries no signature of the new owner, so a contract only shows that it accepts or rejects one within an operation's gas.
 *
 * @throws owners.unsuitable, owners.already_owner
 */
export async function planAddition(ctx: Context, safe: Safe, newOwner: Address): Promise<DelayedOperation> {
  if (listServiceAddresses(ctx.policy).includes(newOwner) || !isSuitableOwner(newOwner, addressesOf(safe)))
    fail("owners.unsuitable");
  const owners = await ctx.chain.listOwners(safe.delayAddress);
  if (owners.includes(newOwner)) fail("owners.already_owner");
  const fees = suggestFees(await ctx.chain.getBlock());
  const [from = null] = ctx.policy.relayerAddresses;
  if (!(await ctx.chain.answersSignatures({ address: newOwner, from, fees }))) fail("owners.unsuitable");
  return { kind: "owner.add", call: buildAddOwner(safe.delayAddress, newOwner), operation: "CALL" };
}

/** The removal of an owner as an operation, by the owners' list as it is now. @throws owners.not_owner, owners.last */
export async function planRemoval(ctx: Context, safe: Safe, owner: Address): Promise<DelayedOperation> {
  const delay = safe.delayAddress;
  const owners = await ctx.chain.listOwners(delay);
  if (!owners.includes(owner)) fail("owners.not_owner");
  if (owners.length === 1) fail("owners.last");
  return { kind: "owner.remove", call: buildRemoveOwner({ delay, owners, owner }), operation: "CALL" };
}

/**
 * Accepts a signed change of owners, planned just now from the chain, if no other one is under way.
 *
 * A removal names the owner's neighbour in the list, and the last owner stays: both hold only if nothing changes the
 * list before it runs. So changes that were open when the list was read count, and what owners queued without us.
 *
 * @throws delays.message_mismatch, delays.invalid_signature, delays.already_submitted, delays.refused,
 *   owners.change_open, delays.quota_exceeded
 */
export async function submitChange(
  ctx: UserContext,
  safe: Safe,
  plan: () => Promise<DelayedOperation>,
  authorization: OperationSignature,
): Promise<Commit<{ data: DelayedTransaction }>> {
  const openBefore = await listOpenDelays(ctx.db, safe.id);
  const operation = await plan();
  const authorized = await verifySignedOperation(ctx, safe, operation, authorization);
  const { restored } = authorized;
  if (restored)
    return reply({ data: buildDelayedTransaction(restored, safe.address, ctx.policy.transactionDataFormat) });
  requireNoChange(openBefore);
  const foreign = await listForeignEntries(ctx, safe);
  if (foreign.some((entry) => mayChangeOwners(entry, safe.delayAddress))) fail("owners.change_open");
  await rehearse(ctx, safe, operation);
  return async (work) => {
    const row = await acceptOperation(ctx, work, safe, operation, authorized, ({ open }) => requireNoChange(open));
    return { data: buildDelayedTransaction(row, safe.address, ctx.policy.transactionDataFormat) };
  };
}

function requireNoChange(open: readonly OpenDelay[]): void {
  if (open.some(({ kind }) => kind === "owner.add" || kind === "owner.remove")) fail("owners.change_open");
}

/** A batch that a Safe runs as its own code may hold anything; only signing a message cannot change owners. */
const mayChangeOwners = (entry: QueueEntry, delay: Address): boolean =>
  findOwnerChange(entry, delay) !== null ||
  (entry.operation === "DELEGATECALL" && entry.to !== deployments.signMessageLib);
