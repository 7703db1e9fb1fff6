import type { StopSwitch } from "@cardkeep/db/queries/operators/stops";
import type { StopName } from "@cardkeep/db/schema/operators/stops";
import { formatInstant } from "../../core/wording.ts";

/** What a switch stops, as the subject of a sentence, and what goes on. */
export const stopTexts: Readonly<Record<StopName, { subject: string; effect: string }>> = {
  "sign-ups": { subject: "Sign-ups", effect: "New people cannot sign up. Users sign in as before." },
  "card-payments": {
    subject: "Card payments",
    effect:
      "Every authorization is declined, and every person becomes inactive at the card issuer. Approved payments are settled, and refunds arrive.",
  },
  "card-orders": {
    subject: "Card orders",
    effect: "No card can be ordered, and no virtual card made without an order. Accepted orders go on.",
  },
  withdrawals: {
    subject: "Withdrawals",
    effect:
      "No withdrawal is accepted. Accepted ones execute. Users own their Safes: an owner can still queue a withdrawal on chain.",
  },
  deliveries: {
    subject: "Deliveries",
    effect: "No event is sent to partners. They wait, count as no attempt, and partners can pull them.",
  },
  treasury: {
    subject: "Moves of the treasury",
    effect:
      "No sweep, redeem or contribution begins, and the spender's approval is not renewed. What was signed goes on, and refunds within the approval too.",
  },
};

/** A stopped part in a sentence, for the operator. */
export const describeStop = ({ name, reason, operator, stoppedAt }: StopSwitch): string =>
  `${stopTexts[name].subject} are stopped since ${formatInstant(stoppedAt)} by ${operator}: ${reason}`;

/** All that is stopped in one line; null where nothing is. */
export const describeStopped = (stopped: readonly StopSwitch[]): string | null =>
  stopped.length === 0 ? null : stopped.map(describeStop).join("; ");
