import { listKeyFacts, type PartnerKeyFacts as KeyFacts } from "@cardkeep/db/queries/partners/partners";
import { countSubscriptions, subscriptionsCountedMax } from "@cardkeep/db/queries/partners/subscriptions";
import type { Services } from "../../core/services.ts";

export type PartnerKeyFacts = KeyFacts;

/** The valid keys of a partner without their values, and how many users it receives events of. */
export async function describePartnerUse(
  { db, clock }: Pick<Services, "db" | "clock">,
  { id }: { id: string },
): Promise<{ now: Date; keys: PartnerKeyFacts[]; subscriptions: number; isCut: boolean }> {
  const now = await clock.now(db);
  const [keys, subscriptions] = await Promise.all([
    listKeyFacts(db, { partnerId: id, now }),
    countSubscriptions(db, id),
  ]);
  return { now, keys, subscriptions, isCut: subscriptions === subscriptionsCountedMax };
}
