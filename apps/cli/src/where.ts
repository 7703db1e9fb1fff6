/** `cardkeep where`: the installation that the commands reach from here. */
import { formatNodes, parseDatabaseAddress } from "@cardkeep/db/databaseAddress";
import { readOperatorSettings } from "@cardkeep/runtime/local";
import type { Origin } from "@cardkeep/runtime/settings";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { withJson } from "./parameters.ts";
import { renderTable } from "./print.ts";

const meanings: Readonly<Record<Origin, string>> = {
  given: "the environment says so",
  found: "a start runs there",
  guessed: "a guess: commands that change something refuse it",
};

export const where = buildVerb({
  verb: "where.run",
  brief: "Prints which installation the commands reach, and how it was found",
  details:
    "An address comes from the environment, then from the start that runs in CARDKEEP_HOME, then from the default ports. What is at a\n" +
    "default port may be another installation's.",
  example: ["where", "where --json"],
  parameters: { flags: withJson({}) },
  run: async (_: CliContext) => {
    const { origins, port, sandboxPort, databaseUrl = "", rpcUrl = "", home } = readOperatorSettings();
    const addresses = {
      database: formatNodes(parseDatabaseAddress(databaseUrl)),
      service: `http://localhost:${port}`,
      sandbox: `http://localhost:${sandboxPort}`,
    };
    const rows = (["database", "service", "sandbox"] as const).map((part) => [
      part,
      addresses[part],
      meanings[origins[part]],
    ]);
    const nodes = rpcUrl.split(",").map((url) => new URL(url).host);
    return {
      data: { ...addresses, nodes, home, origins },
      text: renderTable([{ title: "part" }, { title: "address" }, { title: "found by" }], rows, ""),
    };
  },
});
