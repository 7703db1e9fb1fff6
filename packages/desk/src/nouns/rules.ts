import { ruleDefinition, type RuleState, ruleScopes } from "@cardkeep/contract/cards/cardRules";
import {
  createRule,
  deleteRule,
  draftVersion,
  newRule,
  setRuleState,
} from "@cardkeep/domain/cards/ruleChanges/changeRules";
import { getRule, listRules, type RuleView } from "@cardkeep/domain/cards/ruleChanges/getRule";
import { describeRule } from "@cardkeep/domain/core/cardRules/describeRule";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import type { OperatorChange } from "@cardkeep/domain/core/operators/verbs";
import { formatCents } from "@cardkeep/domain/spending/payments/formatMoney";
import { z } from "zod";
import { Answered, defineNoun } from "../defineNoun.ts";
import { parseGiven, readDocument, readNumber } from "../input.ts";
import type { Given, Input } from "../noun.ts";
import { code, id, instant, status, text } from "../value.ts";
import { pageOfRule } from "./ruleTables.ts";

/** The states of a rule's versions that do something, or that none does. */
const stateOf = ({ versions }: RuleView): string =>
  versions
    .filter(({ state }) => state !== "INACTIVE")
    .map(({ state }) => state)
    .toSorted()
    .join(", ") || "INACTIVE";

/** What the version that decides does, otherwise the newest one. */
function describeShown({ versions }: RuleView): string | null {
  const shown = versions.find(({ state }) => state === "ACTIVE") ?? versions.at(-1);
  return shown ? describeRule(shown.definition) : null;
}

const nameOwner = ({ rule: { owner, ownerId } }: RuleView): string => [owner, ownerId].filter(Boolean).join(" ");

const version = {
  label: "Version",
  brief: "Number of the version",
  placeholder: "version",
  isNumber: true,
  isArgument: true,
  isRequired: true,
} as const satisfies Input;
const definition = {
  label: "Definition as JSON",
  brief: "Path of the JSON file",
  placeholder: "file",
  isJson: true,
  isArgument: true,
  isRequired: true,
  example: '{ "conditions": [{ "type": "mcc", "operator": "in", "values": ["7995"] }] }',
} as const satisfies Input;

/** The page and the command show what a rule is about, by the noun of its scope. */
const subjectNouns: Readonly<Record<string, string>> = { partner: "partners", user: "users", card: "cards" };

const listNewestFirst = ({ versions }: RuleView): string[] =>
  versions.toReversed().map(({ version: number }) => String(number));

const versionNumber = z.object({ version: z.int().min(1) });

const buildState = <V extends OperatorChange>(
  verb: V,
  state: RuleState,
  words: { brief: string; label: string; consequence: string },
) => ({
  verb,
  brief: words.brief,
  example: `${verb.replace(".", " ")} 3f1c9a52 1`,
  inputs: { version },
  offer: (view: RuleView) =>
    state === "INACTIVE" || view.rule.owner === "operator"
      ? {
          label: words.label,
          consequence: words.consequence,
          isDanger: state === "ACTIVE",
          choices: { version: listNewestFirst(view) },
        }
      : null,
  run: (ctx: OperatorContext, key: string, given: Given): Promise<RuleView> => {
    const { version: number } = parseGiven(versionNumber, { version: readNumber(given["version"]) });
    return setRuleState(ctx, { id: key, version: number, state });
  },
});

