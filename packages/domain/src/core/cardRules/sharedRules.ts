import type { Reads } from "@cardkeep/db/client";
import { listSharedRules } from "@cardkeep/db/queries/cards/cardRules/liveRules";
import { LRUCache } from "lru-cache";
import { type CompiledRule, compileRule } from "./compileRule.ts";
import { orderRules } from "./orderRules.ts";

/** The compiled rules that cards share, kept by one process until their stamp changes. */
export interface SharedRules {
  /** Those about a partner's users, or about users without a partner, in their order; as new as `stamp` at least. */
  list(stamp: string, partnerId: string | null): Promise<readonly CompiledRule[]>;
}

interface Kept {
  readonly stamp: string;
  readonly rules: readonly CompiledRule[];
}

/** Partners whose rules are kept; the next decision about another one's card reads them. */
const partnersMax = 1_000;

/** Creates the rules of one process; it reads those of a partner at their first use, so that no partner's change costs another. */
export function createSharedRules(reads: Reads): SharedRules {
  const keptByPartner = new LRUCache<string, Kept>({ max: partnersMax });
  return {
    list: async (stamp, partnerId) => {
      const kept = keptByPartner.get(partnerId ?? "");
      if (kept?.stamp === stamp) return kept.rules;
      const read = await listSharedRules(reads, partnerId);
      const rules = orderRules(read.rules.map(compileRule));
      keptByPartner.set(partnerId ?? "", { stamp: read.stamp, rules });
      return rules;
    },
  };
}
