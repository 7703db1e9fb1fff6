/** Disputes on the wire. */
import { z } from "zod";
import { disputeMachine } from "./disputes.ts";
import { disputeReasonKeys } from "../core/disputeReasons.ts";
import { listStates } from "../core/machine.ts";
import { instant, minorAmount } from "../core/primitives.ts";

const whenOrNull = (description: string) => instant.nullable().meta({ description });

/** A dispute, as the API and events show it. */
export const disputeFields = {
  threadId: z.string().meta({ description: "The disputed payment", examples: ["iauth_1a2b3c4d5e6f708192a3b4c5"] }),
  reason: z.enum(disputeReasonKeys).meta({ description: "The reason", examples: ["charged_more_than_once"] }),
  status: z.enum(listStates(disputeMachine)).meta({ description: "How far it has come", examples: ["submitted"] }),
  amount: minorAmount.meta({ description: "The disputed amount, in minor units of `currency`" }),
  currency: z.string().meta({ description: "The card's currency, ISO 4217", examples: ["EUR"] }),
  creditedAmount: minorAmount.meta({
    description: "What the dispute has returned to the Safe, or is about to, in minor units of `currency`",
    examples: ["0"],
  }),
  lossReason: z
    .string()
    .nullable()
    .meta({ description: "The card network's reason for a loss; null if it names none", examples: ["not_cancelled"] }),
  submitBy: whenOrNull("The last instant for its submission; null until the payment is captured"),
  submittedAt: whenOrNull("When it went to the card network; null before"),
  closedAt: whenOrNull("When it ended; null before"),
  createdAt: instant.meta({ description: "When it was asked for" }),
  updatedAt: instant.meta({ description: "When it last changed" }),
};
