/** The checks of clocks against each other. */
import type { Services } from "../../core/services.ts";
import { measureSkewMs, skewSecondsMax } from "./databaseClock.ts";
import { type Finding, finding } from "./finding.ts";

const seconds = (ms: number): number => Math.round(Math.abs(ms) / 1000);

/** The database's clock against this machine's. */
export const checkDatabaseClock = async ({ db }: Services): Promise<Finding> =>
  reportSkew("database clock", await measureSkewMs(db), "this machine's: set both by one time service");

/** The chain's clock against the service's time, which the sandbox may have moved ahead of this machine's together with the chain's. */
export async function checkChainClock(ctx: Services): Promise<Finding> {
  const [{ timestamp }, now] = await Promise.all([ctx.chain.getBlock(), ctx.clock.now(ctx.db)]);
  const text = "the service's: see whether the node is at the newest block, and this machine's time right";
  return reportSkew("chain clock", timestamp * 1000 - now.getTime(), text);
}

function reportSkew(check: string, skewMs: number, advice: string): Finding {
  if (seconds(skewMs) <= skewSecondsMax) return finding(check, "ok", `Within ${seconds(skewMs) + 1} s`);
  return finding(check, "warning", `${seconds(skewMs)} s ${skewMs > 0 ? "ahead of" : "behind"} ${advice}`);
}
