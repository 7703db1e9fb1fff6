/** The parts of an account and their addresses, before or after their deployment. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { LRUCache } from "lru-cache";
import { getAddress } from "viem";
import { loadAccountKit } from "./accountKit.ts";

/** The four contracts of an account. The last three follow from the Safe's address. */
export interface AccountAddresses {
  safe: Address;
  delay: Address;
  roles: Address;
  bouncer: Address;
}

/** The SDK takes 5 ms for each prediction, and the same Safes recur. */
const predictionsMax = 10_000;
const safes = new LRUCache<string, Address>({ max: predictionsMax });
const predictions = new LRUCache<Address, Omit<AccountAddresses, "safe">>({ max: predictionsMax });

/** Addresses of the account whose Safe is created for `creator` with a nonce. */
export function predictAccount(input: { creator: Address; saltNonce: bigint }): AccountAddresses {
  const key = `${input.creator}:${input.saltNonce}`;
  const safe =
    safes.get(key) ??
    getAddress(loadAccountKit().predictAccountAddress({ owner: input.creator, creationNonce: input.saltNonce }));
  safes.set(key, safe);
  return { safe, ...predictModules(safe) };
}

/** Addresses of a Safe's modules and their Bouncer. */
export function predictModules(safe: Address): Omit<AccountAddresses, "safe"> {
  const known = predictions.get(safe);
  if (known) return known;
  const { delay, roles, bouncer } = loadAccountKit().predictAddresses(safe);
  const modules = { delay: getAddress(delay), roles: getAddress(roles), bouncer: getAddress(bouncer) };
  predictions.set(safe, modules);
  return modules;
}
