import type { Currency } from "@cardkeep/contract/core/currencies";
import { fail } from "@cardkeep/contract/core/errors";
import { findMove, listMoves as listRows } from "@cardkeep/db/queries/treasury/moves";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import type { FundingAccount } from "@cardkeep/providers/issuer/port";
import type { Services } from "../../core/services.ts";
import { type ShownMove, showMove } from "./showMove.ts";

/** Moves, newest first; `after` names the last one that is known already. */
export const listMoves = async (
  { db }: Pick<Services, "db">,
  input: Parameters<typeof listRows>[1],
): Promise<ShownMove[]> => (await listRows(db, input)).map(showMove);

/** A move, and where announced money is to be sent; null where nothing is, or the issuer is away. */
export interface MoveInFull extends ShownMove {
  account: FundingAccount | null;
}

/** One move. @throws treasury.not_found */
export async function getMove(
  { db, issuer }: Pick<Services, "db" | "issuer">,
  { id }: { id: string },
): Promise<MoveInFull> {
  const move = showMove((await findMove(db, id)) ?? fail("treasury.not_found"));
  const isAnnounced = move.kind === "fund" && move.status === "SENT" && move.causeId === null;
  return { ...move, account: isAnnounced ? await findAccount(issuer, move.currency) : null };
}

const findAccount = (issuer: Services["issuer"], currency: Currency): Promise<FundingAccount | null> =>
  issuer.findFundingAccount(currency).catch((error: unknown) => {
    if (error instanceof ProviderUnavailable || error instanceof ProviderRefused) return null;
    throw error;
  });
