/** The keys of the OpenID provider. */
import { findIdentityRecord, insertIdentityRecords } from "@cardkeep/db/sandbox/identityRecords";
import { exportJWK, generateKeyPair } from "jose";
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { SandboxRuntime } from "../core/openStore.ts";

const kind = "Keys";
const id = "keys";

const stored = z.object({
  /** A private key; `alg` and `kid` name it. */
  jwk: z.looseObject({ kty: z.literal("EC"), kid: z.string(), alg: z.literal("ES256") }),
  /** Signs cookies. */
  cookieKey: z.string(),
});

export type IdentityKeys = z.output<typeof stored>;

/** The keys in the store, made at the first call. */
export async function loadKeys({ store }: Pick<SandboxRuntime, "store">): Promise<IdentityKeys> {
  const known = await findIdentityRecord(store, kind, { id });
  if (known) return stored.parse(known.data);
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: randomBytes(8).toString("hex"), alg: "ES256", use: "sig" };
  // Two processes that make them at once keep the first ones.
  await insertIdentityRecords(store, [{ kind, id, data: { jwk, cookieKey: randomBytes(32).toString("hex") } }]);
  return loadKeys({ store });
}
