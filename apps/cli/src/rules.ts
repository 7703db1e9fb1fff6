import {
  ruleDefinition,
  type RuleDefinition,
  type RuleScope,
  ruleScopes,
  type RuleState,
} from "@cardkeep/contract/cards/cardRules";
import { parseJsonText } from "@cardkeep/contract/core/text";
import { getRule, listRules } from "@cardkeep/domain/cards/ruleChanges/getRule";
import {
  backtestDays,
  backtestVersion,
  createRule,
  deleteRule,
  draftVersion,
  newRule,
  setRuleState,
} from "@cardkeep/domain/cards/ruleChanges/changeRules";
import { buildRouteMap } from "@stricli/core";
import { z } from "zod";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { describeIssue } from "./describeIssue.ts";
import { UsageError } from "./errors.ts";
import { formatMoreHint, limit } from "./lists.ts";
import {
  optionalText,
  parseBy,
  parseInput,
  parseNumber,
  parseText,
  textArgument,
  withJson,
  withReason,
} from "./parameters.ts";
import { renderBacktest, renderDetails, renderVersions } from "./renderRules.ts";
import { joinTexts } from "./texts.ts";

/** @throws UsageError for a file that holds no definition */
async function readDefinition(path: string): Promise<RuleDefinition> {
  let given: unknown;
  try {
    given = parseJsonText(await Bun.file(path).text());
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : "cannot be read"}`);
  }
  const parsed = ruleDefinition.safeParse(given, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`${path}: ${[issue?.path.join("."), issue?.message].filter(Boolean).join(": ")}`);
}

const parseVersion = parseBy(z.int().min(1), parseNumber);

/** @throws UsageError for another text than a number */
function readVersion(text: string): number {
  try {
    return parseVersion(text);
  } catch (error) {
    throw new UsageError(`Invalid value "${text}" for <version>: ${error instanceof Error ? error.message : ""}`);
  }
}
const ruleArgument = textArgument("rule", "Id of the rule");
const versionArguments = {
  kind: "tuple",
  parameters: [
    { parse: parseText, placeholder: "rule", brief: "Id of the rule" },
    { parse: parseText, placeholder: "version", brief: "Number of the version" },
  ],
} as const;
const scope = {
  kind: "enum",
  values: ruleScopes,
  optional: true,
  placeholder: "SCOPE",
  brief: `Whose cards: ${ruleScopes.join(", ")}`,
} as const;

const buildState = (verb: "rules.shadow" | "rules.activate" | "rules.deactivate", state: RuleState, brief: string) =>
  buildChange({
    verb,
    brief,
    example: `${verb.replace(".", " ")} 3f1c9a52 1`,
    parameters: { flags: withReason({}), positional: versionArguments },
    run: async (cli: CliContext, _: object, id: string, text: string) => {
      const version = readVersion(text);
      const data = await setRuleState(await cli.open(), { id, version, state });
      return { data, text: renderVersions([data]) };
    },
  });

export const rules = buildRouteMap({
  docs: { brief: "Card rules: which payments are declined, with versions and back-tests" },
  routes: {
    list: buildVerb({
      verb: "rules.list",
      brief: "Lists rules with their versions, newest first",
      example: "rules list --scope programme",
      parameters: {
        flags: withJson({ scope, subject: optionalText("ID", "Only rules about this partner, user or card"), limit }),
      },
      run: async (cli: CliContext, flags: { scope?: RuleScope; subject?: string; limit: number }) => {
        const data = await listRules(await cli.open(), flags);
        return { data, text: joinTexts(renderVersions(data), formatMoreHint(data, flags.limit)) };
      },
    }),
    show: buildVerb({
      verb: "rules.show",
      brief: "Shows a rule with its versions and what they declined",
      example: "rules show 3f1c9a52",
      parameters: { flags: withJson({}), positional: ruleArgument },
      run: async (cli: CliContext, _: object, id: string) => {
        const data = await getRule(await cli.open(), { id });
        return { data, text: renderDetails(data) };
      },
    }),
    create: buildChange({
      verb: "rules.create",
      brief: "Creates a rule with the definition of a JSON file; its first version is INACTIVE",
      details:
        'The file holds the conditions, all of which have to hold, such as\n{ "conditions": [{ "type": "mcc", "operator": "in", "values": ["7995"] }] }',
      example: "rules create no-gambling.json --name No-gambling",
      parameters: {
        flags: withReason({
          scope: { ...scope, brief: `Whose cards: ${ruleScopes.join(", ")}; programme if not given` },
          subject: optionalText("ID", "The partner, user or card that it is about"),
          name: { kind: "parsed", parse: parseText, placeholder: "TEXT", brief: "A name for people" },
        }),
        positional: textArgument("file", "Path of the JSON file"),
      },
      run: async (cli: CliContext, flags: { scope?: RuleScope; subject?: string; name: string }, file: string) => {
        const definition = await readDefinition(file);
        const { scope: given = "programme", subject, name } = flags;
        const input = parseInput(newRule, { scope: given, subject, name, definition });
        const data = await createRule(await cli.open(), input);
        return { data, text: renderVersions([data]) };
      },
    }),
    draft: buildChange({
      verb: "rules.draft",
      brief: "Adds a version to a rule with the definition of a JSON file; it is INACTIVE",
      example: "rules draft 3f1c9a52 no-gambling.json",
      parameters: {
        flags: withReason({}),
        positional: {
          kind: "tuple",
          parameters: [
            { parse: parseText, placeholder: "rule", brief: "Id of the rule" },
            { parse: parseText, placeholder: "file", brief: "Path of the JSON file" },
          ],
        },
      },
      run: async (cli: CliContext, _: object, id: string, file: string) => {
        const definition = await readDefinition(file);
        const data = await draftVersion(await cli.open(), { id, definition });
        return { data, text: renderVersions([data]) };
      },
    }),
    shadow: buildState("rules.shadow", "SHADOW", "Lets a version record what it would decline; it declines nothing"),
    activate: buildState("rules.activate", "ACTIVE", "Lets a version decline; the version before it becomes INACTIVE"),
    deactivate: buildState("rules.deactivate", "INACTIVE", "Ends what a version does"),
    delete: buildChange({
      verb: "rules.delete",
      brief: "Deletes a rule with its versions; what it declined stays with the payments",
      example: "rules delete 3f1c9a52",
      parameters: { flags: withReason({}), positional: ruleArgument },
      run: async (cli: CliContext, _: object, id: string) => {
        await deleteRule(await cli.open(), { id });
        return { data: { id }, text: `The rule ${id} is deleted.\n` };
      },
    }),
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
  },
});
