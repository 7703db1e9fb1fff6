/** What a mined relay transaction means, by its purpose. */
import type { ChainReceipt } from "@cardkeep/chain/reader";
import type { RelayTransaction } from "@cardkeep/db/queries/relayTransactions";
import type { RelayPurpose } from "@cardkeep/db/schema/relayers";
import type { Work, WorkerContext } from "../context.ts";
import { settleDispatch } from "../delays/dispatch.ts";
import { settleEnqueue } from "../delays/settleEnqueue.ts";
import { settleDeployment } from "../safes/settleDeployment.ts";
import { settleReturn, settleSpend } from "../transactions/settleTransfer.ts";

/** Asks the chain what it needs, then answers what to write in the commit that settles the transaction. */
type Settler = (
  ctx: WorkerContext,
  transaction: RelayTransaction,
  receipt: ChainReceipt,
) => Promise<(work: Work) => Promise<void>>;

export const settlers: Readonly<Record<RelayPurpose, Settler>> = {
  "safe.deploy": (ctx, transaction) => settleDeployment(ctx, transaction.subjectId),
  "safe.create": (ctx, transaction) => settleDeployment(ctx, transaction.subjectId),
  "safe.setUp": (ctx, transaction) => settleDeployment(ctx, transaction.subjectId),
  "delay.enqueue": settleEnqueue,
  "delay.dispatch": settleDispatch,
  "delay.skip": settleDispatch,
  "delay.unblock": settleDispatch,
  "card.spend": settleSpend,
  "card.return": settleReturn,
};
