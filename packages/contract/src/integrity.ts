/** Whether an account is still as it was set up. */
import { defineMachine, type StateOf } from "./machine.ts";

/** What took an account out of its known state: a queue entry of no known kind, or a spend that moved nothing. */
export const violationMachine = defineMachine({
  name: "AccountViolation.status",
  initial: "QUEUED",
  states: {
    QUEUED: { means: "An entry of no known kind waits in the Delay module's queue: cards decline" },
    EXECUTED: {
      means: "It ran: the account cannot be relied upon any more, and its cards decline for good",
      isFinal: true,
    },
    CLEARED: { means: "It was skipped or expired before it could run: the account is as it was", isFinal: true },
  },
  transitions: [
    { from: "QUEUED", to: "EXECUTED", when: "the Safe's log shows that it ran" },
    { from: "QUEUED", to: "CLEARED", when: "it expired, or was skipped" },
  ],
  undone: [
    { from: "EXECUTED", to: "QUEUED", when: "the block of its execution is gone" },
    { from: "CLEARED", to: "QUEUED", when: "the block that showed it as expired is gone" },
  ],
});
export type ViolationStatus = StateOf<typeof violationMachine>;
