/** Faults of the chain, told apart where they are born: what may be tried again, and what is the chain's verdict. */
import type { Hex } from "@cardkeep/contract/primitives";

/** The node could not be asked: refused, timed out, rate limited, or its answer made no sense. Try again later. */
export class ChainUnavailable extends Error {
  override name = "ChainUnavailable";
}

/** The chain's verdict on a call: as things stand it reverts. */
export class CallReverted extends Error {
  override name = "CallReverted";
  /** What the contract said, in words. */
  readonly reason: string;
  /** Name of the contract's custom error, `Error` or `Panic`, where it is a known one. */
  readonly errorName?: string;
  /** The revert data as it came. */
  readonly data?: Hex;

  constructor(input: { reason: string; errorName?: string | undefined; data?: Hex | undefined }) {
    super(`The call reverts: ${input.reason}`);
    this.reason = input.reason;
    if (input.errorName !== undefined) this.errorName = input.errorName;
    if (input.data !== undefined) this.data = input.data;
  }
}

/** The nonce of a broadcast transaction is used already, by this transaction or by another one. */
export class NonceTooLow extends Error {
  override name = "NonceTooLow";
}

/** The mempool holds a transaction with this nonce whose fees a replacement does not exceed enough. */
export class ReplacementUnderpriced extends Error {
  override name = "ReplacementUnderpriced";
}

/** The node refused a transaction for another reason, which the message tells. */
export class BroadcastRefused extends Error {
  override name = "BroadcastRefused";
}
