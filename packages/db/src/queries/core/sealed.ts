/** Sealed secrets of partners and users, wherever they are stored. */
import { and, asc, eq, gt, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { Executor } from "../../client.ts";
import { isOneOf } from "../../schema/columns.ts";
import {
  disputeEvidence,
  ibans,
  oauthStates,
  operatorApprovals,
  operatorSessions,
  partnerKeys,
  personKeys,
} from "../../schema/tables.ts";

export const sealedKinds = [
  "partnerSecret",
  "emoneyToken",
  "consentVerifier",
  "operatorToken",
  "disputeEvidence",
  "personKey",
] as const;
export type SealedKind = (typeof sealedKinds)[number];

export interface SealedRow {
  readonly kind: SealedKind;
  readonly id: string;
  /** The partner, user or session. */
  readonly ownerId: string;
  readonly sealed: string;
}

const isPartnerSecret = (now: Date): SQL | undefined =>
  and(eq(partnerKeys.kind, "secret"), or(isNull(partnerKeys.expiresAt), gt(partnerKeys.expiresAt, now)));

const isOperatorToken = (now: Date): SQL | undefined =>
  and(isNotNull(operatorSessions.sealedRefreshToken), gt(operatorSessions.endsAt, now));

const isWaiting = (now: Date): SQL | undefined =>
  and(isOneOf(operatorApprovals.status, ["WAITING"]), gt(operatorApprovals.expiresAt, now));

/** Rows that are read in one statement at most. */
const batchMax = 500;
/** Evidence holds whole files. */
const evidenceBatchMax = 4;

/** Names one piece of evidence. */
const evidenceId = sql<string>`${disputeEvidence.paymentId} || ':' || ${disputeEvidence.slot}`;

/** Payment and slot of an `evidenceId`; both empty for the beginning. A slot has no colon. */
function splitEvidenceId(id: string): { paymentId: string; slot: string } {
  const at = Math.max(0, id.lastIndexOf(":"));
  return { paymentId: id.slice(0, at), slot: id.slice(at + 1) };
}

function isEvidence(id: string): SQL {
  const { paymentId, slot } = splitEvidenceId(id);
  return sql`${disputeEvidence.paymentId} = ${paymentId} and ${disputeEvidence.slot} = ${slot}`;
}

function isBehind(id: string): SQL {
  const { paymentId, slot } = splitEvidenceId(id);
  return sql`(${disputeEvidence.paymentId}, ${disputeEvidence.slot}) > (${paymentId}, ${slot})`;
}

/**
 * Secrets of one kind that are in use at `now`, up to 500 in the order of their ids, behind the id `after`.
 *
 * With `prefix`: those alone that do not start with it.
 */
export async function listSealed(
  on: Executor,
  { kind, after, now, prefix }: { kind: SealedKind; after: string; now: Date; prefix?: string },
): Promise<SealedRow[]> {
  const lacksPrefix = (sealed: AnyPgColumn): SQL | undefined =>
    prefix === undefined ? undefined : sql`not starts_with(${sealed}, ${prefix})`;
  const rows = await list();
  return rows.flatMap(({ sealed, ...row }) => (sealed === null ? [] : [{ kind, ...row, sealed }]));

  function list(): Promise<{ id: string; ownerId: string; sealed: string | null }[]> {
    if (kind === "partnerSecret") {
      return on
        .select({ id: partnerKeys.id, ownerId: partnerKeys.partnerId, sealed: partnerKeys.value })
        .from(partnerKeys)
        .where(and(isPartnerSecret(now), gt(partnerKeys.id, after), lacksPrefix(partnerKeys.value)))
        .orderBy(asc(partnerKeys.id))
        .limit(batchMax);
    }
    if (kind === "emoneyToken") {
      return on
        .select({ id: ibans.userId, ownerId: ibans.userId, sealed: ibans.sealedToken })
        .from(ibans)
        .where(and(isNotNull(ibans.sealedToken), gt(ibans.userId, after), lacksPrefix(ibans.sealedToken)))
        .orderBy(asc(ibans.userId))
        .limit(batchMax);
    }
    if (kind === "operatorToken") {
      return on
        .select({ id: operatorSessions.id, ownerId: operatorSessions.id, sealed: operatorSessions.sealedRefreshToken })
        .from(operatorSessions)
        .where(
          and(isOperatorToken(now), gt(operatorSessions.id, after), lacksPrefix(operatorSessions.sealedRefreshToken)),
        )
        .orderBy(asc(operatorSessions.id))
        .limit(batchMax);
    }
    if (kind === "personKey") {
      return on
        .select({ id: personKeys.userId, ownerId: personKeys.userId, sealed: personKeys.sealedKey })
        .from(personKeys)
        .where(and(gt(personKeys.userId, after), lacksPrefix(personKeys.sealedKey)))
        .orderBy(asc(personKeys.userId))
        .limit(batchMax);
    }
    if (kind === "disputeEvidence") {
      return on
        .select({ id: evidenceId, ownerId: disputeEvidence.userId, sealed: disputeEvidence.sealed })
        .from(disputeEvidence)
        .where(and(isNotNull(disputeEvidence.sealed), isBehind(after), lacksPrefix(disputeEvidence.sealed)))
        .orderBy(asc(disputeEvidence.paymentId), asc(disputeEvidence.slot))
        .limit(evidenceBatchMax);
    }
    return on
      .select({ id: oauthStates.stateHash, ownerId: oauthStates.userId, sealed: oauthStates.sealedVerifier })
      .from(oauthStates)
      .where(
        and(gt(oauthStates.expiresAt, now), gt(oauthStates.stateHash, after), lacksPrefix(oauthStates.sealedVerifier)),
      )
      .orderBy(asc(oauthStates.stateHash))
      .limit(batchMax);
  }
}

/**
 * Secrets in use at `now` that start with `prefix`. Those of the format before 1.0.0 name no key, so they count too, and so do
 * those of requests that wait for a second person, which nothing seals anew.
 */
export async function countSealed(on: Executor, { now, prefix }: { now: Date; prefix: string }): Promise<number> {
  const isOfKey = (sealed: AnyPgColumn | SQL): SQL =>
    sql`(starts_with(${sealed}, ${prefix}) or ${sealed} not like '%.%')`;
  const counts = await Promise.all([
    on.$count(partnerKeys, and(isPartnerSecret(now), isOfKey(partnerKeys.value))),
    on.$count(ibans, and(isNotNull(ibans.sealedToken), isOfKey(ibans.sealedToken))),
    on.$count(operatorSessions, and(isOperatorToken(now), isOfKey(operatorSessions.sealedRefreshToken))),
    on.$count(oauthStates, and(gt(oauthStates.expiresAt, now), isOfKey(oauthStates.sealedVerifier))),
    on.$count(personKeys, isOfKey(personKeys.sealedKey)),
    on.$count(disputeEvidence, and(isNotNull(disputeEvidence.sealed), isOfKey(disputeEvidence.sealed))),
    on.$count(operatorApprovals, and(isWaiting(now), isOfKey(sql`(${operatorApprovals.input} ->> 'sealed')`))),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Replaces a secret that is still as it was read; false where it changed meanwhile. */
export async function replaceSealed(on: Executor, { kind, id, sealed }: SealedRow, fresh: string): Promise<boolean> {
  return (await replace()).length === 1;

  function replace(): Promise<{ id: string }[]> {
    if (kind === "partnerSecret") {
      return on
        .update(partnerKeys)
        .set({ value: fresh })
        .where(and(eq(partnerKeys.id, id), eq(partnerKeys.value, sealed)))
        .returning({ id: partnerKeys.id });
    }
    if (kind === "emoneyToken") {
      return on
        .update(ibans)
        .set({ sealedToken: fresh })
        .where(and(eq(ibans.userId, id), eq(ibans.sealedToken, sealed)))
        .returning({ id: ibans.userId });
    }
    if (kind === "personKey") {
      return on
        .update(personKeys)
        .set({ sealedKey: fresh })
        .where(and(eq(personKeys.userId, id), eq(personKeys.sealedKey, sealed)))
        .returning({ id: personKeys.userId });
    }
    if (kind === "operatorToken") {
      return on
        .update(operatorSessions)
        .set({ sealedRefreshToken: fresh })
        .where(and(eq(operatorSessions.id, id), eq(operatorSessions.sealedRefreshToken, sealed)))
        .returning({ id: operatorSessions.id });
    }
    if (kind === "disputeEvidence") {
      return on
        .update(disputeEvidence)
        .set({ sealed: fresh })
        .where(and(isEvidence(id), eq(disputeEvidence.sealed, sealed)))
        .returning({ id: disputeEvidence.paymentId });
    }
    return on
      .update(oauthStates)
      .set({ sealedVerifier: fresh })
      .where(and(eq(oauthStates.stateHash, id), eq(oauthStates.sealedVerifier, sealed)))
      .returning({ id: oauthStates.stateHash });
  }
}
