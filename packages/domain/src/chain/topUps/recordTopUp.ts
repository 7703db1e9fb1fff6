import { settleTopUp } from "@cardkeep/db/queries/chain/topUps";
import type { Settler } from "../relay/settler.ts";

/** Records a mined top-up. Where it ran in vain the balance stays low, and the next one is booked. */
export const recordTopUp: Settler = async (ctx, { subjectId }, { status, transactionHash }) => {
  if (status !== "success") ctx.log.error({ hash: transactionHash }, "A top-up ran in vain: its recipient refused it.");
  return ({ tx, now }) => settleTopUp(tx, subjectId, now, transactionHash);
};
