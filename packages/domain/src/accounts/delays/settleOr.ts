import { CallReverted, ChainUnavailable } from "@cardkeep/chain/errors";
import type { WriteStep } from "../../core/context.ts";

/**
 * The writes that settle one operation of a relay transaction, or, while the chain does not show them, `later`.
 *
 * An owner decides how long the history of a Safe is, and may have code that refuses every question. A relay transaction ends without it, so that no Safe holds a nonce of
 * a lane that other Safes use.
 */
export async function settleOr(settle: () => Promise<WriteStep>, later: WriteStep): Promise<WriteStep> {
  try {
    return await settle();
  } catch (error) {
    if (error instanceof ChainUnavailable || error instanceof CallReverted) return later;
    throw error;
  }
}

/** One write after the other. */
export const inTurn =
  (...writes: readonly WriteStep[]): WriteStep =>
  async (work) => {
    for (const write of writes) await write(work);
  };
