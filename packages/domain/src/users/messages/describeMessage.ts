/** One waiting message in words. */
import { tokenList, tokens } from "@cardkeep/chain/tokens";
import { findDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import { findSafe, hasCurrency } from "@cardkeep/db/queries/accounts/safes";
import { findPayment, findPaymentByThread } from "@cardkeep/db/queries/spending/payments";
import { findTransfer } from "@cardkeep/db/queries/spending/transfers";
import { findEvent, type UserMessage } from "@cardkeep/db/queries/users/messages";
import { listSignInWallets } from "@cardkeep/db/queries/users/users";
import { z } from "zod";
import type { Context } from "../../core/context.ts";
import type { Language } from "../../core/languages/languages.ts";
import { formatAmountFor, formatTokenFor } from "../../core/messages/formatFor.ts";
import { cleanText } from "../../core/wording.ts";

const money = z.object({ symbol: z.string(), decimals: z.number() });
/** The used parts of an event's data on the wire. */
const transaction = z.object({
  event: z.object({
    threadId: z.string(),
    merchant: z.object({ name: z.string() }),
    billingAmount: z.string(),
    billingCurrency: money,
    refundAmount: z.string().optional(),
    refundCurrency: money.optional(),
    reversalAmount: z.string().optional(),
    reversalCurrency: money.optional(),
  }),
});
const shipping = z.object({ newStatus: z.string() });

/** What happened, as one sentence or two; null where its subject is gone. */
export async function describeMessage(
  ctx: Pick<Context, "db">,
  language: Language,
  { about, subjectId, userId }: UserMessage,
): Promise<string | null> {
  if (about === "wallet") {
    const wallet = (await listSignInWallets(ctx.db, userId)).find(({ id }) => id === subjectId);
    return wallet ? language.say("message.signIn", { wallet: wallet.address }) : null;
  }
  if (about === "withdrawal") {
    const delay = await findDelay(ctx.db, subjectId);
    if (delay === null) return null;
    const token = tokenList.find(({ address }) => address === delay.tokenAddress);
    const amount = token && delay.amount !== null ? formatTokenFor(language, delay.amount, token) : "";
    return language.say("message.withdrawal", { state: amount === "" ? "unknown" : "queued", amount });
  }
  if (about === "refund") return describeHandRefund(ctx, language, subjectId);
  const event = await findEvent(ctx.db, subjectId);
  return event === null ? null : describeEvent(ctx, language, event);
}

/** What an operator returned by hand; null where its payment was archived. */
async function describeHandRefund(
  { db }: Pick<Context, "db">,
  language: Language,
  transferId: string,
): Promise<string | null> {
  const transfer = await findTransfer(db, transferId);
  const payment = transfer && (await findPayment(db, { id: transfer.paymentId, userId: transfer.userId }));
  const safe = transfer && (await findSafe(db, transfer.safeId));
  if (!payment || !safe || !hasCurrency(safe)) return null;
  const amount = formatTokenFor(language, transfer.amount, tokens[safe.tokenSymbol]);
  return language.say("message.handRefund", { amount, merchant: cleanText(payment.merchantName ?? "") });
}

async function describeEvent(
  ctx: Pick<Context, "db">,
  language: Language,
  { eventType, data }: { eventType: string; data: unknown },
): Promise<string | null> {
  if (eventType === "account.withdrawal.completed")
    return language.say("message.withdrawal", { state: "done", amount: "" });
  if (eventType === "account.withdrawal.failed")
    return language.say("message.withdrawal", { state: "failed", amount: "" });
  const moved = shipping.safeParse(data);
  if (moved.success) return language.say("message.card", { state: moved.data.newStatus });
  const parsed = transaction.safeParse(data);
  // The data of an erased person's event are gone.
  return parsed.success ? describePayment(ctx, language, eventType, parsed.data.event) : null;
}

async function describePayment(
  ctx: Pick<Context, "db">,
  language: Language,
  eventType: string,
  event: z.output<typeof transaction>["event"],
): Promise<string> {
  const minor = event.refundAmount ?? event.reversalAmount ?? event.billingAmount;
  const currency = event.refundCurrency ?? event.reversalCurrency ?? event.billingCurrency;
  const amount = formatAmountFor(language, BigInt(minor), currency.symbol, currency.decimals);
  const values = { amount, merchant: cleanText(event.merchant.name), kind: eventType.split(".").at(-1) ?? "" };
  if (eventType !== "card.transaction.declined") return language.say("message.payment", values);
  const payment = await findPaymentByThread(ctx.db, event.threadId);
  return `${language.say("message.payment", values)} ${language.sayDecline(payment?.declineReason ?? null)}`;
}
