/**
 * Parts of the chain package: pure builders of calldata, a port that reads the chain, keys that sign.
 *
 * - safe: the smart account. It holds the funds and acts only through its two modules, Delay and Roles.
 * - owner: a user's wallet, enabled as a module of the Delay module. Not the Safe's own owner, which is a dead
 * address.
 * - delay: the Delay module of one Safe; a queue in which every call of an owner waits.
 * - cooldown, expiration: seconds until a queued call may run, and seconds in which it may then run.
 * - queueNonce: a call's position in the queue.
 * - txNonce: the position that runs next.
 * - head: the call at `txNonce`.
 * - enqueue: put a signed call into the queue.
 * - execute: run the head (`executeNextTx`). Every account may send either.
 * - skip: drop expired heads (`skipExpired`).
 * - fate: whether a call that left the queue was executed or skipped.
 * - roles: the Roles module of one Safe; it lets the spender move one token to one receiver within the allowance.
 * - bouncer: owner of the Roles module; it lets the Safe set the allowance and do nothing else.
 * - allowance: the spendable amount (`balance`), topped up by `refill` each `period`.
 * - spend: a movement of money by the spender from a Safe to the settlement account.
 * - settlement: the account that receives card money.
 * - return: a movement of money from the settlement account to a Safe; the spender moves it within an approval.
 * - operator: the key that owns a Safe during one transaction, its set-up.
 * - relayer: a key that pays for transactions and has no other power.
 */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";

/** A call to a contract, or a transfer of `value` wei if `data` is `0x`. */
export interface Call {
  to: Address;
  value: bigint;
  data: Hex;
}

export type OperationType = "CALL" | "DELEGATECALL";

/** `Enum.Operation` of the Safe contracts. */
export const operationCodes: Readonly<Record<OperationType, 0 | 1>> = { CALL: 0, DELEGATECALL: 1 };

/** The operation of a Safe's `Enum.Operation`; null for an unknown number. */
export function findOperation(code: number): OperationType | null {
  if (code === operationCodes.CALL) return "CALL";
  return code === operationCodes.DELEGATECALL ? "DELEGATECALL" : null;
}
