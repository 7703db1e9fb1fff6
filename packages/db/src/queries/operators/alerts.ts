/** What operators are alerted to, while it lasts. */
import { and, asc, inArray, isNull, lt, notInArray } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { operatorAlerts } from "../../schema/tables.ts";

export type OperatorAlert = typeof operatorAlerts.$inferSelect;
/** The ways to an operator, each with the column of its instant. */
export const alertWays = { webhook: "webhookAt", mail: "mailedAt" } as const;
export type AlertWay = keyof typeof alertWays;

/** Adds those that are new; a known one stays as it was found. */
export async function addAlerts(tx: Tx, found: readonly Pick<OperatorAlert, "key" | "text" | "path">[], foundAt: Date) {
  if (found.length === 0) return;
  await tx
    .insert(operatorAlerts)
    .values(found.map((row) => ({ ...row, foundAt })))
    .onConflictDoNothing();
}

/** Deletes alerts that are not found any more and were found before `foundBefore`. */
export async function deleteGoneAlerts(tx: Tx, keys: readonly string[], foundBefore: Date): Promise<void> {
  const isGone = keys.length === 0 ? undefined : notInArray(operatorAlerts.key, [...keys]);
  await tx.delete(operatorAlerts).where(and(lt(operatorAlerts.foundAt, foundBefore), isGone));
}

/** Alerts that were not sent one way yet, the oldest first. */
export const listUnsentAlerts = (on: Executor, way: AlertWay, limit: number): Promise<OperatorAlert[]> =>
  on
    .select()
    .from(operatorAlerts)
    .where(isNull(operatorAlerts[alertWays[way]]))
    .orderBy(asc(operatorAlerts.foundAt), asc(operatorAlerts.key))
    .limit(limit);

/** Marks alerts as sent one way. */
export async function markAlertsSent(tx: Tx, way: AlertWay, keys: readonly string[], sentAt: Date): Promise<void> {
  const change = way === "webhook" ? { webhookAt: sentAt } : { mailedAt: sentAt };
  await tx
    .update(operatorAlerts)
    .set(change)
    .where(inArray(operatorAlerts.key, [...keys]));
}
