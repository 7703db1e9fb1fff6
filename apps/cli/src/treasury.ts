import { treasury as noun } from "@cardkeep/desk/nouns/treasury";
import { buildRouteMap, type Command } from "@stricli/core";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import {
  buildInput,
  buildNounRoutes,
  type Commands,
  describeParameters,
  type Flags,
  readWords,
  sourceOf,
} from "./desk.ts";
import { UsageError } from "./errors.ts";
import { optionalText, parseText, withJson, withReason } from "./parameters.ts";
import { renderOverview, renderRow } from "./renderNoun.ts";

const amountArgument = {
  kind: "array",
  parameter: { parse: parseText, placeholder: "amount", brief: "Amount in whole tokens, such as 12.50" },
  maximum: 1,
} as const;

/** The amount by flag or argument. @throws UsageError */
function readAmount({ amount }: Flags, [argument]: readonly string[]): string {
  if (amount !== undefined && argument !== undefined) throw new UsageError("Give the amount once");
  const given = amount ?? argument;
  if (typeof given !== "string") throw new UsageError("Give an amount, such as 12.50");
  return given;
}

/** Commands that move an amount. It may also be a flag: programs wrote it so before there was an argument. */
const buildMoves = (...names: readonly string[]): Commands =>
  Object.fromEntries(
    names.flatMap((name) => {
      const act = noun.acts[name];
      if (act === undefined) return [];
      const inputs = Object.entries(act.inputs).map(([input, shape]) => [input, buildInput(shape)] as const);
      const command: Command<CliContext> = buildChange<Flags, readonly string[]>({
        ...act,
        parameters: describeParameters({
          flags: withReason({
            amount: optionalText("AMOUNT", "Amount in whole tokens, such as 12.50, in place of the argument"),
            ...Object.fromEntries(inputs),
          }),
          positional: amountArgument,
        }),
        run: async (cli, given, ...words) => {
          const key = readAmount(given, words);
          const reason = given["reason"];
          const input = { ...readWords(act.inputs, given), ...(typeof reason === "string" && { reason }) };
          const row = await sourceOf(cli).act(noun, name, key, input);
          return { data: row.data, text: renderRow(noun, row) };
        },
      });
      return [[name, command] as const];
    }),
  );

export const treasury = buildRouteMap<string, CliContext>({
  docs: { brief: "The programme's own money: where it is, and its moves" },
  routes: {
    ...buildNounRoutes(noun),
    // Without an id it answers the programme's money, which is no row.
    show: buildVerb<object, readonly string[]>({
      verb: "treasury.show",
      brief: "Shows where the money is now, or one move",
      example: ["treasury show", "treasury show 0199d0c2"],
      parameters: {
        flags: withJson({}),
        positional: {
          kind: "array",
          parameter: { parse: parseText, placeholder: "move", brief: "Id of a move; without it, where the money is" },
          maximum: 1,
        },
      },
      run: async (cli, _, id) => {
        if (id === undefined) {
          const whole = await sourceOf(cli).overview(noun);
          return { data: whole.data, text: renderOverview(whole) };
        }
        const row = await sourceOf(cli).show(noun, id);
        return { data: row.data, text: renderRow(noun, row) };
      },
    }),
    ...buildMoves("sweep", "redeem", "fund", "contribute", "approve"),
  },
});
