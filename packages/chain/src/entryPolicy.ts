/**
 * Entries of a Delay module's queue that leave an account's setup unchanged.
 *
 * - entry: a call in the queue.
 * - known kind: a call that changes balances, owners or the limit, and nothing else.
 * - violation: an entry of no known kind. As soon as it is queued, the account is not reliable.
 *
 * Proof that an account with entries of known kinds only keeps its setup. By induction over the calls of the Safe:
 *
 * 1. Base: the set-up is the Safe's first transaction and is atomic. Its address commits to its owner at creation, and
 *    its modules' addresses commit to their own set-up. Afterwards the Safe's only owner is 0x…02, for which there is no
 *    key, and the Safe has no guard, so it acts only by its two modules: Delay and Roles. In the operator's way no key but
 *    the operator's owns the Safe before, and that signs set-ups alone. In the older way a key of the person does. An earlier
 *    transaction of that owner can change anything by a delegatecall, also the nonce, so what the Safe says of itself is no
 *    proof. The log of its first transaction is (`safeHistory.ts`): a Safe with one of another transaction is not taken. The
 *    owner can also sign an approval (ERC-1271) without a transaction. The tokens log it, and a Safe that approved anything
 *    is not taken. Such a signature is void once the Safe has its other owner.
 * 2. Roles runs only what the spender's role permits: `transfer` of one token to the settlement account. The owner of
 *    Roles is the Bouncer, which forwards `setAllowance` of the Safe and nothing else.
 * 3. Delay runs entries of its queue. A transfer of tokens or native money changes balances. It gives no contract any
 *    power over the Safe: no approval, no delegatecall, and the called contract sees the Safe only as a sender. The
 *    four contracts of the account are no tokens, so they are excluded. `enableModule` and `disableModule` at the
 *    Delay module change who may queue entries, which are checked in the same way. `setAllowance` at the Bouncer
 *    changes the limit, and only to one that is within the service's bounds and that the Roles module can always
 *    calculate with: its amounts are below 2^73 and its times below 2^63, so neither their sums in 64 bits nor the
 *    refills of all periods since 1970 in 128 bits overflow. Else every spend would revert, and a card that was approved
 *    could not be paid.
 * 4. The e-money institution burns tokens of an address only by an order that the address itself signed. A Safe does so
 *    by ERC-1271 alone, for which it asks its only owner, or a message that it signed on chain: by 1 and 3 there is
 *    neither. An owner's key links an address to a profile, and orders nothing.
 * 5. So no step changes the Safe's singleton, owners, modules, fallback handler, approvals or signed messages, nor the
 *    owners, targets and cooldown of its modules. What was true before the step is true after it.
 *
 * An operator can allow further calls (`AllowedCall`). The proof does not cover those.
 */
import { type Address, type Hex, nativeToken } from "@cardkeep/contract/core/primitives";
import { decodeFunctionData, getAddress, size, slice } from "viem";
import { delayAbi, rolesAbi } from "./abis.ts";
import type { AccountAddresses } from "./predictAccount.ts";
import type { Call, OperationType } from "./call.ts";
import { parseHex } from "./hex.ts";
import { spendingAllowanceKey } from "./deployments.ts";
import { buildTransfer, findRecipient } from "./tokens.ts";

/** The effect of an entry of a known kind. */
export type EntryKind = "native" | "token" | "owner.add" | "owner.remove" | "limit" | "allowed";

/**
 * A call that the operator allows in addition to the known kinds, at the operator's risk: any arguments, without
 * native money.
 */
export interface AllowedCall {
  to: Address;
  /** First 4 bytes of the calldata. */
  selector: Hex;
  operation: OperationType;
}

/**
 * Reads `address:selector` or `address:selector:DELEGATECALL`.
 * @throws Error for any other text
 */
export function parseAllowedCall(text: string): AllowedCall {
  const [to = "", selector, operation] = text.split(":");
  return {
    to: getAddress(to),
    selector: parseHex(selector?.toLowerCase()),
    operation: operation === "DELEGATECALL" ? operation : "CALL",
  };
}

/** The bounds that an entry is checked against. */
export interface EntryPolicy {
  account: AccountAddresses;
  /** Largest daily limit, in base units of the account's token. */
  limitMax: bigint;
  /** Shortest period of the limit, in seconds. */
  periodSecondsMin: number;
  allowedCalls: readonly AllowedCall[];
}

/** The known kind of an entry; null for a violation. Pure. */
export function classifyEntry(call: Call, operation: OperationType, policy: EntryPolicy): EntryKind | null {
  const known = operation === "CALL" ? classifyCall(call, policy) : null;
  return known ?? (isAllowed(call, operation, policy) ? "allowed" : null);
}

function classifyCall(call: Call, policy: EntryPolicy): EntryKind | null {
  const { account } = policy;
  if (call.data === "0x") return "native";
  if (call.value !== 0n) return null;
  if (call.to === account.delay) return classifyOwnerChange(call.data);
  if (call.to === account.bouncer) return isLimitWithin(call.data, policy) ? "limit" : null;
  if (call.to === account.safe || call.to === account.roles) return null;
  return isTransfer(call) ? "token" : null;
}

/** Exactly the bytes of `transfer(address,uint256)`: decoding and encoding again yields the queued bytes. */
function isTransfer(call: Call): boolean {
  const to = findRecipient(call);
  if (to === null || call.to === nativeToken || size(call.data) !== transferBytes) return false;
  const amount = BigInt(slice(call.data, transferBytes - 32));
  return buildTransfer({ token: call.to, to, amount }).data === call.data.toLowerCase();
}

const transferBytes = 4 + 2 * 32;

function classifyOwnerChange(data: Hex): EntryKind | null {
  try {
    const { functionName } = decodeFunctionData({ abi: delayAbi, data });
    if (functionName === "enableModule") return "owner.add";
    return functionName === "disableModule" ? "owner.remove" : null;
  } catch {
    return null;
  }
}

/** The module adds an instant and a period in 64 bits and reverts where they overflow: the sum of two smaller ones never does. */
const secondsEnd = 2n ** 63n;

function isLimitWithin(data: Hex, { limitMax, periodSecondsMin }: EntryPolicy): boolean {
  try {
    const decoded = decodeFunctionData({ abi: rolesAbi, data });
    if (decoded.functionName !== "setAllowance") return false;
    const [key, balance, maxRefill, refill, period, timestamp] = decoded.args;
    // The module stores a largest refill of 0 as one without end.
    const isCapped = maxRefill > 0n || refill === 0n;
    const isBounded = balance <= limitMax && maxRefill <= limitMax && refill <= limitMax;
    const isTimed = period >= BigInt(periodSecondsMin) && period < secondsEnd && timestamp < secondsEnd;
    return key === spendingAllowanceKey && isBounded && isCapped && isTimed;
  } catch {
    return false;
  }
}

const isAllowed = ({ to, value, data }: Call, operation: OperationType, { allowedCalls }: EntryPolicy): boolean =>
  value === 0n &&
  size(data) >= 4 &&
  allowedCalls.some(
    (allowed) =>
      allowed.to === to && allowed.operation === operation && slice(data, 0, 4).toLowerCase() === allowed.selector,
  );

/** An entry of no known kind in words, for operators: operation, target and selector. */
export function describeCall({ to, value, data }: Call, operation: OperationType): string {
  const selector = size(data) >= 4 ? slice(data, 0, 4) : data;
  return `${operation} of ${selector} at ${to}${value > 0n ? ` with ${value} wei` : ""}`;
}
