/** Writes of rules in the caller's commit. One that changes what runs raises the stamp, so that decisions see it at once. */
import type { RuleDefinition, RuleOwner, RuleScope, RuleState } from "@cardkeep/contract/cards/cardRules";
import { fail } from "@cardkeep/contract/core/errors";
import { rulesPerSubjectMax, versionsPerRuleMax } from "@cardkeep/contract/core/ruleErrors";
import {
  type CardRule,
  type CardRuleVersion,
  countRulesOf,
  deleteOldVersions,
  deleteRule,
  findNewestVersion,
  findVersion,
  insertRule,
  insertVersion,
  lockRule,
  raiseStamp,
  setVersionState,
  stampOf,
} from "@cardkeep/db/queries/cards/cardRules/rules";
import type { Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { mirrorChange } from "../issuerControls/mirrorRules.ts";

/** Whose uses of cards a rule decides about. */
export interface RuleSubject {
  readonly scope: RuleScope;
  /** The partner, user or card; null for the programme. */
  readonly subjectId: string | null;
  /** Of a user or a card: the user. */
  readonly userId: string | null;
}

/** Who owns a rule; the operator has no id. */
export interface RuleHolder {
  readonly owner: RuleOwner;
  readonly ownerId: string | null;
}

/** A new rule with its first version. */
export interface NewRule extends RuleSubject, RuleHolder {
  readonly name: string;
  readonly definition: RuleDefinition;
  readonly state: RuleState;
}

/** Writes a rule and its first version. @throws rules.too_many */
export async function writeRule(
  work: Work,
  { definition, state, ...given }: NewRule,
): Promise<{ rule: CardRule; version: CardRuleVersion }> {
  const { tx, now, requestId } = work;
  if ((await countRulesOf(tx, given, rulesPerSubjectMax)) >= rulesPerSubjectMax) fail("rules.too_many");
  const rule = { ...given, id: generateId(), requestId, createdAt: now };
  await insertRule(tx, rule);
  const version = buildVersion(work, rule.id, 1, definition, state);
  await insertVersion(tx, version);
  if (state !== "INACTIVE") await announce(work, rule);
  return { rule, version };
}

/**
 * Writes a further version of a locked rule, in INACTIVE. Of a user's own rule old versions end.
 * @throws rules.too_many_versions
 */
export async function writeVersion(work: Work, rule: CardRule, definition: RuleDefinition): Promise<CardRuleVersion> {
  const newest = await findNewestVersion(work.tx, rule.id);
  if (newest >= versionsPerRuleMax) {
    if (rule.owner !== "user") fail("rules.too_many_versions");
    await deleteOldVersions(work.tx, { ruleId: rule.id, below: newest + 2 - versionsPerRuleMax });
  }
  const version = buildVersion(work, rule.id, newest + 1, definition, "INACTIVE");
  await insertVersion(work.tx, version);
  return version;
}

/**
 * Brings a version of a locked rule to a state. Another version that is in ACTIVE or SHADOW leaves that state.
 * @throws rules.not_found
 */
export async function writeState(
  work: Work,
  rule: CardRule,
  { version: number, state }: { version: number; state: RuleState },
): Promise<{ before: RuleState; version: CardRuleVersion }> {
  const version = (await findVersion(work.tx, rule.id, number)) ?? fail("rules.not_found");
  if (version.state === state) return { before: state, version };
  await setVersionState(work.tx, { ruleId: rule.id, version: number, state, at: work.now });
  await announce(work, rule);
  return { before: version.state, version: { ...version, state, stateAt: work.now } };
}

/** Deletes a locked rule with its versions. What they declined stays with the payments. */
export async function removeRule(work: Work, rule: CardRule): Promise<void> {
  await deleteRule(work.tx, rule.id);
  await announce(work, rule);
}

/** Locks a rule. @throws rules.not_found */
export const lockAnyRule = async ({ tx }: Pick<Work, "tx">, id: string): Promise<CardRule> =>
  (await lockRule(tx, id)) ?? fail("rules.not_found");

/** Makes decisions read the rules again, and copies their coarse part to the issuer. */
async function announce(work: Work, rule: CardRule): Promise<void> {
  await raiseStamp(work.tx, stampOf(rule));
  await mirrorChange(work, rule);
}

const buildVersion = (
  { now, requestId }: Work,
  ruleId: string,
  version: number,
  definition: RuleDefinition,
  state: RuleState,
): CardRuleVersion => ({ ruleId, version, state, definition, requestId, createdAt: now, stateAt: now });
