/** What an account is made of, where its parts will be, and the one transaction that brings it about. */
import type { Address, Hex } from "@cardkeep/contract/primitives";
import { populateAccountCreation, predictAccountAddress, predictAddresses } from "@gnosispay/account-kit";
import { LRUCache } from "lru-cache";
import { getAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Call } from "./call.ts";
import { buildMulticall } from "./multicall.ts";
import { parseHex } from "./hex.ts";
import { buildSafeExecution } from "./safeTransaction.ts";
import { type AccountConfig, buildSetUp } from "./setup.ts";

/** The four contracts of an account; the last three follow from the Safe's address. */
export interface AccountAddresses {
  safe: Address;
  delay: Address;
  roles: Address;
  bouncer: Address;
}

/** A prediction takes the SDK about a millisecond, and the same Safes are asked for again and again. */
const predictionsMax = 10_000;
const predictions = new LRUCache<Address, Omit<AccountAddresses, "safe">>({ max: predictionsMax });

/** Addresses of the account whose Safe is created for `creator` with a nonce, whether it is there yet or not. */
export function predictAccount(input: { creator: Address; saltNonce: bigint }): AccountAddresses {
  const safe = getAddress(predictAccountAddress({ owner: input.creator, creationNonce: input.saltNonce }));
  return { safe, ...predictModules(safe) };
}

/** Addresses of the modules of a Safe and of their Bouncer, whether they are there yet or not. */
export function predictModules(safe: Address): Omit<AccountAddresses, "safe"> {
  const known = predictions.get(safe);
  if (known) return known;
  const { delay, roles, bouncer } = predictAddresses(safe);
  const modules = { delay: getAddress(delay), roles: getAddress(roles), bouncer: getAddress(bouncer) };
  predictions.set(safe, modules);
  return modules;
}

/** The call, sendable by anyone, that creates a Safe whose only owner is `creator`; sent twice it reverts. */
export function buildCreation(input: { creator: Address; saltNonce: bigint }): Call {
  const { to, data } = populateAccountCreation({ owner: input.creator, creationNonce: input.saltNonce });
  return { to: getAddress(to), value: 0n, data: parseHex(data) };
}

/**
 * The call, sendable by anyone, after which the account stands and only its owners can move it.
 *
 * Atomic: the Safe is created for the operator and handed over in the same transaction, and sent twice it reverts.
 * `present` tells which parts have code already. Their addresses commit to their set-up, so a stranger who deployed
 * them did no harm, but deploying them again would revert.
 *
 * @throws Error without owners
 */
export async function buildDeployment(input: {
  operatorPrivateKey: Hex;
  chainId: number;
  saltNonce: bigint;
  owners: readonly Address[];
  config: AccountConfig;
  present: { safe: boolean; delay: boolean; roles: boolean; bouncer: boolean };
}): Promise<Call> {
  const operator = privateKeyToAccount(input.operatorPrivateKey);
  const creator = operator.address;
  const { safe } = predictAccount({ creator, saltNonce: input.saltNonce });
  const typed = await buildSetUp({ ...input, safe, creator });
  const setUp = buildSafeExecution(typed, await operator.signTypedData(typed));
  if (input.present.safe) return setUp;
  return buildMulticall([buildCreation({ creator, saltNonce: input.saltNonce }), setUp]);
}
