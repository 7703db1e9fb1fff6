import { address } from "@cardkeep/contract/core/primitives";
import { listRelayers, type RelayerHealth } from "@cardkeep/domain/operations/health/listRelayers";
import { drainRelayer, type RelayerState, undrainRelayer } from "@cardkeep/domain/chain/relay/drainRelayer";
import { requestSweep } from "@cardkeep/domain/chain/relay/sweepRelayer";
import { formatLaneState, formatUnits, formatUnitsShort } from "@cardkeep/domain/core/wording";
import { buildRouteMap } from "@stricli/core";
import type { z } from "zod";
import { type Answer, buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { parseBy, withJson, withReason } from "./parameters.ts";
import { renderTable } from "./print.ts";
import type { Cell } from "./texts.ts";

type Address = z.output<typeof address>;

const nativeDecimals = 18;

const columns = [
  { title: "address" },
  { title: "state" },
  { title: "next nonce", align: "right" as const },
  { title: "on chain", align: "right" as const, optional: true },
  { title: "open", align: "right" as const },
  { title: "gap", align: "right" as const, optional: true },
  { title: "native tokens", align: "right" as const },
  { title: "pays for", align: "right" as const },
];

const renderRow = (relayer: RelayerHealth): Cell[] => [
  relayer.address,
  `${formatLaneState(relayer.state)}${relayer.isConfigured ? "" : ", no key"}`,
  String(relayer.nextNonce),
  String(relayer.chainNonce),
  String(relayer.openCount),
  String(relayer.nonceGap),
  { exact: formatUnits(relayer.balance, nativeDecimals), rounded: formatUnitsShort(relayer.balance, nativeDecimals) },
  String(relayer.operationsFunded),
];

const relayer = {
  kind: "tuple",
  parameters: [{ parse: parseBy(address), placeholder: "address", brief: "Address of the relayer" }],
} as const;

const answerState = (data: RelayerState): Answer => ({
  data,
  text: `${data.address} is ${formatLaneState(data.state)}.\n`,
});

export const relayers = buildRouteMap({
  docs: { brief: "Keys that sign and pay for chain transactions" },
  routes: {
    list: buildVerb({
      verb: "relayers.list",
      brief: "Lists state, nonces, funds and open transactions of each relayer",
      example: "relayers list",
      parameters: { flags: withJson({}) },
      run: async (cli: CliContext) => {
        const data = await listRelayers(await cli.open());
        return { data, text: renderTable(columns, data.map(renderRow), "No relayer is configured.") };
      },
    }),
    drain: buildChange({
      verb: "relayers.drain",
      brief: "Ends new transactions of a relayer; it is retired once its open ones are mined",
      details: "Keep its key in the settings until `relayers list` shows it as retired.",
      example: "relayers drain 0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      parameters: { flags: withReason({}), positional: relayer },
      run: async (cli: CliContext, _: object, of: Address) =>
        answerState(await drainRelayer(await cli.open(), { address: of })),
    }),
    undrain: buildChange({
      verb: "relayers.undrain",
      brief: "Lets a relayer take new transactions again",
      example: "relayers undrain 0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      parameters: { flags: withReason({}), positional: relayer },
      run: async (cli: CliContext, _: object, of: Address) =>
        answerState(await undrainRelayer(await cli.open(), { address: of })),
    }),
    sweep: buildChange({
      verb: "relayers.sweep",
      brief: "Sends the funds of a retired relayer to TREASURY_ADDRESS",
      details: "The worker sends them, so its settings need the key. About three times the fee stays behind.",
      example: "relayers sweep 0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      parameters: { flags: withReason({}), positional: relayer },
      run: async (cli: CliContext, _: object, of: Address) => {
        const data = await requestSweep(await cli.open(), { address: of });
        return { data, text: `The worker sends the funds of ${data.address} to ${data.treasury}.\n` };
      },
    }),
  },
});
