/** Rules of a partner, by its API key. Users, cards and rules of others are unknown to it. */
import type { RuleDefinition, RuleState } from "@cardkeep/contract/cards/cardRules";
import { fail } from "@cardkeep/contract/core/errors";
import { findCard } from "@cardkeep/db/queries/cards/cards";
import type { CardRule, CardRuleVersion } from "@cardkeep/db/queries/cards/cardRules/rules";
import { listVersions } from "@cardkeep/db/queries/cards/cardRules/rules";
import { findSubscription } from "@cardkeep/db/queries/partners/subscriptions";
import { findUser } from "@cardkeep/db/queries/users/users";
import { describeRule } from "../../core/cardRules/describeRule.ts";
import { holdPlace } from "../../core/waits.ts";
import { type Commit, type PartnerContext, reply, type Work } from "../../core/context.ts";
import { backtestRule, type BacktestSample } from "./backtestRule.ts";
import { backtestDays } from "./changeRules.ts";
import { getRule, getVersion, viewRules } from "./getRule.ts";
import { lockAnyRule, removeRule, type RuleSubject, writeRule, writeState, writeVersion } from "./writeRule.ts";

type Ctx = PartnerContext;
type PartnerScope = "partner" | "user" | "card";

interface PartnerRule {
  id: string;
  scope: PartnerScope;
  subjectId: string | null;
  name: string;
  versions: (Pick<CardRuleVersion, "version" | "state" | "definition" | "createdAt" | "stateAt"> & {
    description: string;
  })[];
  createdAt: Date;
}

const rulesDefault = 50;
const rulesMax = 200;
/** A request is answered within ten seconds. */
const backtestMsMax = 7_000;

const buildRule = (
  { id, scope, subjectId, name, createdAt }: CardRule,
  versions: readonly CardRuleVersion[],
): PartnerRule => ({
  id,
  // A partner owns no rule of the programme.
  scope: scope === "programme" ? "partner" : scope,
  subjectId: scope === "partner" ? null : subjectId,
  name,
  createdAt,
  versions: versions.map(({ version, state, definition, createdAt: addedAt, stateAt }) => {
    return { version, state, definition, description: describeRule(definition), createdAt: addedAt, stateAt };
  }),
});

/** The partner's rules, newest first. */
export async function listPartnerRules(
  ctx: Ctx,
  { after, limit = rulesDefault }: { after?: string | undefined; limit?: number | undefined },
): Promise<{ rules: PartnerRule[] }> {
  const views = await viewRules(ctx, {
    scope: null,
    subjectId: null,
    ownerId: ctx.partnerId,
    after: after ?? null,
    limit: Math.min(limit, rulesMax),
  });
  return { rules: views.map(({ rule, versions }) => buildRule(rule, versions)) };
}

/** A user or card is the partner's if the user signed up through it. @throws rules.subject_not_found */
async function findSubject(ctx: Ctx, scope: PartnerScope, subjectId: string | undefined): Promise<RuleSubject> {
  if (scope === "partner") return { scope, subjectId: ctx.partnerId, userId: null };
  const card = scope === "card" ? await findCard(ctx.db, subjectId ?? "") : null;
  const user = await findUser(ctx.db, scope === "card" ? (card?.userId ?? "") : (subjectId ?? ""));
  if (user?.partnerId !== ctx.partnerId) return fail("rules.subject_not_found");
  return { scope, subjectId: card?.id ?? user.id, userId: user.id };
}

/** Counts a change of a partner's rules. @throws request.rate_limited */
const countChange = ({ rateLimits, policy, partnerId }: Ctx): void | Promise<void> =>
  rateLimits.take(policy.quotas.ruleChanges, `partner:${partnerId}`);

/** Makes a rule with a first version in INACTIVE. @throws rules.subject_not_found, rules.too_many, request.rate_limited */
export async function createPartnerRule(
  ctx: Ctx,
  {
    scope,
    subjectId,
    name,
    definition,
  }: { scope: PartnerScope; subjectId?: string | undefined; name: string; definition: RuleDefinition },
): Promise<Commit<PartnerRule>> {
  await countChange(ctx);
  const subject = await findSubject(ctx, scope, subjectId);
  const holder = { owner: "partner", ownerId: ctx.partnerId } as const;
  return async (work) => {
    const { rule, version } = await writeRule(work, { ...subject, ...holder, name, definition, state: "INACTIVE" });
    return buildRule(rule, [version]);
  };
}

