import type { Reads } from "@cardkeep/db/client";
import { type LiveRule, listSharedRules, noStamp } from "@cardkeep/db/queries/cardRules/liveRules";
import { type CompiledRule, compileRule } from "./compileRule.ts";
import { orderRules } from "./orderRules.ts";

/** The compiled rules of programme and partners, kept by one process until their stamp changes. */
export interface SharedRules {
  /** Those about a partner's users, or about users without a partner, in their order; as new as `stamp` at least. */
  list(stamp: string, partnerId: string | null): Promise<readonly CompiledRule[]>;
}

interface Kept {
  readonly stamp: string;
  readonly programme: readonly CompiledRule[];
  readonly partners: ReadonlyMap<string, readonly CompiledRule[]>;
}

const none: Kept = { stamp: noStamp, programme: [], partners: new Map() };

const keep = ({ stamp, rules }: { stamp: string; rules: readonly LiveRule[] }): Kept => {
  const compiled = orderRules(rules.map(compileRule));
  const ofPartners = compiled.filter(({ scope }) => scope === "partner");
  return {
    stamp,
    programme: compiled.filter(({ scope }) => scope === "programme"),
    partners: Map.groupBy(ofPartners, ({ subjectId }) => subjectId ?? ""),
  };
};

/** Creates the rules of one process; it reads them at their first use. */
export function createSharedRules(reads: Reads): SharedRules {
  let kept = none;
  const read = async () => {
    kept = keep(await listSharedRules(reads));
  };
  return {
    list: async (stamp, partnerId) => {
      if (kept.stamp !== stamp) await read();
      const ofPartner = partnerId === null ? undefined : kept.partners.get(partnerId);
      return ofPartner ? [...kept.programme, ...ofPartner] : kept.programme;
    },
  };
}
