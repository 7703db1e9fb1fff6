import { addIdentityReceiver } from "@cardkeep/db/queries/users/records";
import type { IdentityReceiver } from "@cardkeep/db/schema/users/records";
import type { Services } from "../services.ts";

/**
 * Records that a partner receives a person's verified identity, before the call that sends it: a lost answer leaves a receiver too
 * many and none too few.
 */
export async function discloseIdentity(
  { db, clock }: Pick<Services, "db" | "clock">,
  userId: string,
  receiver: IdentityReceiver,
): Promise<void> {
  await addIdentityReceiver(db, { userId, receiver, at: await clock.now(db) });
}
