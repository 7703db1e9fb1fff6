/** A lane: the transactions of one relayer's key, one nonce after the other. */
import { defineMachine, type StateOf } from "../core/machine.ts";

export const laneMachine = defineMachine({
  name: "Lane.state",
  initial: "ACTIVE",
  states: {
    ACTIVE: { means: "Takes new transactions" },
    DRAINING: { means: "Takes no new ones, and finishes those with a nonce" },
    RETIRED: { means: "Has no open transaction; it only sends its funds away" },
  },
  transitions: [
    { from: "ACTIVE", to: "DRAINING", when: "an operator takes it out of service", by: "operator" },
    { from: "DRAINING", to: "RETIRED", when: "none of its transactions is open" },
    { from: "DRAINING", to: "ACTIVE", when: "an operator takes it back", by: "operator" },
    { from: "RETIRED", to: "ACTIVE", when: "an operator takes it back", by: "operator" },
  ],
});
export type LaneState = StateOf<typeof laneMachine>;
