import { findSpenderFault, listContractFaults } from "@cardkeep/domain/health/listContractFaults";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { Runtime } from "./compose.ts";

/**
 * Rejects a spender that is a contract, and logs shared contracts with unknown code.
 *
 * Without an answer of the node the process still starts; the log says so, and `cardkeep doctor` checks again.
 * @throws Error naming the spender
 */
export async function checkContracts({ services, log }: Pick<Runtime, "services" | "log">): Promise<void> {
  try {
    const [spenderFault, faults] = await Promise.all([findSpenderFault(services), listContractFaults(services)]);
    if (spenderFault !== null) throw new Error(spenderFault);
    for (const fault of faults) log.error({}, fault);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    log.warn({}, "The node does not answer, so the contracts and the spender were not checked. Run `cardkeep doctor`.");
  }
}
