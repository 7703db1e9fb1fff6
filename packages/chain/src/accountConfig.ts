import type { Address } from "@cardkeep/contract/core/primitives";

/** The configuration of an account; every field except the limit is permanent. */
export interface AccountConfig {
  token: Address;
  /** The amount that the spender may move each period, in the token's base units. */
  dailyLimit: bigint;
  periodSeconds: number;
  /** Unix seconds from which the periods are counted; 0 means the time of the set-up. */
  allowanceStartsAt: number;
  cooldownSeconds: number;
  /**
   * At least 60. With 0 calls would never expire, and a call that cannot succeed would block the account permanently.
   */
  expirationSeconds: number;
  spender: Address;
  /** The only address that the spender can pay. */
  settlement: Address;
}
