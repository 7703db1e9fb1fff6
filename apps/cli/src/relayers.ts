import { listRelayers } from "@cardkeep/domain/health/listRelayers";
import { formatUnits } from "@cardkeep/domain/wording";
import { buildRouteMap } from "@stricli/core";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { withJson } from "./parameters.ts";
import { renderTable } from "./print.ts";

const nativeDecimals = 18;

const columns = [
  { title: "address" },
  { title: "next nonce", align: "right" as const },
  { title: "on chain", align: "right" as const },
  { title: "open", align: "right" as const },
  { title: "gap", align: "right" as const },
  { title: "native tokens", align: "right" as const },
  { title: "pays for", align: "right" as const },
];

export const relayers = buildRouteMap({
  docs: { brief: "Keys that sign and pay for chain transactions" },
  routes: {
    list: buildVerb({
      brief: "Lists nonces, funds and open transactions of each relayer",
      example: "relayers list",
      parameters: { flags: withJson({}) },
      run: async (cli: CliContext) => {
        const data = await listRelayers(await cli.open());
        const rows = data.map((relayer) => [
          relayer.address,
          String(relayer.nextNonce),
          String(relayer.chainNonce),
          String(relayer.openCount),
          String(relayer.nonceGap),
          formatUnits(relayer.balance, nativeDecimals),
          String(relayer.operationsFunded),
        ]);
        return { data, text: renderTable(columns, rows, "No relayer is configured.") };
      },
    }),
  },
});
