/** The key that clients encrypt card numbers and PINs with. The worker holds it; the API answers its public half. */
import { fail } from "@cardkeep/contract/errors";
import { findPublishedKey, upsertPublishedKey } from "@cardkeep/db/queries/cards/envelopes";
import { findUser } from "@cardkeep/db/queries/users";
import { createPublicKey, type KeyObject } from "node:crypto";
import type { Services } from "../services.ts";
import type { UserContext } from "../context.ts";

const keyName = "cards";

/** The public key, SPKI DER in base64. @throws cards.country_missing, server.unavailable until a worker published it */
export async function getCardKey(ctx: UserContext): Promise<{ publicKey: string }> {
  const user = (await findUser(ctx.db, ctx.actor.userId)) ?? fail("auth.unauthorized");
  if (!user.country) fail("cards.country_missing");
  return { publicKey: (await findPublishedKey(ctx.db, keyName)) ?? fail("server.unavailable") };
}

/** Publishes the public half of the worker's key. */
export async function publishCardKey({ db, clock }: Pick<Services, "db" | "clock">, cardKey: KeyObject): Promise<void> {
  const spki = createPublicKey(cardKey).export({ format: "der", type: "spki" });
  await upsertPublishedKey(db, { name: keyName, publicKey: spki.toString("base64"), updatedAt: await clock.now(db) });
}
