/** Changes of rules by an operator, each through the action log. */
import {
  cardRuleName,
  type RuleDefinition,
  ruleDefinition,
  type RuleScope,
  ruleScopes,
  type RuleState,
} from "@cardkeep/contract/cards/cardRules";
import { fail } from "@cardkeep/contract/core/errors";
import { findPartner } from "@cardkeep/db/queries/partners/partners";
import { z } from "zod";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import { getAnyCard } from "../cards/getAnyCard.ts";
import type { OperatorContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { resolveUser } from "../../users/users/listUsers.ts";
import { type Backtest, backtestRule } from "./backtestRule.ts";
import { getRule, getVersion, type RuleView } from "./getRule.ts";
import { lockAnyRule, removeRule, type RuleSubject, writeRule, writeState, writeVersion } from "./writeRule.ts";

/** The input of a new rule of the operator; `subject` names the partner, user or card. */
export const newRule = z.object({
  scope: z.enum(ruleScopes),
  subject: z.string().min(1).optional(),
  name: cardRuleName,
  definition: ruleDefinition,
});
export type OperatorRule = z.output<typeof newRule>;

/** Days of payments that a back-test plays, and how many it may. */
export const backtestDays = { default: 30, max: 730 } as const;

/** @throws rules.subject_not_found, users.not_found, cards.not_found */
async function findSubject(
  { db }: Pick<Services, "db">,
  { scope, subject }: Pick<OperatorRule, "scope" | "subject">,
): Promise<RuleSubject> {
  if (scope === "programme") return { scope, subjectId: null, userId: null };
  if (subject === undefined) return fail("rules.subject_not_found");
  if (scope === "partner") {
    const partner = (await findPartner(db, subject)) ?? fail("rules.subject_not_found");
    return { scope, subjectId: partner.id, userId: null };
  }
  if (scope === "user") {
    const { id } = await resolveUser(db, subject);
    return { scope, subjectId: id, userId: id };
  }
  const card = await getAnyCard({ db }, { reference: subject });
  return { scope, subjectId: card.id, userId: card.userId };
}

const factsOf = (scope: RuleScope, version: number, state: RuleState) => ({ scope, version, state });

/**
 * Makes a rule with a first version in INACTIVE.
 * @throws rules.subject_not_found, users.not_found, cards.not_found
 */
export async function createRule(ctx: OperatorContext, { name, definition, ...of }: OperatorRule): Promise<RuleView> {
  const subject = await findSubject(ctx, of);
  return ctx.act("rules.create", async (work) => {
    const given = { ...subject, name, definition, owner: "operator", ownerId: null, state: "INACTIVE" } as const;
    const { rule, version } = await writeRule(work, given);
    return {
      output: { rule, versions: [version] },
      subject: { kind: "rule", id: rule.id },
      before: null,
      after: factsOf(rule.scope, 1, "INACTIVE"),
    };
  });
}

/** Adds a version to an operator's rule, in INACTIVE. @throws rules.not_found, rules.foreign */
export async function draftVersion(
  ctx: OperatorContext,
  { id, definition }: { id: string; definition: RuleDefinition },
): Promise<RuleView> {
  return ctx.act("rules.draft", async (work) => {
    const rule = await lockAnyRule(work, id);
    if (rule.owner !== "operator") fail("rules.foreign");
    const version = await writeVersion(work, rule, definition);
    return {
      output: { rule, versions: [version] },
      subject: { kind: "rule", id },
      before: null,
      after: factsOf(rule.scope, version.version, version.state),
    };
  });
}

const verbs = { ACTIVE: "rules.activate", SHADOW: "rules.shadow", INACTIVE: "rules.deactivate" } as const;

/**
 * Brings a version to a state; another version leaves ACTIVE or SHADOW for it. Rules of partners and users can be made
 * inactive only. A second person approves an activation: a rule can decline everybody.
 * @throws rules.not_found, rules.foreign, operators.approval_needed, request.rate_limited
 */
export async function setRuleState(
  ctx: OperatorContext,
  { id, version, state }: { id: string; version: number; state: RuleState },
): Promise<RuleView> {
  if (state === "ACTIVE") {
    getVersion(await getRule(ctx, { id }), version);
    await requireApproval(ctx, "rules.activate", {
      input: { id, version, state },
      subject: { kind: "rule", id },
    });
  }
  // Each change has every decision read the rules again.
  await ctx.rateLimits.take(ctx.policy.quotas.ruleChanges, "operators");
  return ctx.act(verbs[state], async (work) => {
    const rule = await lockAnyRule(work, id);
    if (rule.owner !== "operator" && state !== "INACTIVE") fail("rules.foreign");
    const written = await writeState(work, rule, { version, state });
    return {
      output: { rule, versions: [written.version] },
      subject: { kind: "rule", id },
      before: factsOf(rule.scope, version, written.before),
      after: factsOf(rule.scope, version, state),
    };
  });
}

/** Deletes a rule of any owner with its versions. @throws rules.not_found */
export async function deleteRule(ctx: OperatorContext, { id }: { id: string }): Promise<void> {
  await ctx.act("rules.delete", async (work) => {
    const rule = await lockAnyRule(work, id);
    await removeRule(work, rule);
    const { owner, ownerId, scope, subjectId, name } = rule;
    return {
      output: undefined,
      subject: { kind: "rule", id },
      before: { owner, ownerId, scope, subjectId, name },
      after: null,
    };
  });
}

/** Tries a version of any rule on our own past payments. @throws rules.not_found */
export async function backtestVersion(
  ctx: Pick<Services, "db" | "clock">,
  { id, version, days, budgetMs }: { id: string; version: number; days: number; budgetMs: number | null },
): Promise<Backtest> {
  const details = await getRule(ctx, { id });
  const { definition } = getVersion(details, version);
  return backtestRule(ctx, { definition, subject: details.rule }, { days, budgetMs });
}
