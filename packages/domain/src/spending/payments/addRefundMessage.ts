import { addMessage } from "@cardkeep/db/queries/users/messages";
import { listLedgerEntries } from "@cardkeep/db/queries/spending/paymentParts";
import type { CardTransfer } from "@cardkeep/db/queries/spending/transfers";
import type { Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";

/**
 * Adds the message that an operator returned money by hand, in the commit that books it and before its entry. A return that ended
 * before, and whose block was removed, has entries and its message.
 */
export async function addRefundMessage(
  { tx, now: createdAt }: Pick<Work, "tx" | "now">,
  { id: subjectId, paymentId, ordinal, userId, requestId, isByHand }: CardTransfer,
): Promise<void> {
  if (!isByHand) return;
  const entries = await listLedgerEntries(tx, { id: paymentId, userId });
  if (entries.some((entry) => entry.ordinal === ordinal)) return;
  await addMessage(tx, {
    id: generateId(),
    userId,
    kind: "refunds",
    about: "refund",
    subjectId,
    requestId,
    createdAt,
  });
}
