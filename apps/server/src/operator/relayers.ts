/** The relayer keys: their lanes and funds. */
import { listRelayers } from "@cardkeep/domain/health/listRelayers";
import { formatLaneState, formatUnits } from "@cardkeep/domain/wording";
import { markup } from "@cardkeep/html/markup";
import type { ShowPage } from "./page.ts";
import { renderCode, renderCount, renderTable } from "./parts.ts";

const nativeDecimals = 18;

export const showRelayers: ShowPage = async ({ ctx }) => {
  const rows = (await listRelayers(ctx)).map((relayer) => [
    renderCode(relayer.address),
    `${formatLaneState(relayer.state)}${relayer.isConfigured ? "" : ", not in the settings"}`,
    String(relayer.nextNonce),
    String(relayer.chainNonce),
    relayer.openCount,
    relayer.nonceGap === 0n ? "none" : markup`<span class="status bad">${String(relayer.nonceGap)}</span>`,
    formatUnits(relayer.balance, nativeDecimals),
    `${renderCount(relayer.operationsFunded)} operations`,
  ]);
  return {
    title: "Relayers",
    body: markup`<p class="lead">
        Each key is a lane: a Safe always uses the same one. A gap is reserved nonces without a transaction.
        Later transactions of this key wait until the gap is filled.
      </p>
      ${renderTable(
        ["Relayer", "State", "Next nonce", "On chain", "Under way", "Gap", "Native tokens", "Pays for"],
        rows,
        "No relayer is configured.",
      )}`,
  };
};
