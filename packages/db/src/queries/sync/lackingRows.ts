import { isPresentIdentity } from "../core/databaseIdentity.ts";

/**
 * SQL text: whether the database is another one than that of the newest reconciliation, or one that went back and in which a step
 * that restores rows has not succeeded; null stands for every step. One that began earlier counts too: the newest may be of
 * another cause.
 *
 * @param step SQL of the step's name. @param since SQL of an instant: what began before it does not count
 */
export const lackingRows = (step: string, since = "'-infinity'"): string => `(
  exists (
    select from reconciliations r where r.ended_at is null and r.reason = 'restored' and r.started_at >= ${since}
      and not coalesce(${step} = any(r.steps), false)
  ) or coalesce((
    select not ${isPresentIdentity("r.database_identity")} from reconciliations r order by r.sequence desc limit 1
  ), false))`;
