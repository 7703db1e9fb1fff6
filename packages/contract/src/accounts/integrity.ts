/** Whether an account is still in its initial setup. */
import { defineMachine, type StateOf } from "../core/machine.ts";

/**
 * The version of the rules by which queue entries are checked. With every change of what is a violation it grows by one, and
 * the entries that were checked by an older version are checked again.
 */
export const entryPolicyVersion = 2;

/**
 * What took an account out of its known state: a queue entry of an unknown kind, a spend that moved no money, or a transaction
 * before its set-up.
 */
export const violationMachine = defineMachine({
  name: "AccountViolation.status",
  initial: "QUEUED",
  states: {
    QUEUED: { means: "An entry of an unknown kind is in the Delay module's queue: cards decline" },
    EXECUTED: {
      means: "It ran: the account is no longer reliable, and its cards decline permanently",
      isFinal: true,
    },
    CLEARED: { means: "It was skipped or expired before it could run: the account is unchanged", isFinal: true },
  },
  transitions: [
    { from: "QUEUED", to: "EXECUTED", when: "the Safe's log shows that it ran" },
    { from: "QUEUED", to: "CLEARED", when: "it expired, or was skipped" },
  ],
  undone: [
    { from: "EXECUTED", to: "QUEUED", when: "the block of its execution was removed" },
    { from: "CLEARED", to: "QUEUED", when: "the block that showed it as expired was removed" },
  ],
});
export type ViolationStatus = StateOf<typeof violationMachine>;
