/** Writes of rules in the caller's commit. Each raises the stamp, so that decisions see it at once. */
import type { RuleDefinition, RuleOwner, RuleScope, RuleState } from "@cardkeep/contract/cardRules";
import { fail } from "@cardkeep/contract/errors";
import {
  type CardRule,
  type CardRuleVersion,
  findNewestVersion,
  findVersion,
  insertRule,
  insertVersion,
  lockRule,
  raiseStamp,
  setVersionState,
  sharedStamp,
} from "@cardkeep/db/queries/cardRules/rules";
import type { Work } from "../context.ts";
import { generateId } from "../generateId.ts";
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

/** Writes a rule and its first version. */
export async function writeRule(
  work: Work,
  { definition, state, ...given }: NewRule,
): Promise<{ rule: CardRule; version: CardRuleVersion }> {
  const { tx, now, requestId } = work;
  const rule = { ...given, id: generateId(), requestId, createdAt: now };
  await insertRule(tx, rule);
  const version = buildVersion(work, rule.id, 1, definition, state);
  await insertVersion(tx, version);
  await announce(work, rule);
  return { rule, version };
}

/** Writes a further version of a locked rule, in INACTIVE. */
export async function writeVersion(work: Work, rule: CardRule, definition: RuleDefinition): Promise<CardRuleVersion> {
  const newest = await findNewestVersion(work.tx, rule.id);
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

/** Locks a rule. @throws rules.not_found */
export const lockAnyRule = async ({ tx }: Pick<Work, "tx">, id: string): Promise<CardRule> =>
  (await lockRule(tx, id)) ?? fail("rules.not_found");

/** Makes decisions read the rules again, and copies their coarse part to the issuer. */
async function announce(work: Work, rule: CardRule): Promise<void> {
  await raiseStamp(work.tx, stampOf(rule));
  await mirrorChange(work, rule);
}

const stampOf = ({ userId }: Pick<CardRule, "userId">): string => userId ?? sharedStamp;

const buildVersion = (
  { now, requestId }: Work,
  ruleId: string,
  version: number,
  definition: RuleDefinition,
  state: RuleState,
): CardRuleVersion => ({ ruleId, version, state, definition, requestId, createdAt: now, stateAt: now });
