/** The people of the console's list: the newest, or those that a text finds. */
import type { Db } from "@cardkeep/db/client";
import { searchedSafes, searchedUsers } from "@cardkeep/db/queries/operations/search/people";
import { listPeople, type PersonRow } from "@cardkeep/db/sandbox/people";
import { searchRows } from "@cardkeep/db/searchRows";
import { readClues } from "@cardkeep/domain/operations/search/readClues";
import { peopleMax } from "./desk.ts";

/** Finds people as the operator's search does, by the same indexes: mail address, name, phone number, wallet and Safe. */
export async function findPeople(db: Db, text: string): Promise<PersonRow[]> {
  if (text === "") return listPeople(db, { limit: peopleMax });
  const asked = { clues: readClues(text), limit: peopleMax };
  const [users, safes] = await Promise.all([
    searchRows(db, searchedUsers, asked),
    searchRows(db, searchedSafes, asked),
  ]);
  const ids = [...users, ...safes].flatMap(({ userId }) => userId ?? []);
  return listPeople(db, { ids: [...new Set(ids)], limit: peopleMax });
}
