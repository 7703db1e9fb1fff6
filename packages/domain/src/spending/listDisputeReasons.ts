import { disputeReasons } from "@cardkeep/contract/disputes";

/** Reasons for which a transaction may be disputed, with their labels. */
export const listDisputeReasons = async (): Promise<{ result: Record<string, string> }> => ({
  result: { ...disputeReasons },
});
