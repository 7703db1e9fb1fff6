import { tokens } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { findCard } from "@cardkeep/db/queries/cards/cards";
import { findSafe, hasCurrency } from "@cardkeep/db/queries/accounts/safes";
import { findPaymentDispute } from "@cardkeep/db/queries/spending/paymentParts";
import type { UserContext } from "../../core/context.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { getOwnPayment } from "./getOwnPayment.ts";
import { buildDispute } from "./publishDispute.ts";
import { readEvidence } from "./readEvidence.ts";

/** The dispute of a user's own payment. @throws transactions.not_found, transactions.not_disputed */
export async function getDispute(ctx: UserContext, { threadId }: { threadId: string }) {
  const payment = await getOwnPayment(ctx, threadId);
  const dispute = (await findPaymentDispute(ctx.db, payment.id)) ?? fail("transactions.not_disputed");
  const [card, safe] = await Promise.all([findCard(ctx.db, payment.cardId), findSafe(ctx.db, payment.safeId)]);
  if (!card || !safe || !hasCurrency(safe)) throw new Error(`Payment ${payment.id} has no card or no Safe`);
  const unit = centsToBaseUnits(1n, tokens[safe.tokenSymbol]);
  const { cardToken } = card;
  return {
    cardToken,
    ...buildDispute(dispute, payment, unit),
    ...(await readEvidence(ctx.db, payment.id, dispute.reason)),
  };
}
