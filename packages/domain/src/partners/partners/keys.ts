/** A partner's API keys, and the secrets that sign deliveries to it. */
import type { Tx } from "@cardkeep/db/client";
import {
  expirePartnerKeys,
  findNewestPartnerKey,
  findPartnerByKey,
  insertPartnerKey,
  listPartnerKeys,
  lockPartner,
} from "@cardkeep/db/queries/partners/partners";
import type { PartnerScope } from "@cardkeep/contract/core/scopes";
import { fail } from "@cardkeep/contract/core/errors";
import type { ActionFacts } from "@cardkeep/db/schema/operators/operators";
import { secretPrefix } from "@cardkeep/providers/webhooks/sign";
import { randomBytes } from "node:crypto";
import type { OperatorContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { generateId } from "../../core/generateId.ts";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import { getPartner } from "./getPartner.ts";
import { hashSecret } from "../../core/secrets/randomSecret.ts";
import type { Secrets } from "../../core/secrets/secrets.ts";

/** Standard Webhooks asks for 24 to 64 bytes. */
const secretBytes = 32;
const keyPrefix = "ckp_";

/** Keys in clear, which are shown once. */
export interface ShownKeys {
  apiKey: string;
  webhookSecret: string;
}

/** What a key opens, and its end. */
interface KeyLimits {
  /** Null: every route of partners. */
  readonly scopes?: PartnerScope[] | null | undefined;
  readonly expiresAt?: Date | null;
}

/** Makes a partner's first API key or secret, or a further one. It is stored hashed or sealed. */
export async function addPartnerKey(
  tx: Tx,
  secrets: Secrets,
  { partnerId, kind, now, ...limits }: { partnerId: string; kind: "api" | "secret"; now: Date } & KeyLimits,
): Promise<string> {
  const random = randomBytes(secretBytes);
  const key = kind === "api" ? keyPrefix + random.toString("base64url") : secretPrefix + random.toString("base64");
  const value = kind === "api" ? hashSecret(key) : await secrets.seal(partnerId, key);
  await insertPartnerKey(tx, { id: generateId(), partnerId, kind, value, createdAt: now, ...limits });
  return key;
}

/**
 * Gives a partner a new key; those it had hold for `overlapSeconds` more. An API key has the scopes of the one before, also of
 * one that has expired, unless others are named. A second person approves it, because a key reads people's events.
 *
 * @throws partners.not_found, partners.past_expiry, operators.approval_needed
 */
export async function rotatePartnerKey(
  ctx: OperatorContext,
  {
    id,
    kind,
    overlapSeconds,
    scopes,
    expiresAt = null,
  }: { id: string; kind: "api" | "secret"; overlapSeconds: number } & KeyLimits,
): Promise<{ partnerId: string; key: string; olderUntil: Date }> {
  await getPartner(ctx, { id });
  const input: ActionFacts = {
    id,
    kind,
    overlapSeconds,
    ...(scopes !== undefined && { scopes }),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
  await requireApproval(ctx, "partners.rotate", { input, subject: { kind: "partner", id } });
  return ctx.act("partners.rotate", async ({ tx, now }) => {
    if (!(await lockPartner(tx, id))) fail("partners.not_found");
    if (expiresAt !== null && expiresAt <= now) fail("partners.past_expiry");
    const former = await findNewestPartnerKey(tx, { partnerId: id, kind });
    const granted = scopes ?? former?.scopes ?? null;
    const olderUntil = new Date(now.getTime() + overlapSeconds * 1000);
    await expirePartnerKeys(tx, { partnerId: id, kind, expiresAt: olderUntil });
    const key = await addPartnerKey(tx, ctx.secrets, { partnerId: id, kind, now, scopes: granted, expiresAt });
    return {
      output: { partnerId: id, key, olderUntil },
      subject: { kind: "partner", id },
      before: null,
      after: {
        kind,
        olderUntil: olderUntil.toISOString(),
        scopes: granted,
        expiresAt: expiresAt?.toISOString() ?? null,
      },
    };
  });
}

/** The secrets that sign deliveries to a partner now, newest first. @throws SecretUnreadable when one cannot be opened */
export async function listSecrets(
  { db, secrets }: Pick<Services, "db" | "secrets">,
  { partnerId, now }: { partnerId: string; now: Date },
): Promise<string[]> {
  const keys = await listPartnerKeys(db, { partnerId, kind: "secret", now });
  return Promise.all(keys.map(({ value }) => secrets.unseal(partnerId, value)));
}

/** The active partner whose valid API key this is, and the key's id and scopes; null for anything else. */
export async function authenticatePartner(
  { db, clock }: Pick<Services, "db" | "clock">,
  key: string,
): Promise<{ partnerId: string; keyId: string; scopes: PartnerScope[] | null } | null> {
  return key.startsWith(keyPrefix) ? findPartnerByKey(db, hashSecret(key), await clock.now(db)) : null;
}
