import { findSpenderFault, listContractFaults } from "@cardkeep/domain/health/contracts";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { Runtime } from "./compose.ts";

/**
 * Refuses to start with a spender that is a contract, and logs shared contracts whose code is unknown.
 *
 * A node that does not answer stops no start: the log says so, and `cardkeep doctor` looks again.
 *
 * @throws Error naming the spender
 */
export async function checkContracts({ services, log }: Pick<Runtime, "services" | "log">): Promise<void> {
  try {
    const [spenderFault, faults] = await Promise.all([findSpenderFault(services), listContractFaults(services)]);
    if (spenderFault !== null) throw new Error(spenderFault);
    for (const fault of faults) log.error({}, fault);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    log.warn({}, "The node does not answer, so the contracts and the spender were not checked: run `cardkeep doctor`");
  }
}
