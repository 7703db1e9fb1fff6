/** All changes of a status column, as the database itself saw them, by any writer. */
import type { Db } from "@cardkeep/db/client";
import { canMove, type Machine } from "@cardkeep/contract/core/machine";
import { sql } from "drizzle-orm";

export interface Move {
  subject: string;
  /** Null for a new row. */
  from: string | null;
  to: string;
}

/** Records every change of `column` in `table` from now on, as the database's owner; the returned function lists them, oldest first. */
export async function recordMoves(db: Db, table: string, column = "status"): Promise<() => Promise<Move[]>> {
  const log = `moves_of_${table}`;
  await db.execute(
    sql.raw(`
    create table ${log} (id bigint generated always as identity, subject text not null, "from" text, "to" text not null);
    create function ${log}() returns trigger language plpgsql security definer as $$ begin
      if tg_op = 'INSERT' then
        insert into ${log} (subject, "to") values (new.id, new.${column});
      elsif old.${column} is distinct from new.${column} then
        insert into ${log} (subject, "from", "to") values (new.id, old.${column}, new.${column});
      end if;
      return null;
    end $$;
    create trigger ${log} after insert or update on ${table} for each row execute function ${log}();`),
  );
  return async () => [
    ...(await db.execute<{ subject: string; from: string | null; to: string }>(
      sql.raw(`select subject, "from", "to" from ${log} order by id`),
    )),
  ];
}

/** Whether a machine's table has this move; a row begins in the initial state, or in another one that the machine names. */
export const isOfTable = (machine: Machine, { from, to }: Move): boolean =>
  from === null
    ? to === machine.initial || machine.begins?.includes(to) === true
    : from in machine.states && to in machine.states && canMove(machine, from, to);
