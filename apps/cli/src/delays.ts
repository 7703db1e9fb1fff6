import { address } from "@cardkeep/contract/core/primitives";
import { summariseEffect } from "@cardkeep/domain/accounts/delays/describeOperation";
import { listOperations } from "@cardkeep/domain/accounts/delays/listOperations";
import { timeline } from "@cardkeep/domain/accounts/delays/timeline";
import { formatUnitsShort, shorten } from "@cardkeep/domain/core/wording";
import { buildRouteMap } from "@stricli/core";
import type { z } from "zod";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { optionalSwitch, parseBy, textArgument, withJson } from "./parameters.ts";
import { renderTable } from "./print.ts";
import { renderTimeline } from "./timeline.ts";
import { joinTexts } from "./texts.ts";

type Address = z.output<typeof address>;

const columns = [
  { title: "id" },
  { title: "status" },
  { title: "what", elastic: true },
  { title: "safe", optional: true },
  { title: "accepted", optional: true },
  { title: "ready" },
];

export const delays = buildRouteMap({
  docs: { brief: "Delayed operations of Safes" },
  routes: {
    list: buildVerb({
      verb: "delays.list",
      brief: "Lists delayed operations, newest first",
      example: ["delays list --open", "delays list --safe 0x34065bf1fAb232fEd6B97992B4d00Cc6A31a35C3"],
      parameters: {
        flags: withJson({
          open: optionalSwitch("Only operations that have not ended"),
          safe: {
            kind: "parsed",
            parse: parseBy(address),
            optional: true,
            placeholder: "ADDRESS",
            brief: "Only operations of this Safe",
          },
          limit,
        }),
      },
      run: async (
        cli: CliContext,
        { open = false, safe, limit: most }: { open?: boolean; safe?: Address; limit: number },
      ) => {
        const data = await listOperations(await cli.open(), {
          isOpenOnly: open,
          safeAddress: safe ?? null,
          limit: most,
        });
        const rows = data.map((row) => [
          row.id,
          row.status,
          { exact: summariseEffect(row.effect), rounded: summariseEffect(row.effect, formatUnitsShort) },
          shorten(row.safeAddress),
          row.createdAt,
          row.readyAt,
        ]);
        return {
          data,
          text: joinTexts(
            renderTable(columns, rows, "There are no such operations. A withdrawal or a new daily limit makes one."),
            formatMoreHint(data, most),
          ),
        };
      },
    }),
    show: buildVerb({
      verb: "delays.show",
      brief: "Shows the timeline of one operation, from its acceptance to its end",
      example: "delays show 01J8Z2",
      parameters: { flags: withJson({}), positional: textArgument("id", "Id of the operation") },
      run: async (cli: CliContext, _: object, id: string) => {
        const data = await timeline(await cli.open(), { id });
        return { data, text: renderTimeline(data) };
      },
    }),
  },
});