export const rules = defineNoun({
  name: "rules",
  title: "Card rules",
  group: "Money",
  brief: "Card rules: which payments are declined, with versions and back-tests",
  argument: { name: "rule", brief: "Id of the rule" },
  keyOf: ({ rule }: RuleView) => rule.id,
  list: {
    verb: "rules.list",
    brief: "Lists rules with their versions, newest first",
    example: "rules list --scope programme",
    lead: "A rule declines payments that meet all its conditions.",
    none: "There are no such rules.",
    hint: "Create one: `cardkeep rules create --help` shows how.",
    filters: {
      scope: {
        label: "Whose cards",
        brief: `Whose cards: ${ruleScopes.join(", ")}`,
        placeholder: "SCOPE",
        values: ruleScopes,
        isTab: true,
      },
      subject: {
        label: "Id of a partner, user or card",
        brief: "Only rules about this partner, user or card",
        placeholder: "ID",
      },
    },
    columns: [
      { name: "Rule", of: ({ rule }) => id(rule.id, "rules") },
      { name: "Name", of: ({ rule }) => text(rule.name, "stranger") },
      { name: "State", of: (view) => status(stateOf(view)) },
      { name: "Of", of: ({ rule }) => text([rule.scope, rule.subjectId].filter(Boolean).join(" ")) },
      { name: "What it does", of: (view) => text(describeShown(view), "stranger"), terminal: "elastic" },
      { name: "Owner", of: (view) => text(nameOwner(view)), terminal: "optional" },
      { name: "Made", of: ({ rule }) => instant(rule.createdAt), terminal: "hidden" },
    ],
    read: (ctx, choice): Promise<readonly RuleView[]> => listRules(ctx, choice),
  },
  show: {
    verb: "rules.show",
    brief: "Shows a rule with its versions and what they declined",
    example: "rules show 3f1c9a52",
    title: "Card rule",
    read: (ctx, key) => getRule(ctx, { id: key }),
    rowOf: (shown) => shown,
    page: pageOfRule,
    fields: (shown) => {
      const { rule, versions, counts, hits } = shown;
      return [
        ["Rule", code(rule.id)],
        ["Name", text(rule.name, "stranger")],
        ["Whose cards", text(rule.scope)],
        ["Subject", id(rule.subjectId, subjectNouns[rule.scope] ?? null)],
        ["User", id(rule.userId, "users")],
        ["Owner", text(nameOwner(shown))],
        ["Made", instant(rule.createdAt)],
        [
          "Versions",
          versions.map(({ version: number, state, definition: given }) =>
            text(`${number}  ${state}  ${describeRule(given)}`, "stranger"),
          ),
        ],
        [
          "Declined",
          counts.map(({ version: number, active, shadow }) =>
            text(`version ${number}: ${active} payments; would have declined ${shadow}`),
          ),
        ],
        [
          "Newest hits",
          hits.map(({ paymentId, state, amountCents, currency }) =>
            code(paymentId, `${state} ${formatCents(amountCents, currency)}`),
          ),
        ],
      ];
    },
  },
  acts: {
    create: {
      verb: "rules.create",
      brief: "Creates a rule with the definition of a JSON file; its first version is INACTIVE",
      details:
        'The file holds the conditions, all of which have to hold, such as\n{ "conditions": [{ "type": "mcc", "operator": "in", "values": ["7995"] }] }',
      example: "rules create no-gambling.json --name No-gambling",
      isKeyless: true,
      label: "Make a rule",
      consequence: "Its first version is inactive. Try it on past payments, let it run in SHADOW, then activate it.",
      inputs: {
        scope: {
          label: "Whose cards",
          brief: `Whose cards: ${ruleScopes.join(", ")}; programme if not given`,
          placeholder: "SCOPE",
          values: ruleScopes,
          example: "programme",
        },
        subject: {
          label: "Partner, user or card",
          brief: "The partner, user or card that it is about",
          placeholder: "ID",
        },
        name: { label: "Name", brief: "A name for people", placeholder: "TEXT", isRequired: true },
        definition,
      },
      run: (ctx, _, { scope, subject, name, definition: given }) =>
        createRule(
          ctx,
          parseGiven(newRule, {
            scope: scope || "programme",
            subject: subject || undefined,
            name,
            definition: readDocument("definition", given),
          }),
        ),
    },
    draft: {
      verb: "rules.draft",
      brief: "Adds a version to a rule with the definition of a JSON file; it is INACTIVE",
      example: "rules draft 3f1c9a52 no-gambling.json",
      inputs: { definition },
      offer: ({ rule, versions }) =>
        rule.owner === "operator"
          ? {
              label: "Add a version",
              consequence: "It is inactive until you activate it.",
              present: { definition: JSON.stringify(versions.at(-1)?.definition ?? {}, null, 2) },
            }
          : null,
      run: (ctx, key, { definition: given }) =>
        draftVersion(ctx, { id: key, definition: parseGiven(ruleDefinition, readDocument("definition", given)) }),
    },
    shadow: buildState("rules.shadow", "SHADOW", {
      brief: "Lets a version record what it would decline; it declines nothing",
      label: "Run a version in SHADOW",
      consequence: "What it would decline is recorded, and nothing is declined by it.",
    }),
    activate: buildState("rules.activate", "ACTIVE", {
      brief: "Lets a version decline; the version before it becomes INACTIVE",
      label: "Activate a version",
      consequence: "It declines from the next decision on. The version before it becomes inactive.",
    }),
    deactivate: buildState("rules.deactivate", "INACTIVE", {
      brief: "Ends what a version does",
      label: "End a version",
      consequence: "It declines and records nothing any more.",
    }),
    delete: {
      verb: "rules.delete",
      brief: "Deletes a rule with its versions; what it declined stays with the payments",
      example: "rules delete 3f1c9a52",
      leadsToList: true,
      offer: () => ({
        label: "Delete the rule",
        consequence: "It ends with its versions. What it declined stays with the payments.",
        isDanger: true,
      }),
      run: async (ctx, key) => {
        await deleteRule(ctx, { id: key });
        return new Answered(key, { id: key }, [["Deleted rule", code(key)]]);
      },
    },
  },
});
