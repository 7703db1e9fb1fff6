/** The parts of an account, their addresses, and the one transaction that creates it. */
import type { Address } from "@cardkeep/contract/primitives";
import { populateAccountCreation, predictAccountAddress, predictAddresses } from "@gnosispay/account-kit";
import { LRUCache } from "lru-cache";
import { getAddress } from "viem";
import type { Call } from "./call.ts";
import { buildMulticall } from "./multicall.ts";
import { parseHex } from "./hex.ts";
import { buildSafeExecution } from "./safeTransaction.ts";
import { type AccountConfig, buildSetUp } from "./setup.ts";
import { type Signer, signTypedData } from "./signer.ts";

/** The four contracts of an account. The last three follow from the Safe's address. */
export interface AccountAddresses {
  safe: Address;
  delay: Address;
  roles: Address;
  bouncer: Address;
}

/** A prediction takes the SDK about a millisecond, and the same Safes recur. */
const predictionsMax = 10_000;
const predictions = new LRUCache<Address, Omit<AccountAddresses, "safe">>({ max: predictionsMax });

/** Addresses of the account whose Safe is created for `creator` with a nonce, before or after its deployment. */
export function predictAccount(input: { creator: Address; saltNonce: bigint }): AccountAddresses {
  const safe = getAddress(predictAccountAddress({ owner: input.creator, creationNonce: input.saltNonce }));
  return { safe, ...predictModules(safe) };
}

/** Addresses of a Safe's modules and their Bouncer, before or after their deployment. */
export function predictModules(safe: Address): Omit<AccountAddresses, "safe"> {
  const known = predictions.get(safe);
  if (known) return known;
  const { delay, roles, bouncer } = predictAddresses(safe);
  const modules = { delay: getAddress(delay), roles: getAddress(roles), bouncer: getAddress(bouncer) };
  predictions.set(safe, modules);
  return modules;
}

/**
 * The call that creates a Safe with `creator` as its only owner. Every account may send it; a second time it reverts.
 */
export function buildCreation(input: { creator: Address; saltNonce: bigint }): Call {
  const { to, data } = populateAccountCreation({ owner: input.creator, creationNonce: input.saltNonce });
  return { to: getAddress(to), value: 0n, data: parseHex(data) };
}

/**
 * The call that creates an account which only its owners can move. Every account may send it.
 *
 * It is atomic: the Safe is created for the operator and handed over in the same transaction. A second time it
 * reverts. `present` names the parts that already have code, because deploying them again would revert. A part's
 * address commits to its set-up, so a part that a stranger deployed is harmless.
 * @throws Error without owners; SignerFailed, SignedWrongly
 */
export async function buildDeployment(input: {
  operator: Signer;
  chainId: number;
  saltNonce: bigint;
  owners: readonly Address[];
  config: AccountConfig;
  present: { safe: boolean; delay: boolean; roles: boolean; bouncer: boolean };
}): Promise<Call> {
  const creator = input.operator.address;
  const { safe } = predictAccount({ creator, saltNonce: input.saltNonce });
  const typed = await buildSetUp({ ...input, safe, creator });
  const setUp = buildSafeExecution(typed, await signTypedData(input.operator, typed));
  if (input.present.safe) return setUp;
  return buildMulticall([buildCreation({ creator, saltNonce: input.saltNonce }), setUp]);
}
