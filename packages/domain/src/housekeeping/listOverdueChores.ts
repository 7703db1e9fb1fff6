import { type ChoreAge, listChoreAges } from "@cardkeep/db/queries/chores";
import type { Services } from "../services.ts";
import { type ChoreName, chores } from "./chores.ts";

/** A chore is overdue when it has not succeeded for 6 periods, and for a minute at least. */
const overduePeriods = 6;
const overdueSecondsMin = 60;

export interface OverdueChore extends ChoreAge {
  name: ChoreName;
}

const isKnown = (age: ChoreAge): age is OverdueChore => Object.hasOwn(chores, age.name);

/** Chores that no worker has done for several periods: they fail, they hang, or no worker runs. */
export async function listOverdueChores({ db }: Pick<Services, "db">): Promise<OverdueChore[]> {
  const limitOf = (name: ChoreName) => Math.max(overdueSecondsMin, (overduePeriods * chores[name].periodMs) / 1000);
  // Another version of the program may have left chores that this one does not know.
  return (await listChoreAges(db)).filter(isKnown).filter(({ name, seconds }) => seconds > limitOf(name));
}

/** What is overdue and what to do, for an operator. */
export function describeOverdueChores(overdue: readonly OverdueChore[]): string {
  const ages = overdue.map(({ name, seconds, succeeded }) =>
    succeeded ? `${name} last succeeded ${Math.round(seconds)} s ago` : `${name} has never succeeded`,
  );
  return `Chores are overdue: ${ages.join(", ")}. See the worker's log`;
}
