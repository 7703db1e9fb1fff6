import type { Executor, Tx } from "@cardkeep/db/client";

/** The service's time; in the sandbox it can be ahead of the wall clock. */
export interface Clock {
  now(on: Executor): Promise<Date>;
  /** The same, and it is not moved until the transaction ends. */
  hold(tx: Tx): Promise<Date>;
}
