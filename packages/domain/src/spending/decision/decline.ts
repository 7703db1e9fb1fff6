import type { PaymentResult } from "@cardkeep/contract/spending/cardEvents";
import { type DeclineReason, declineReasons } from "@cardkeep/contract/spending/declineReasons";

/** Why a card was declined: our code for it, and the status on the wire. */
export interface Decline {
  readonly reason: DeclineReason;
  readonly result: PaymentResult;
}

/** The decline of a reason. */
export const declineFor = (reason: DeclineReason): Decline => ({ reason, result: declineReasons[reason].result });
