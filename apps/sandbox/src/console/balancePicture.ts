/** The balance of a Safe over time, from the token's own logs on the local chain. */
import { type TokenSymbol, tokens } from "@cardkeep/chain/tokens";
import type { Address } from "@cardkeep/contract/core/primitives";
import { formatCount, formatUnits } from "@cardkeep/domain/core/wording";
import { type Html, markup } from "@cardkeep/html/markup";
import { type BalanceStep, drawBalance } from "@cardkeep/html/pictures/balance";
import { renderFigure } from "@cardkeep/html/pictures/figure";
import { renderTable } from "@cardkeep/html/table";
import { formatNumber } from "@cardkeep/html/pictures/picture";
import { renderTime } from "@cardkeep/html/time";
import { isAddressEqual, parseAbiItem } from "viem";
import { connectNode } from "../core/minter.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const event = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");

/** Older transfers count, but are not drawn. */
const stepsMax = 60;

async function listSteps(runtime: SandboxRuntime, safe: Address, symbol: TokenSymbol): Promise<BalanceStep[]> {
  const { address, decimals } = tokens[symbol];
  const client = connectNode(runtime);
  const ask = (args: { from: Address } | { to: Address }) =>
    client.getLogs({ address, event, args, fromBlock: 0n, strict: true });
  const logs = (await Promise.all([ask({ from: safe }), ask({ to: safe })])).flat();
  let balance = 0n;
  return logs
    .toSorted((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex)
    .map(({ args: { to, value }, blockTimestamp = 0n }) => {
      const isIn = isAddressEqual(to, safe);
      balance += isIn ? value : -value;
      return {
        at: new Date(Number(blockTimestamp) * 1_000),
        balance: Number(formatUnits(balance, decimals)),
        change: `${isIn ? "+" : "-"}${formatUnits(value, decimals)} ${symbol}`,
      };
    })
    .slice(-stepsMax);
}

/** Null without a transfer, and on a chain that is not the sandbox's own. */
export async function renderBalance(
  runtime: SandboxRuntime,
  { address, tokenSymbol, now }: { address: Address; tokenSymbol: TokenSymbol; now: Date },
): Promise<Html | null> {
  if (!runtime.settings.localChain) return null;
  const steps = await listSteps(runtime, address, tokenSymbol);
  const newest = steps.at(-1);
  if (!newest) return null;
  const format = (value: number): string => `${formatNumber(value)} ${tokenSymbol}`;
  const picture = {
    name: `balance-${address}`,
    title: "Balance over time",
    summary: `${format(newest.balance)} after ${steps.length === stepsMax ? "the newest " : ""}${formatCount(steps.length, "transfer")} of the token on chain.`,
  };
  return renderFigure(picture, {
    svg: drawBalance({ ...picture, steps, now, format }),
    numbers: renderTable(
      ["Time", "Change", "Balance"],
      steps.toReversed().map(({ at, change, balance }) => [renderTime(at), change, markup`${format(balance)}`]),
    ),
  });
}
