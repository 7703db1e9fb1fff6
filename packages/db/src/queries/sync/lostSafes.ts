/** Safes of this service that the chain has and no row names. */
import { address, type Address } from "@cardkeep/contract/core/primitives";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { discrepancies } from "../../schema/tables.ts";

/** A Safe on chain that no row names. */
export interface LostSafe {
  saltNonce: bigint;
  /** The operator's key that created it. */
  creator: Address;
  /** The member of its spending role. */
  spender: Address;
  /** Of its Delay module; null where a release recorded the Safe that did not read them. */
  periods: { cooldownSeconds: number; expirationSeconds: number } | null;
}

/**
 * The Safe of a wallet that no row names: one that was made for it before one that it was added to, perhaps by another person.
 * An earlier release recorded the newest owner alone.
 */
export async function findLostSafe(on: Executor, owner: Address): Promise<LostSafe | null> {
  const { details } = discrepancies;
  const owners = sql`string_to_array(coalesce(${details} ->> 'owners', ${details} ->> 'owner'), ' ')`;
  const isOfOwner = sql`${owner} = any(${owners})`;
  const [row] = await on
    .select({ details: discrepancies.details })
    .from(discrepancies)
    .where(and(eq(discrepancies.kind, "safe"), isNull(discrepancies.resolvedAt), isOfOwner))
    .orderBy(sql`(${owners})[cardinality(${owners})] = ${owner} desc`, discrepancies.id)
    .limit(1);
  const { saltNonce, creator, spender, cooldownSeconds, expirationSeconds } = row?.details ?? {};
  if (saltNonce === undefined || creator === undefined || spender === undefined) return null;
  const isRead = cooldownSeconds !== undefined && expirationSeconds !== undefined;
  const periods = isRead
    ? { cooldownSeconds: Number(cooldownSeconds), expirationSeconds: Number(expirationSeconds) }
    : null;
  return { saltNonce: BigInt(saltNonce), creator: address.parse(creator), spender: address.parse(spender), periods };
}
