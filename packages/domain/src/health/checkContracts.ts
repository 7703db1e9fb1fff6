/** The checks of contracts, spender and relayers on chain. */
import type { Services } from "../services.ts";
import type { Health } from "./checkHealth.ts";
import { type Finding, finding } from "./finding.ts";
import { findSpenderFault, listContractFaults } from "./listContractFaults.ts";
import { listRelayers } from "./listRelayers.ts";

/** The shared contracts on chain hold the expected code. */
export async function checkContracts(ctx: Services): Promise<Finding> {
  const faults = await listContractFaults(ctx);
  return faults.length === 0
    ? finding("contracts", "ok", "All shared contracts hold the code that is known of them")
    : finding("contracts", "fault", faults.join("; "));
}

/** The spender is a key. */
export async function checkSpender(ctx: Services): Promise<Finding> {
  const fault = await findSpenderFault(ctx);
  return fault === null ? finding("spender", "ok", "It is a key, not a contract") : finding("spender", "fault", fault);
}

/** A relayer without funds or with a nonce gap stops its Safes, which is a fault; one with few funds left is a warning. */
export async function checkRelayers(ctx: Services, { relayers }: Health["parts"]): Promise<Finding> {
  const rows = await listRelayers(ctx);
  const isStuck = rows.some(({ operationsFunded, nonceGap }) => operationsFunded === 0n || nonceGap > 0n);
  if (relayers.status !== "ok")
    return finding("relayers", isStuck ? "fault" : "warning", relayers.reason ?? relayers.status);
  const poorest = rows.reduce((a, b) => (b.operationsFunded < a.operationsFunded ? b : a));
  return finding(
    "relayers",
    "ok",
    `${rows.length}, each with funds for ${poorest.operationsFunded} operations or more`,
  );
}
