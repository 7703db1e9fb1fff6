import { ChainUnavailable } from "@cardkeep/chain/errors";
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/chain/relay/bySubject";
import type { RelayPurpose } from "@cardkeep/db/schema/chain/relayers";
import type { Context } from "../../core/context.ts";

/** A transaction of ours may still be mined, so the work has to begin again later. */
class StillOpen extends ChainUnavailable {
  override readonly name = "StillOpen";
}

/**
 * The chain would move this money again. So it is looked for there, and signed anew, only once no earlier transaction can be
 * mined. A reorganisation opens those again that ran in vain.
 *
 * @throws StillOpen while one is open
 */
export async function requireSettled(
  { db }: Pick<Context, "db">,
  subjectId: string,
  purpose: RelayPurpose,
): Promise<void> {
  if (await hasOpenRelayTransaction(db, subjectId, [purpose]))
    throw new StillOpen(`A transaction for ${purpose} ${subjectId} may still be mined`);
}
