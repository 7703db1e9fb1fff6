/** An approval: a verb that one operator asked for, and a second one decides on. */
import { defineMachine, type StateOf } from "../core/machine.ts";

export const approvalMachine = defineMachine({
  name: "Approval.status",
  initial: "WAITING",
  states: {
    WAITING: { means: "Waits for a second person", tone: "waiting" },
    APPROVED: { means: "A second person agreed, and the verb ran", tone: "good", isFinal: true },
    REJECTED: { means: "A second person refused", tone: "bad", isFinal: true },
    EXPIRED: { means: "No second person decided in time, or the asking one may not ask any more", isFinal: true },
  },
  transitions: [
    { from: "WAITING", to: "APPROVED", when: "another operator approves" },
    { from: "WAITING", to: "REJECTED", when: "an operator rejects" },
    { from: "WAITING", to: "EXPIRED", when: "its time is over" },
  ],
});
export type ApprovalStatus = StateOf<typeof approvalMachine>;
