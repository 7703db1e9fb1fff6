import type { Services } from "../../core/services.ts";
import { describeTopUps, formatNative, readTopUps } from "../../chain/topUps/readTopUps.ts";
import { type Finding, finding } from "./finding.ts";

/** The top-up account can fill every key up, within the limit of the day. */
export async function checkTopUps(ctx: Services): Promise<Finding> {
  const state = await readTopUps(ctx);
  if (state === null) return finding("top-ups", "ok", "Off: no account that tops up is set");
  const fault = describeTopUps(state);
  const { address, balance, spent, perDayMax } = state;
  const text = `${address} holds ${formatNative(balance)} and sent ${formatNative(spent)} of ${formatNative(perDayMax)} in 24 h`;
  if (fault !== null) return finding("top-ups", "fault", fault);
  const isLow = balance < perDayMax - spent;
  return isLow
    ? finding("top-ups", "warning", `${text}: it lasts for less than the day's limit; send it native tokens`)
    : finding("top-ups", "ok", text);
}
