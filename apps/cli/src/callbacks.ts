import { type IssuerCallbackOutcome, issuerCallbackOutcomes } from "@cardkeep/db/schema/cards/cards";
import { listIssuerCallbacks, type ListedIssuerCallback } from "@cardkeep/domain/cards/cards/listIssuerCallbacks";
import { buildRouteMap } from "@stricli/core";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { optionalText, withJson } from "./parameters.ts";
import { renderTable } from "./print.ts";
import { joinTexts, type Text } from "./texts.ts";

const renderCallbacks = (rows: readonly ListedIssuerCallback[]): Text =>
  renderTable(
    [
      { title: "received" },
      { title: "type" },
      { title: "outcome" },
      { title: "object", optional: true },
      { title: "meaning", elastic: true },
    ],
    rows.map(({ receivedAt, type, outcome, objectId, text }) => [receivedAt, type, outcome, objectId ?? "-", text]),
    "The card issuer sent no such callback within 30 days.",
  );

export const callbacks = buildRouteMap({
  docs: { brief: "Callbacks of the card issuer" },
  routes: {
    list: buildVerb({
      verb: "callbacks.list",
      brief: "Lists callbacks of the card issuer, newest first",
      example: "callbacks list --outcome unknown",
      parameters: {
        flags: withJson({
          outcome: {
            kind: "enum",
            values: issuerCallbackOutcomes,
            optional: true,
            placeholder: "OUTCOME",
            brief: "Only callbacks with this outcome",
          },
          type: optionalText("TYPE", "Only callbacks of this type"),
          limit,
        }),
      },
      run: async (cli: CliContext, flags: { outcome?: IssuerCallbackOutcome; type?: string; limit: number }) => {
        const data = await listIssuerCallbacks(await cli.open(), flags);
        return { data, text: joinTexts(renderCallbacks(data), formatMoreHint(data, flags.limit)) };
      },
    }),
  },
});
