import type { ErrorCode } from "@cardkeep/contract/core/errorCatalogue";
import { fail } from "@cardkeep/contract/core/errors";
import type { Tx } from "@cardkeep/db/client";
import { holdStopSwitch, isStopped } from "@cardkeep/db/queries/operators/stops";

/**
 * The parts whose requests are refused while they are stopped, and the answer. The others obey where they are carried out:
 * withdrawals in `acceptOperation`, card payments in `decide` and `findBlock`, deliveries in `deliver`.
 */
const refusals = {
  "sign-ups": "auth.sign_ups_stopped",
  "card-orders": "orders.stopped",
  treasury: "treasury.stopped",
} as const satisfies Record<string, ErrorCode>;

/**
 * Refuses a request while an operator has stopped its part. Nothing that passes here commits after a stop is committed.
 *
 * It is the first statement of its transaction: the switch's lock comes before row locks.
 *
 * @throws auth.sign_ups_stopped, orders.stopped, treasury.stopped
 */
export async function refuseStopped(tx: Tx, name: keyof typeof refusals): Promise<void> {
  // One connection runs them in this order, in one write.
  const [, stopped] = await Promise.all([holdStopSwitch(tx, name), isStopped(tx, name)]);
  if (stopped) fail(refusals[name]);
}
