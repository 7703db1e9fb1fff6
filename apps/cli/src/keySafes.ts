import { type ChainKey, listChainKeys } from "@cardkeep/domain/operations/health/listChainKeys";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { withJson } from "./parameters.ts";
import { renderTable } from "./print.ts";

const columns = [
  { title: "key" },
  { title: "address" },
  { title: "state" },
  { title: "Safes that need it", align: "right" as const },
];

const renderRow = ({ kind, address, state, safeCount }: ChainKey): string[] => [
  kind,
  address,
  state,
  String(safeCount),
];

/** `keys safes`: the progress of a rotation of operator or spender. */
export const keySafes = buildVerb({
  verb: "keys.safes",
  brief: "Lists the keys of operator and spender, present and former, with the Safes that need each",
  details: "A missing key is one that no setting names. A former key that no Safe needs may leave the settings.",
  example: "keys safes",
  parameters: { flags: withJson({}) },
  run: async (cli: CliContext) => {
    const data = await listChainKeys(await cli.open());
    return { data, text: renderTable(columns, data.map(renderRow), "There are no keys.") };
  },
});
