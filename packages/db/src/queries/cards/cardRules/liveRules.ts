/** The versions of rules that run, as decisions read them. */
import type { RuleDefinition, RuleScope, RuleState } from "@cardkeep/contract/cards/cardRules";
import type { Reads } from "../../../client.ts";

/** A version of a rule that runs. */
export interface LiveRule {
  readonly ruleId: string;
  readonly version: number;
  readonly state: Exclude<RuleState, "INACTIVE">;
  readonly scope: RuleScope;
  /** The partner, user or card; null for the programme. */
  readonly subjectId: string | null;
  readonly definition: RuleDefinition;
}

const programmeStamp = `(select coalesce(max(stamp), 0)::text from card_rule_stamps where name = 'programme')`;
/** SQL of the stamp of a partner's rules; it never changes without a partner. */
const partnerStamp = (partnerId: string): string =>
  `(select coalesce(max(stamp), 0)::text from card_rule_stamps where name = 'partner:' || ${partnerId})`;

/**
 * SQL of the two stamps of the card `c` and its user `u`: of the rules that it shares with others, and of its user's own. A
 * partner's changes raise no stamp of another partner's cards.
 */
export const ruleStamps = {
  shared: `(${programmeStamp} || '.' || ${partnerStamp("u.partner_id")})`,
  own: `(select coalesce(max(stamp), 0)::text from card_rule_stamps where name = c.user_id)`,
};

const ruleObject = `json_build_object('ruleId', r.id, 'version', v.version, 'state', v.state, 'scope', r.scope,
  'subjectId', r.subject_id, 'definition', v.definition)`;

/** SQL of the rules about the card `c` alone, or about its user. */
export const ownRules = `(select coalesce(json_agg(${ruleObject}), '[]') from card_rules r
  join card_rule_versions v on v.rule_id = r.id
  where r.user_id = c.user_id and r.subject_id in (c.user_id, c.id) and v.state in ('ACTIVE', 'SHADOW'))`;

/** The rules of the programme and of one partner, with their stamp at the same instant. */
export async function listSharedRules(
  reads: Reads,
  partnerId: string | null,
): Promise<{ stamp: string; rules: LiveRule[] }> {
  const [row] = await reads<{ stamp: string; rules: LiveRule[] }[]>`
    select ${reads.unsafe(programmeStamp)} || '.' || ${reads.unsafe(partnerStamp("u.partner_id"))} as stamp,
      (select coalesce(json_agg(${reads.unsafe(ruleObject)}), '[]') from card_rules r
        join card_rule_versions v on v.rule_id = r.id
        where (r.scope = 'programme' or r.scope = 'partner' and r.subject_id = u.partner_id)
          and v.state in ('ACTIVE', 'SHADOW')) as rules
    from (select ${partnerId}::text as partner_id) u`;
  if (!row) throw new Error("A question without a table has no answer");
  return row;
}
