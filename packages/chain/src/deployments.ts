/** Addresses of the contracts that every account shares. They are the same on every chain, also on a local one. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";

/**
 * Canonical addresses.
 *
 * Sources: safe-deployments (Safe 1.3.0, EIP-155 and canonical set), safe-singleton-factory, zodiac (module proxy
 * factory, mastercopies), multicall3.com. The predictions of account-kit use the same addresses.
 */
export const deployments = {
  /** GnosisSafe 1.3.0. */
  safeMastercopy: "0xd9Db270c1B5E3Bd161E8c8503c55cEABeE709552",
  safeProxyFactory: "0xa6B71E26C5e0845f74c812102Ca7114b6a896AB2",
  /** CompatibilityFallbackHandler 1.3.0: lets a Safe answer ERC-1271. */
  fallbackHandler: "0xf48f2B2d2a534e402487b3ee7C18c33Aec0Fe5e4",
  multiSend: "0xA238CBeb142c10Ef7Ad8442C6D1f9E89e07e7761",
  signMessageLib: "0xA65387F16B013cf2Af4605Ad8aA5ec25a2cbA3a2",
  /** CREATE2 factory of the Safe project; it deploys the Bouncer. */
  singletonFactory: "0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7",
  multicall: "0xcA11bde05977b3631167028862bE2a173976CA11",
  /** Deploys Delay and Roles as minimal proxies. */
  moduleProxyFactory: "0x000000000000aDdB49795b0f9bA5BC298cDda236",
  delayMastercopy: "0x22d903fd45F441F51bcad198D14eBa8a75EA1ef0",
  rolesMastercopy: "0x732B9E9f259fbA6f65A1a012DC89c20872ffBd2f",
} as const satisfies Record<string, Address>;

/** First and last entry of the linked lists in which Safes and modifiers store owners and modules. */
export const sentinelAddress: Address = "0x0000000000000000000000000000000000000001";

/** Key of the spender's role: keccak256 of `SPENDING_ROLE`. */
export const spendingRoleKey: Hex = "0x349476e3982666749979c85ce800cd2947a4b8dc9fe20a01a00a1b526072a8a3";

/** Key of the card's allowance: keccak256 of `SPENDING_ALLOWANCE`. */
export const spendingAllowanceKey: Hex = "0xfe687fc128d1915040376d20ccb1bf40d838ddd82bf9b0ba3da683cc2a251623";
