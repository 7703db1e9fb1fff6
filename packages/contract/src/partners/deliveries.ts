/** A delivery: one event on its way to one partner. */
import { defineMachine, type StateOf } from "../core/machine.ts";

export const deliveryMachine = defineMachine({
  name: "Delivery.status",
  initial: "PENDING",
  // A partner without an endpoint pulls.
  begins: ["KEPT"],
  states: {
    PENDING: { means: "Waits for its next attempt" },
    DELIVERED: { means: "The partner's endpoint took it" },
    FAILED: { means: "Its last attempt failed" },
    CANCELLED: { means: "The user's subscription ended before it arrived", isFinal: true },
    KEPT: { means: "Waits until the partner pulls it; the partner has no endpoint" },
  },
  transitions: [
    { from: "PENDING", to: "DELIVERED", when: "an attempt is answered with 2xx" },
    { from: "PENDING", to: "FAILED", when: "the last attempt of its schedule fails" },
    { from: "PENDING", to: "CANCELLED", when: "the subscription ends" },
    { from: "DELIVERED", to: "PENDING", when: "it is sent again" },
    { from: "FAILED", to: "PENDING", when: "it is sent again" },
    { from: "KEPT", to: "PENDING", when: "it is sent again" },
  ],
});
export type DeliveryStatus = StateOf<typeof deliveryMachine>;
