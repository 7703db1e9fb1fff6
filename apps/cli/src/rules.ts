import { rules as noun } from "@cardkeep/desk/nouns/rules";
import { backtestDays, backtestVersion } from "@cardkeep/domain/cards/ruleChanges/changeRules";
import { z } from "zod";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { buildNoun } from "./desk.ts";
import { UsageError } from "./errors.ts";
import { parseBy, parseNumber, parseText, withJson } from "./parameters.ts";
import { renderBacktest } from "./renderBacktest.ts";

const parseVersion = parseBy(z.int().min(1), parseNumber);

/** @throws UsageError for another text than a number */
function readVersion(text: string): number {
  try {
    return parseVersion(text);
  } catch (error) {
    throw new UsageError(`Invalid value "${text}" for <version>: ${error instanceof Error ? error.message : ""}`);
  }
}
const versionArguments = {
  kind: "tuple",
  parameters: [
    { parse: parseText, placeholder: "rule", brief: "Id of the rule" },
    { parse: parseText, placeholder: "version", brief: "Number of the version" },
  ],
} as const;
export const rules = buildNoun(noun, {
  backtest: buildVerb({
    verb: "rules.backtest",
    brief: "Plays a version over the approved payments of the last days: how many it would have declined",
    waitsFor: "plays the payments of the last days",
    example: "rules backtest 3f1c9a52 1 --days 30",
    parameters: {
      flags: withJson({
        days: {
          kind: "parsed",
          parse: parseBy(z.int().min(1).max(backtestDays.max), parseNumber),
          default: String(backtestDays.default),
          placeholder: "N",
          brief: "Days to look back",
        },
      }),
      positional: versionArguments,
    },
    run: async (cli: CliContext, { days }: { days: number }, id: string, text: string) => {
      const version = readVersion(text);
      const data = await backtestVersion(await cli.open(), { id, version, days, budgetMs: null });
      return { data, text: renderBacktest(data) };
    },
  }),
});