const isOwn = ({ partnerId }: Ctx, { owner, ownerId }: CardRule): boolean =>
  owner === "partner" && ownerId === partnerId;

/** One of the partner's rules. @throws rules.not_found */
export async function getPartnerRule(ctx: Ctx, { ruleId: id }: { ruleId: string }): Promise<PartnerRule> {
  const { rule, versions } = await getRule(ctx, { id });
  return isOwn(ctx, rule) ? buildRule(rule, versions) : fail("rules.not_found");
}

/** Changes one of the partner's rules behind its lock. @throws rules.not_found, request.rate_limited */
async function changeOwn<T>(
  ctx: Ctx,
  id: string,
  change: (work: Work, rule: CardRule) => Promise<T>,
): Promise<Commit<T>> {
  await countChange(ctx);
  return async (work) => {
    const rule = await lockAnyRule(work, id);
    return isOwn(ctx, rule) ? change(work, rule) : fail("rules.not_found");
  };
}

/** The rule with all versions, once `write` is done. */
const buildAfter = async ({ tx }: Work, rule: CardRule, write: Promise<unknown>): Promise<PartnerRule> => {
  await write;
  return buildRule(rule, await listVersions(tx, [rule.id]));
};

/** Adds a version in INACTIVE. @throws rules.not_found, rules.too_many_versions, request.rate_limited */
export const addPartnerVersion = (
  ctx: Ctx,
  { ruleId, definition }: { ruleId: string; definition: RuleDefinition },
): Promise<Commit<PartnerRule>> =>
  changeOwn(ctx, ruleId, (work, rule) => buildAfter(work, rule, writeVersion(work, rule, definition)));

/** Brings a version to a state. @throws rules.not_found, request.rate_limited */
export const setPartnerRuleState = (
  ctx: Ctx,
  { ruleId, version, state }: { ruleId: string; version: number; state: RuleState },
): Promise<Commit<PartnerRule>> =>
  changeOwn(ctx, ruleId, (work, rule) => buildAfter(work, rule, writeState(work, rule, { version, state })));

/** Deletes a rule with its versions; it declines nothing any more. @throws rules.not_found, request.rate_limited */
export const deletePartnerRule = (ctx: Ctx, { ruleId }: { ruleId: string }): Promise<Commit<{ id: string }>> =>
  changeOwn(ctx, ruleId, async (work, rule) => {
    await removeRule(work, rule);
    return { id: rule.id };
  });

/**
 * Tries a version on the past payments of those of the rule's users who let the partner receive their events: figures of few
 * others would name their payments one by one. A partner runs one at a time, and those of all partners take one connection:
 * decisions need the others.
 * @throws rules.not_found, rules.not_subscribed, server.unavailable
 */
export async function backtestPartnerRule(
  ctx: Ctx,
  { ruleId: id, version, days = backtestDays.default }: { ruleId: string; version: number; days?: number | undefined },
) {
  const { rule, versions } = await getRule(ctx, { id });
  if (!isOwn(ctx, rule)) fail("rules.not_found");
  const { definition } = getVersion({ versions }, version);
  if (rule.userId !== null && !(await isSubscribed(ctx, rule.userId))) fail("rules.not_subscribed");
  return holdPlace(ctx.backtests, ctx.partnerId, async () => {
    const { ask } = ctx.backtests;
    const options = { days, budgetMs: backtestMsMax, ask, areSubscribed: true };
    const result = await backtestRule(ctx, { definition, subject: rule }, options);
    const shown = await Promise.all(result.samples.map((sample) => ask(() => findShown(ctx, sample))));
    return reply({
      ...result,
      declinedAmounts: [...result.declinedAmounts],
      samples: shown.flatMap((sample) => sample ?? []),
    });
  });
}

const isSubscribed = async ({ db, partnerId }: Ctx, userId: string): Promise<boolean> =>
  (await findSubscription(db, { userId, partnerId })) !== null;

const findShown = async (ctx: Ctx, { amountCents: amount, ...sample }: BacktestSample) =>
  (await isSubscribed(ctx, sample.userId)) ? { ...sample, amount } : null;
