/** The other payment of a double charge, which the issuer asks for as evidence. */
import { listMissingEvidence } from "@cardkeep/contract/spending/disputeEvidence";
import { fail } from "@cardkeep/contract/core/errors";
import { listEvidenceInfo } from "@cardkeep/db/queries/spending/disputeEvidence";
import type { CardDispute } from "@cardkeep/db/queries/spending/disputes";
import { findPayment, type PaymentKey } from "@cardkeep/db/queries/spending/payments";
import type { Context, Work } from "../../core/context.ts";
import { readDoubles } from "../payments/doubles.ts";
import { getPayment } from "../payments/getPayment.ts";
import { addText } from "./addText.ts";

/**
 * The other payment as an operator names it, by its id or its thread; nothing for an empty word.
 *
 * @throws transactions.not_found, request.invalid
 */
export async function readOriginal(
  ctx: Pick<Context, "db">,
  { id, userId }: PaymentKey,
  reference: string,
): Promise<{ originalThreadId?: string }> {
  if (reference === "") return {};
  const other = await getPayment(ctx, reference);
  if (other.id === id || other.userId !== userId)
    fail("request.invalid", { text: "The other payment of a double charge is another payment of the same user" });
  return { originalThreadId: other.threadId };
}

/** Names the other payment where the service knows exactly one, and there is no evidence of it yet. */
export async function nameOriginal(
  ctx: Pick<Context, "secrets">,
  work: Work,
  { paymentId, userId, reason }: CardDispute,
): Promise<void> {
  const evidence = await listEvidenceInfo(work.tx, paymentId);
  if (!listMissingEvidence(reason, evidence).includes("originalThreadId")) return;
  const payment = await findPayment(work.tx, { id: paymentId, userId });
  const [other, ...others] = payment ? (await readDoubles({ db: work.tx }, payment)).kept : [];
  if (!other || others.length > 0) return;
  await addText(ctx, work, { paymentId, userId, given: { originalThreadId: other.threadId } });
}
