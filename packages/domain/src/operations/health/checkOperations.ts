/** The checks of delayed operations on their way to the chain. */
import { measureDelays } from "@cardkeep/db/queries/operations/health";
import { readRevertedGas, sumPeople } from "../../chain/relay/readRevertedGas.ts";
import type { Services } from "../../core/services.ts";
import { formatNative } from "../../chain/topUps/readTopUps.ts";
import { type Finding, finding } from "./finding.ts";

/** Accepted operations are queued within seconds; the pauses after refused transactions are shorter too. */
const queuingSecondsMax = 600;

/** No accepted operation waits for long until it is queued on chain. */
export async function checkQueuing({ db, clock }: Services): Promise<Finding> {
  const queuing = (await measureDelays(db, await clock.now(db))).find(({ status }) => status === "QUEUING");
  if (!queuing) return finding("operations", "ok", "None waits to be queued");
  const text = `${queuing.count} wait to be queued on chain, the oldest for ${Math.round(queuing.ageSeconds)} s`;
  return queuing.ageSeconds <= queuingSecondsMax
    ? finding("operations", "ok", text)
    : finding("operations", "warning", `${text}; see \`bun run cardkeep delays list --open\``);
}

/** What transactions cost that blocks refused. */
export async function checkRevertedGas(ctx: Services): Promise<Finding> {
  const people = await readRevertedGas(ctx);
  const { cost, count, held } = sumPeople(people);
  if (count === 0) return finding("reverted gas", "ok", "Blocks refused no operation in 24 h");
  const text = `Blocks refused ${count} transactions in 24 h, which cost ${formatNative(cost)} of the native token`;
  return held === 0
    ? finding("reverted gas", "ok", text)
    : finding("reverted gas", "warning", `${text}; ${held} people wait for their budget: see /operator/relayers`);
}
