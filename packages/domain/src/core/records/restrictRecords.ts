import { type HeldRows, readPersonalData } from "@cardkeep/db/queries/core/personalData/personalData";
import {
  countIdentityVersions,
  endIdentity,
  insertRestrictedRecord,
  listRestrictedRecords,
} from "@cardkeep/db/queries/users/records";
import type { User } from "@cardkeep/db/queries/users/users";
import { type RecordClassName, recordClassNames } from "@cardkeep/db/schema/users/records";
import type { Work } from "../context.ts";
import type { Services } from "../services.ts";
import { openPersonKey } from "./personKey.ts";
import { addYears, recordClasses } from "./recordClasses.ts";

/** A class of records that stays of an erased person, and until when. */
export interface Restriction {
  recordClass: RecordClassName;
  reason: string;
  until: Date;
}

/**
 * Seals what the law wants kept of a person, in the commit of the erasure and before it; their row must be locked. The
 * clocks begin now. For a person who was erased before, nothing changes.
 */
export async function restrictRecords(
  ctx: Pick<Services, "secrets" | "policy">,
  work: Work,
  user: User,
): Promise<Restriction[]> {
  const { tx, now } = work;
  const { id: userId, erasedAt } = user;
  if (erasedAt === null) {
    const isKnown = user.firstName !== null || (await countIdentityVersions(tx, userId)) > 0;
    const held = await readPersonalData(tx, user, "records");
    for (const recordClass of recordClassNames) {
      const rows = held.filter(isOf(recordClass)).map(pickColumns(recordClass));
      // A person who was never verified has no identity to keep.
      if (rows.length === 0 || (recordClass === "identity" && !isKnown)) continue;
      const key = await openPersonKey(ctx, work, userId);
      const sealed = await key.seal(userId, JSON.stringify(rows, writeBigint));
      const until = addYears(now, ctx.policy.recordYears[recordClass]);
      await insertRestrictedRecord(tx, { userId, recordClass, sealed, until, createdAt: now });
    }
  }
  const years = ctx.policy.recordYears;
  const keyUntil = addYears(now, Math.max(...recordClassNames.map((name) => years[name])));
  await endIdentity(tx, userId, { identityUntil: addYears(now, years.identity), keyUntil });
  const restricted = await listRestrictedRecords(tx, userId);
  return restricted.map(({ recordClass, until }) => ({
    recordClass,
    reason: recordClasses[recordClass].reason,
    until,
  }));
}

const isOf =
  (recordClass: RecordClassName) =>
  ({ table, rows }: HeldRows): boolean =>
    rows.length > 0 && recordClasses[recordClass].tables.some((name) => name === table);

const pickColumns =
  (recordClass: RecordClassName) =>
  ({ table, rows }: HeldRows): HeldRows => {
    const columns = new Map(Object.entries(recordClasses[recordClass].columns ?? {})).get(table);
    if (columns === undefined) return { table, rows };
    return { table, rows: rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]]))) };
  };

const writeBigint = (_: string, value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);
