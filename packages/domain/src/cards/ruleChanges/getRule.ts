/** Rules with their versions, and what the versions declined. */
import type { RuleScope } from "@cardkeep/contract/cards/cardRules";
import { fail } from "@cardkeep/contract/core/errors";
import { type CardRuleHit, countHits, listHits } from "@cardkeep/db/queries/cards/cardRules/hits";
import {
  type CardRule,
  type CardRuleVersion,
  findRule,
  listRules as listRows,
  listVersions,
  type RuleFilter,
} from "@cardkeep/db/queries/cards/cardRules/rules";
import type { Services } from "../../core/services.ts";

export interface RuleView {
  readonly rule: CardRule;
  /** Oldest first. */
  readonly versions: readonly CardRuleVersion[];
}

/** What rules are chosen by; an absent condition is none. */
export interface RuleChoice {
  scope?: RuleScope | null | undefined;
  /** Id of the partner, user or card. */
  subject?: string | null | undefined;
  after?: string | null | undefined;
  limit: number;
}

/** Rules of everybody that pass the choice, newest first. */
export const listRules = (
  { db }: Pick<Services, "db">,
  { scope, subject, after, limit }: RuleChoice,
): Promise<RuleView[]> =>
  viewRules({ db }, { scope: scope ?? null, subjectId: subject || null, ownerId: null, after: after ?? null, limit });

/** Rules of a filter with their versions. */
export async function viewRules({ db }: Pick<Services, "db">, filter: RuleFilter): Promise<RuleView[]> {
  const rules = await listRows(db, filter);
  const versions = Map.groupBy(
    await listVersions(
      db,
      rules.map(({ id }) => id),
    ),
    ({ ruleId }) => ruleId,
  );
  return rules.map((rule) => ({ rule, versions: versions.get(rule.id) ?? [] }));
}

export interface RuleDetails extends RuleView {
  /** How often each version declined, or would have in SHADOW; counting ends at `hitsCountedMax`. */
  readonly counts: readonly { readonly version: number; readonly active: number; readonly shadow: number }[];
  /** The newest. */
  readonly hits: readonly CardRuleHit[];
}

/** Hits shown with a rule. */
const hitsShownMax = 20;

/** One rule with its versions and hits. @throws rules.not_found */
export async function getRule({ db }: Pick<Services, "db">, { id }: { id: string }): Promise<RuleDetails> {
  const rule = (await findRule(db, id)) ?? fail("rules.not_found");
  const [versions, hits] = await Promise.all([
    listVersions(db, [id]),
    listHits(db, { ruleId: id, after: null, limit: hitsShownMax }),
  ]);
  const counts = await countHits(
    db,
    id,
    versions.map(({ version }) => version),
  );
  return { rule, versions, counts, hits };
}

/** The version of a number. @throws rules.not_found */
export const getVersion = ({ versions }: Pick<RuleView, "versions">, version: number): CardRuleVersion =>
  versions.find((candidate) => candidate.version === version) ?? fail("rules.not_found");
