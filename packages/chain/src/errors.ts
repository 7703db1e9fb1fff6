/** Errors of the chain, classified where they arise: some may be retried, others are the chain's verdict. */
import type { Hex } from "@cardkeep/contract/core/primitives";

/** The node gave no valid answer: it refused, timed out, limited the rate or answered nonsense. Try again later. */
export class ChainUnavailable extends Error {
  override name = "ChainUnavailable";
}

/** The node exceeded its time limit; so did every other one that was asked. */
export class AnswerLate extends ChainUnavailable {}

/** A signer outside of this process gave no valid signature, and nothing was sent. Try again later. */
export class SignerFailed extends Error {
  override name = "SignerFailed";
}

/** A signer answered with a signature of another key, or for other bytes. */
export class SignedWrongly extends SignerFailed {
  override name = "SignedWrongly";
}

/** The chain's verdict on a call: in the present state it reverts. */
export class CallReverted extends Error {
  override name = "CallReverted";
  /** The contract's reason, in words. */
  readonly reason: string;
  /** Name of the contract's custom error, `Error` or `Panic`, if known. */
  readonly errorName?: string;
  /** The revert data, unchanged. */
  readonly data?: Hex;
  /** The block in whose state it reverts, where one was asked for by its number. */
  readonly block?: bigint;

  constructor(input: {
    reason: string;
    errorName?: string | undefined;
    data?: Hex | undefined;
    block?: bigint | undefined;
  }) {
    super(`The call reverts: ${input.reason}`);
    this.reason = input.reason;
    if (input.errorName !== undefined) this.errorName = input.errorName;
    if (input.data !== undefined) this.data = input.data;
    if (input.block !== undefined) this.block = input.block;
  }
}

/** The nonce of a broadcast transaction is already used, by this transaction or by another one. */
export class NonceTooLow extends Error {
  override name = "NonceTooLow";
}

/** The fees are too low: for a full mempool, or to replace the transaction with this nonce that it holds. */
export class ReplacementUnderpriced extends Error {
  override name = "ReplacementUnderpriced";
}

/** The node rejected a transaction for another reason, which the message names. */
export class BroadcastRefused extends Error {
  override name = "BroadcastRefused";
}
