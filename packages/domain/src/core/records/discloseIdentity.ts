import { addIdentityReceiver, removeIdentityReceiver } from "@cardkeep/db/queries/users/records";
import type { IdentityReceiver } from "@cardkeep/db/schema/users/records";
import type { Services } from "../services.ts";

/**
 * Records that a partner receives a person's verified identity, before the call that sends it: a lost answer leaves a receiver too
 * many and none too few. Returns the instant.
 */
export async function discloseIdentity(
  { db, clock }: Pick<Services, "db" | "clock">,
  userId: string,
  receiver: IdentityReceiver,
): Promise<Date> {
  const at = await clock.now(db);
  await addIdentityReceiver(db, { userId, receiver, at });
  return at;
}

/** Takes back what `discloseIdentity` recorded at an instant, where the call was refused. An earlier disclosure stays. */
export const withdrawDisclosure = (
  { db }: Pick<Services, "db">,
  userId: string,
  { receiver, at }: { receiver: IdentityReceiver; at: Date },
): Promise<void> => removeIdentityReceiver(db, { userId, receiver, at });
