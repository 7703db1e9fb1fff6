/** The key of one person: what it seals ends for good, in every backup, once the key is destroyed. */
import type { Executor, Tx } from "@cardkeep/db/client";
import { findPersonKey, insertPersonKey } from "@cardkeep/db/queries/users/records";
import { randomBytes } from "node:crypto";
import { buildPrefix, createSecrets, type Secrets } from "../secrets/secrets.ts";
import type { Services } from "../services.ts";

const keyBytes = 32;
const kid = "person";

/** Whether a person's key sealed it, and not the service's. */
export const isSealedByPerson = (sealed: string): boolean => sealed.startsWith(buildPrefix(kid));

/** Opens what a person's key sealed; null where the person has none, or it is destroyed. @throws SecretUnreadable */
export async function findPersonSecrets(
  { secrets }: Pick<Services, "secrets">,
  on: Executor,
  userId: string,
): Promise<Secrets | null> {
  const sealed = await findPersonKey(on, userId);
  return sealed === null ? null : createSecrets([{ kid, k: await secrets.unseal(userId, sealed) }]);
}

/** Opens what a person's key sealed, or makes the key; the user's row lock must be held. @throws SecretUnreadable */
export async function openPersonKey(
  { secrets }: Pick<Services, "secrets">,
  { tx, now }: { tx: Tx; now: Date },
  userId: string,
): Promise<Secrets> {
  const present = await findPersonSecrets({ secrets }, tx, userId);
  if (present !== null) return present;
  const k = randomBytes(keyBytes).toString("base64url");
  await insertPersonKey(tx, { userId, sealedKey: await secrets.seal(userId, k), createdAt: now });
  return createSecrets([{ kid, k }]);
}
