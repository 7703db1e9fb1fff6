import type { Address, Hex } from "@cardkeep/contract/primitives";
import type { DelayTransaction } from "@cardkeep/db/queries/delays/delays";
import { findDelayByMessage } from "@cardkeep/db/queries/delays/queue";
import { isRestored } from "@cardkeep/db/queries/reconciliations";
import type { Context } from "../context.ts";

/** The operation that a signed message became, if its row was lost with a database and restored from the chain. */
export async function findRestored(
  { db }: Pick<Context, "db">,
  message: { delay: Address; messageHash: Hex },
): Promise<DelayTransaction | null> {
  const row = await findDelayByMessage(db, message);
  return row && (await isRestored(db, "entry", row.id)) ? row : null;
}
