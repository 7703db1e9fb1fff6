import type { Executor, Tx } from "@cardkeep/db/client";
import type { SignerState } from "@cardkeep/db/queries/chain/signers";

/** The service's time; in the sandbox it can be ahead of the wall clock. */
export interface Clock {
  now(on: Executor): Promise<Date>;
  /** The same, and it is not moved until the transaction ends. */
  hold(tx: Tx): Promise<Date>;
  /** Seconds that it is ahead of the wall clock: 0 outside the sandbox. */
  getOffsetSeconds(on: Executor): Promise<number>;
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A remote signer under watch. */
export interface SignerWatch {
  /** What its last answers show. */
  read(): SignerState;
  /** Asks for its public key, unless it answered within the last minute. Resolves after a failure too. */
  check(): Promise<void>;
}

/** What went on elsewhere for a request, from one instant to another. */
export interface Stretch {
  readonly requestId: string;
  readonly name: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly attributes: Readonly<Record<string, string | number>>;
}
