import { type DisputeReason, disputeReasons } from "@cardkeep/contract/core/disputeReasons";
import type { Commit, UserContext } from "../../core/context.ts";
import { beginDispute } from "./beginDispute.ts";
import { nameOriginal } from "./originalPayment.ts";
import { getOwnPayment } from "./getOwnPayment.ts";

/**
 * Disputes a transaction, once.
 *
 * @throws transactions.not_found, transactions.declined, transactions.no_money, transactions.already_disputed
 */
export async function disputePayment(
  ctx: UserContext,
  { threadId, disputeReason }: { threadId: string; disputeReason: DisputeReason },
): Promise<Commit<{ message: string }>> {
  const found = await getOwnPayment(ctx, threadId);
  return async (work) => {
    await nameOriginal(ctx, work, await beginDispute(work, found, disputeReason));
    return { message: "Dispute submitted for review" };
  };
}

/** Reasons for which a transaction may be disputed, with their labels. */
export const listDisputeReasons = async (): Promise<{ result: Record<string, string> }> => ({
  result: { ...disputeReasons },
});
