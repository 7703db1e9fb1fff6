import { findSpenderFault, listContractFaults } from "@cardkeep/domain/operations/health/listContractFaults";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { Runtime } from "./compose.ts";
import { pollCheck } from "./pollCheck.ts";
import type { Life } from "./runUntilStopped.ts";

type Checked = Pick<Runtime, "services" | "log">;

/**
 * Rejects a spender that is a contract, and logs shared contracts with unknown code.
 *
 * Without an answer of the node the process still starts, and the log says so. The check is then repeated until the node
 * answers; a rejected spender ends the process.
 * @throws Error naming the spender
 */
export async function checkContracts(checked: Checked, { stopping, fail }: Life): Promise<void> {
  if (await isChecked(checked)) return;
  checked.log.warn({}, "The node does not answer, so the contracts and the spender were not checked. Trying again");
  void repeat(checked, stopping).catch(fail);
}

async function repeat(checked: Checked, stopping: AbortSignal): Promise<void> {
  if (await pollCheck(() => isChecked(checked), stopping))
    checked.log.info({}, "The contracts and the spender were checked");
}

/** False if the node does not answer. */
async function isChecked({ services, log }: Checked): Promise<boolean> {
  try {
    const [spenderFault, faults] = await Promise.all([findSpenderFault(services), listContractFaults(services)]);
    if (spenderFault !== null) throw new Error(spenderFault);
    for (const fault of faults) log.error({}, fault);
    return true;
  } catch (error) {
    if (error instanceof ChainUnavailable) return false;
    throw error;
  }
}
