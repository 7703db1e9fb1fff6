import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { DelayTransaction } from "@cardkeep/db/queries/accounts/delays/delays";
import { findDelayByMessage } from "@cardkeep/db/queries/accounts/delays/queue";
import { isRestored } from "@cardkeep/db/queries/sync/reconciliations";
import type { Context } from "../../core/context.ts";

/** The operation that a signed message became, if its row was lost with a database and restored from the chain. */
export async function findRestored(
  { db }: Pick<Context, "db">,
  message: { delay: Address; messageHash: Hex },
): Promise<DelayTransaction | null> {
  const row = await findDelayByMessage(db, message);
  return row && (await isRestored(db, "entry", row.id)) ? row : null;
}
