/** The checks of contracts, spender and relayers on chain. */
import { listRefusedLanes } from "../../chain/relay/listRefusedLanes.ts";
import type { Services } from "../../core/services.ts";
import type { Health } from "./checkHealth.ts";
import { type Finding, finding } from "./finding.ts";
import { findSpenderFault, listContractFaults } from "./listContractFaults.ts";
import { listRelayers, type RelayerHealth } from "./listRelayers.ts";

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

/** Retired relayers whose keys may leave the settings. */
function describeRetired(rows: readonly RelayerHealth[]): string {
  const retired = rows.filter(({ state, isConfigured }) => state === "RETIRED" && isConfigured);
  return retired.length === 0
    ? ""
    : `; remove from the settings what is retired: ${retired.map(({ address }) => address).join(", ")}`;
}

/** A relayer without funds, with a nonce gap or refused by the node stops its Safes: a fault. One with few funds left is a warning. */
export async function checkRelayers(ctx: Services, { relayers }: Health["parts"]): Promise<Finding> {
  const rows = await listRelayers(ctx);
  const serving = rows.filter(({ state, isConfigured }) => isConfigured && state === "ACTIVE");
  const isStuck =
    serving.length === 0 ||
    serving.some(({ operationsFunded }) => operationsFunded === 0n) ||
    (await listRefusedLanes(ctx)).length > 0 ||
    rows.some(({ nonceGap, isConfigured, openCount }) => nonceGap > 0n || (!isConfigured && openCount > 0));
  if (relayers.status !== "ok")
    return finding("relayers", isStuck ? "fault" : "warning", relayers.reason ?? relayers.status);
  const poorest = serving.reduce((a, b) => (b.operationsFunded < a.operationsFunded ? b : a));
  return finding(
    "relayers",
    "ok",
    `${serving.length}, each with funds for ${poorest.operationsFunded} operations or more${describeRetired(rows)}`,
  );
}
