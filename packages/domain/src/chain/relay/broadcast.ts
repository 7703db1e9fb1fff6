/** The second half of a relay transaction: sign it if a remote signer has to, and send it until it is mined. */
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { findRelayTransaction, isOpenRelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import { listRelayAttempts } from "@cardkeep/db/queries/chain/relay/attempts";
import { confirm } from "./confirm.ts";
import { cancelLost } from "./replaceStuck.ts";
import { sendAttempt } from "./sendAttempt.ts";
import { signReserved } from "./signAttempt.ts";
import type { RelayContext } from "./settler.ts";

/**
 * Sends the newest attempt of a relay transaction, any number of times, and looks for its receipt.
 *
 * @throws SignerFailed, SignedWrongly, ChainUnavailable: nothing was sent
 */
export async function broadcast(ctx: RelayContext, input: { relayTransactionId: string }): Promise<void> {
  const transaction = await findRelayTransaction(ctx.db, input.relayTransactionId);
  if (!transaction || !isOpenRelayTransaction(transaction)) return;
  const known = await listRelayAttempts(ctx.db, transaction.id);
  const attempts = known.length > 0 ? known : [await signReserved(ctx, transaction)].filter((first) => first !== null);
  if (await cancelLost(ctx, transaction, attempts)) return;
  const [newest] = attempts;
  try {
    if (newest) await sendAttempt(ctx, newest);
  } catch (error) {
    // Perhaps only the answer was lost, so the chain is asked for a receipt.
    if (!(error instanceof ChainUnavailable)) throw error;
  }
  await confirm(ctx, input);
}
