/** Every state machine of the service. */
import { cardMachine } from "./cards/cards.ts";
import { delayMachine } from "./accounts/delays.ts";
import { disputeMachine } from "./spending/disputes.ts";
import { ibanMachine } from "./users/ibans.ts";
import { violationMachine } from "./accounts/integrity.ts";
import { deliveryMachine } from "./partners/deliveries.ts";
import { approvalMachine } from "./operators/approvals.ts";
import { laneMachine } from "./chain/lanes.ts";
import { kycMachine } from "./verification/kyc.ts";
import type { Machine } from "./core/machine.ts";
import { orderMachine } from "./cards/orders.ts";
import { safeMachine } from "./accounts/safes.ts";
import { paymentMachine, transferMachine } from "./spending/spending.ts";
import { treasuryMoveMachine } from "./treasury/treasuryMoves.ts";

/** Those whose states a user or a partner sees. */
export const publicMachines: readonly Machine[] = [
  delayMachine,
  safeMachine,
  violationMachine,
  kycMachine,
  orderMachine,
  cardMachine,
  ibanMachine,
  paymentMachine,
  transferMachine,
  disputeMachine,
  deliveryMachine,
];

/** Those that operators alone see. */
export const operatorMachines: readonly Machine[] = [treasuryMoveMachine, laneMachine, approvalMachine];

export const machines: readonly Machine[] = [...publicMachines, ...operatorMachines];
