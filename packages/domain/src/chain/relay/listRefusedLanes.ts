import type { Address } from "@cardkeep/contract/core/primitives";
import { listRelayAttempts } from "@cardkeep/db/queries/chain/relay/attempts";
import { listOpenLanes } from "@cardkeep/db/queries/chain/relay/lanes";
import { findRelayTransactionAt } from "@cardkeep/db/queries/chain/relay/transactions";
import type { Context } from "../../core/context.ts";
import { resendDoublingsMax } from "./recordLoss.ts";

/** A lane that stands still: nothing behind its first open transaction can be mined. */
export interface RefusedLane {
  address: Address;
  nonce: bigint;
  /** What the node said of the newest attempt. */
  answer: string;
}

/**
 * The lanes whose first open transaction the node has refused for half a minute, as for want of money; of every sender,
 * also of the spender, the treasury and the top-up account.
 */
export async function listRefusedLanes({ db }: Pick<Context, "db">): Promise<RefusedLane[]> {
  const lanes = await Promise.all(
    (await listOpenLanes(db)).map(async ({ relayer: address, lowestOpen: nonce }) => {
      const transaction = await findRelayTransactionAt(db, address, nonce);
      const [newest] = transaction ? await listRelayAttempts(db, transaction.id) : [];
      return { address, nonce, answer: newest && newest.resends > resendDoublingsMax ? newest.refusal : null };
    }),
  );
  return lanes.flatMap(({ answer, ...lane }) => (answer === null ? [] : [{ ...lane, answer }]));
}
