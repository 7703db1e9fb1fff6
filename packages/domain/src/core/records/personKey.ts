/** The key of one person: what it seals ends for good, in every backup, once the key is destroyed. */
import type { Tx } from "@cardkeep/db/client";
import { findPersonKey, insertPersonKey } from "@cardkeep/db/queries/users/records";
import { randomBytes } from "node:crypto";
import { createSecrets, type Secrets } from "../secrets/secrets.ts";
import type { Services } from "../services.ts";

const keyBytes = 32;
const kid = "person";

/** Opens what a person's key sealed, or makes the key; the user's row lock must be held. @throws SecretUnreadable */
export async function openPersonKey(
  { secrets }: Pick<Services, "secrets">,
  { tx, now }: { tx: Tx; now: Date },
  userId: string,
): Promise<Secrets> {
  const sealed = await findPersonKey(tx, userId);
  if (sealed !== null) return createSecrets([{ kid, k: await secrets.unseal(userId, sealed) }]);
  const k = randomBytes(keyBytes).toString("base64url");
  await insertPersonKey(tx, { userId, sealedKey: await secrets.seal(userId, k), createdAt: now });
  return createSecrets([{ kid, k }]);
}
