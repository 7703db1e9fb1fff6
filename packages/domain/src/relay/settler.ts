/** What a mined relay transaction means is known by the noun that it was signed for; a worker hands all of them in. */
import type { ChainReceipt } from "@cardkeep/chain/log";
import type { RelayTransaction } from "@cardkeep/db/queries/relayTransactions";
import type { RelayPurpose } from "@cardkeep/db/schema/relayers";
import type { Work, WorkerContext } from "../context.ts";

/** Asks the chain what it needs, then answers what to write in the commit that settles the transaction. */
export type Settler = (
  ctx: WorkerContext,
  transaction: RelayTransaction,
  receipt: ChainReceipt,
) => Promise<(work: Work) => Promise<void>>;

/** The settler of every purpose. */
export type Settlers = Readonly<Record<RelayPurpose, Settler>>;

/** The context of what settles relay transactions. */
export interface RelayContext extends WorkerContext {
  readonly settlers: Settlers;
}
