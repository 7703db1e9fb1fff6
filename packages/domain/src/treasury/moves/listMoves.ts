import { fail } from "@cardkeep/contract/core/errors";
import { findMove, listMoves as listRows } from "@cardkeep/db/queries/treasury/moves";
import type { Services } from "../../core/services.ts";
import { type ShownMove, showMove } from "./showMove.ts";

/** Moves, newest first; `after` names the last one that is known already. */
export const listMoves = async (
  { db }: Pick<Services, "db">,
  input: Parameters<typeof listRows>[1],
): Promise<ShownMove[]> => (await listRows(db, input)).map(showMove);

/** One move. @throws treasury.not_found */
export const getMove = async ({ db }: Pick<Services, "db">, { id }: { id: string }): Promise<ShownMove> =>
  showMove((await findMove(db, id)) ?? fail("treasury.not_found"));
