/** Every state machine of the service. */
import { cardMachine } from "./cards.ts";
import { delayMachine } from "./delays.ts";
import { disputeMachine } from "./disputes.ts";
import { ibanMachine } from "./ibans.ts";
import { violationMachine } from "./integrity.ts";
import { kycMachine } from "./kyc.ts";
import type { Machine } from "./machine.ts";
import { orderMachine } from "./orders.ts";
import { safeMachine } from "./safes.ts";
import { paymentMachine, transferMachine } from "./spending.ts";

export const machines: readonly Machine[] = [
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
];
