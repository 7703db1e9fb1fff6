/**
 * Guards of state columns, written from the machines' tables.
 *
 * - guard: a trigger that refuses every move that is not in a machine's table.
 */

import { canMove, listStates, listUndoOrigins, type Machine } from "@cardkeep/contract/core/machine";

/**
 * The SQL of a guard: rows begin in the machine's initial state, or where its `begins` says. They move as its table says, or as a reorganisation undoes.
 *
 * A migration holds it, word for word. A change of the table needs a migration with the new text.
 */
export function buildGuard(machine: Machine, table: string, column: string): string {
  const pairs = listStates(machine).flatMap((from) =>
    listStates(machine)
      .filter((to) => canMove(machine, from, to) || listUndoOrigins(machine, to).includes(from))
      .map((to) => `      '${from} -> ${to}'`),
  );
  const name = `${table}_${column}_guard`;
  const first = [machine.initial, ...(machine.begins ?? [])];
  const isFirst =
    first.length === 1 ? `= '${machine.initial}'` : `in (${first.map((state) => `'${state}'`).join(", ")})`;
  return `create or replace function ${name}() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.${column} ${isFirst} then return new; end if;
    raise exception '${table}: a row begins in ${first.join(" or ")}, not in %', new.${column}
      using errcode = 'check_violation', constraint = '${name}';
  end if;
  if new.${column} = old.${column} or old.${column} || ' -> ' || new.${column} in (
${pairs.join(",\n")}
  ) then return new; end if;
  raise exception '${table}: % -> % is not in the table', old.${column}, new.${column}
    using errcode = 'check_violation', constraint = '${name}';
end $$;
--> statement-breakpoint
create or replace trigger ${name} before insert or update of ${column} on ${table} for each row execute function ${name}();
`;
}
