/** One waiting message in words. */
import { tokenList, tokens } from "@cardkeep/chain/tokens";
import { findDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import { findSafe, hasCurrency } from "@cardkeep/db/queries/accounts/safes";
import { findPayment, findPaymentByThread } from "@cardkeep/db/queries/spending/payments";
import { findTransfer } from "@cardkeep/db/queries/spending/transfers";
import { findEvent, type UserMessage } from "@cardkeep/db/queries/users/messages";
import { readWarning } from "@cardkeep/db/queries/users/warnings";
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

/** What happened, as one sentence or two; null where its subject is gone. A discreet one names no merchant, amount or reason. */
export async function describeMessage(
  ctx: Pick<Context, "db">,
  language: Language,
  row: UserMessage,
  { isDiscreet }: { isDiscreet: boolean },
): Promise<string | null> {
  const { about, subjectId } = row;
  if (about === "wallet") return describeWarning(ctx, language, row);
  if (about === "withdrawal") {
    const delay = await findDelay(ctx.db, subjectId);
    if (delay === null) return null;
    const token = tokenList.find(({ address }) => address === delay.tokenAddress);
    const amount = token && delay.amount !== null && !isDiscreet ? formatTokenFor(language, delay.amount, token) : "";
    return language.say("message.withdrawal", { state: amount === "" ? "unknown" : "queued", amount });
  }
  if (about === "refund")
    return isDiscreet
      ? language.say("message.discreet", { kind: "returned" })
      : describeHandRefund(ctx, language, subjectId);
  const event = await findEvent(ctx.db, subjectId);
  return event === null ? null : describeEvent(ctx, language, { ...event, isDiscreet });
}

/** Who signed in, or may sign in no more. */
async function describeWarning(
  { db }: Pick<Context, "db">,
  language: Language,
  row: UserMessage,
): Promise<string | null> {
  const { what, address, id } = readWarning(row);
  const wallet = address ?? (await listSignInWallets(db, row.userId)).find((each) => each.id === id)?.address;
  if (wallet === undefined) return null;
  return what === "signedIn"
    ? language.say("message.signIn", { wallet })
    : language.say("message.wallet", { kind: what, wallet });
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
  { eventType, data, isDiscreet }: { eventType: string; data: unknown; isDiscreet: boolean },
): Promise<string | null> {
  if (eventType === "account.withdrawal.completed")
    return language.say("message.withdrawal", { state: "done", amount: "" });
  if (eventType === "account.withdrawal.failed")
    return language.say("message.withdrawal", { state: "failed", amount: "" });
  const moved = shipping.safeParse(data);
  if (moved.success) return language.say("message.card", { state: moved.data.newStatus });
  const parsed = transaction.safeParse(data);
  // The data of an erased person's event are gone.
  if (parsed.success && isDiscreet) return language.say("message.discreet", { kind: kindOf(eventType) });
  return parsed.success ? describePayment(ctx, language, eventType, parsed.data.event) : null;
}

/** The last word of an event's type. */
const kindOf = (eventType: string): string => eventType.split(".").at(-1) ?? "";

async function describePayment(
  ctx: Pick<Context, "db">,
  language: Language,
  eventType: string,
  event: z.output<typeof transaction>["event"],
): Promise<string> {
  const minor = event.refundAmount ?? event.reversalAmount ?? event.billingAmount;
  const currency = event.refundCurrency ?? event.reversalCurrency ?? event.billingCurrency;
  const amount = formatAmountFor(language, BigInt(minor), currency.symbol, currency.decimals);
  const values = { amount, merchant: cleanText(event.merchant.name), kind: kindOf(eventType) };
  if (eventType !== "card.transaction.declined") return language.say("message.payment", values);
  const payment = await findPaymentByThread(ctx.db, event.threadId);
  return `${language.say("message.payment", values)} ${language.sayDecline(payment?.declineReason ?? null)}`;
}
