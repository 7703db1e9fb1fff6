/** How mined relay transactions are settled. Each noun settles its own purposes; the worker hands all settlers in. */
import type { ChainReceipt } from "@cardkeep/chain/log";
import type { RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import type { RelayPurpose } from "@cardkeep/db/schema/chain/relayers";
import type { WorkerContext, WriteStep } from "../../core/context.ts";

/** Reads from the chain what it needs, and returns the writes for the commit that settles the transaction. */
export type Settler = (ctx: WorkerContext, transaction: RelayTransaction, receipt: ChainReceipt) => Promise<WriteStep>;

/** The settler of every purpose; apps/worker/src/settlers.ts lists them. */
export type Settlers = Readonly<Record<RelayPurpose, Settler>>;

/** The context of what settles relay transactions. */
export interface RelayContext extends WorkerContext {
  readonly settlers: Settlers;
}
