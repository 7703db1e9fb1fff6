/** What moves money after an authorization: captures and refunds. */
import { updateIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { toStripeAmount } from "@cardkeep/providers/issuer/stripeAmounts";
import {
  type AuthorizationData,
  buildMerchantData,
  insertTransaction,
  listTransactionsOf,
  lockAuthorization,
  type MerchantInput,
  showAuthorization,
  sumOf,
  type TransactionData,
} from "./authorizations.ts";
import { holdChange } from "./balance.ts";
import { cardObject } from "./cards.ts";
import { getObject, IssuerError, type IssuerWork, missing } from "./route.ts";

/**
 * Locks an approved authorization.
 * @throws IssuerError
 */
export async function lockApproved(work: IssuerWork, id: string): Promise<AuthorizationData> {
  const authorization = await lockPosted(work, id);
  if (!authorization.approved) throw new IssuerError(400, "The authorization was declined");
  return authorization;
}

/** Locks an authorization, approved or declined. @throws IssuerError */
async function lockPosted({ tx }: IssuerWork, id: string): Promise<AuthorizationData> {
  const authorization = await lockAuthorization(tx, id);
  if (!authorization) throw missing("authorization", id);
  return authorization;
}

/** The merchant's amount for a part of the card's amount, at the authorization's own rate. */
export const toMerchant = (part: number, { amount: whole, merchant_amount: merchant }: AuthorizationData): number =>
  whole === 0 ? part : Math.round((part * merchant) / whole);

/** Of an authorization, signed: below zero leaves the card. */
interface Part {
  part: number;
  /** In the minor units of ISO 4217. */
  merchantPart?: number | undefined;
  reference?: string | undefined;
}

function insertPart(
  work: IssuerWork,
  authorization: AuthorizationData,
  type: string,
  { part, merchantPart, reference }: Part,
): Promise<TransactionData> {
  const { reason: _, ...metadata } = authorization.metadata;
  const merchantCurrency = authorization.merchant_currency;
  return insertTransaction(work, {
    type,
    amount: part,
    merchantAmount:
      merchantPart === undefined ? toMerchant(part, authorization) : toStripeAmount(merchantPart, merchantCurrency),
    currency: authorization.currency,
    merchantCurrency,
    card: authorization.card.id,
    cardholder: authorization.cardholder,
    merchantData: authorization.merchant_data,
    metadata,
    authorization: authorization.id,
    amountDetails: authorization["amount_details"],
    reference,
  });
}

/**
 * Writes an authorization with what it holds of the operator's balance, before and after. A request that waits ends with its
 * authorization: an answer that comes later does not open it again.
 */
export async function change(
  work: IssuerWork,
  after: AuthorizationData,
  held: readonly [before: number, after: number],
): Promise<void> {
  const changed = { ...after, ...(after.status !== "pending" && { pending_request: null }) };
  await updateIssuerObject(work.tx, changed.id, { data: changed });
  await holdChange(work, changed, held);
  work.emit({ type: "issuing_authorization.updated", object: await showAuthorization(work.tx, changed) });
}

/** What was not captured once: a capture that is taken back frees nothing. */
export async function leftOf({ tx }: IssuerWork, { id, amount }: AuthorizationData): Promise<number> {
  const captures = (await listTransactionsOf(tx, id)).filter((one) => one.type === "capture" && one.amount < 0);
  return amount - sumOf(captures, "capture");
}

/**
 * Captures part of an authorization, by default all that remains. It closes the authorization unless `close` says
 * otherwise. With `merchantAmount` the rate is not the authorization's.
 * @throws IssuerError
 */
export async function capture(
  work: IssuerWork,
  id: string,
  {
    amount,
    merchantAmount,
    close,
    reference,
  }: {
    amount?: number | undefined;
    merchantAmount?: number | undefined;
    close: boolean;
    reference?: string | undefined;
  },
): Promise<TransactionData> {
  const authorization = await lockApproved(work, id);
  const left = await leftOf(work, authorization);
  const part = amount ?? left;
  if (part <= 0) throw new IssuerError(400, "The authorization has no amount left: name an amount");
  const merchantPart = merchantAmount === undefined ? undefined : -merchantAmount;
  const transaction = await insertPart(work, authorization, "capture", { part: -part, merchantPart, reference });
  const held = authorization.status === "pending" ? Math.max(left, 0) : 0;
  const changed = { ...authorization, ...(close && { status: "closed" as const }) };
  await change(work, changed, [held, close ? 0 : Math.max(held - part, 0)]);
  return transaction;
}

/**
 * Refunds part of what was captured, by default all. With `merchantAmount` the rate is the day's own, so that the card gets
 * more or less than it paid.
 * @throws IssuerError
 */
export async function refundCapture(
  work: IssuerWork,
  id: string,
  amount?: number,
  merchantAmount?: number,
): Promise<TransactionData> {
  const authorization = await lockApproved(work, id);
  const transactions = await listTransactionsOf(work.tx, id);
  const left = sumOf(transactions, "capture") - sumOf(transactions, "refund");
  const part = amount ?? left;
  const isOwnRate = merchantAmount !== undefined;
  if (part <= 0 || (part > left && !isOwnRate))
    throw new IssuerError(400, `Only ${left} was captured and not refunded`);
  return insertPart(work, authorization, "refund", { part, merchantPart: merchantAmount });
}

/**
 * Takes back what was refunded, or what was captured, by default all that is left of it: the same type with the other sign.
 * @throws IssuerError
 */
export async function takeBack(
  work: IssuerWork,
  id: string,
  type: "capture" | "refund",
  amount?: number,
): Promise<TransactionData> {
  const authorization = await lockPosted(work, id);
  const left = sumOf(await listTransactionsOf(work.tx, id), type);
  const part = amount ?? left;
  if (part <= 0 || part > left) throw new IssuerError(400, `Only ${left} of the ${type}s can be taken back`);
  return insertPart(work, authorization, type, { part: type === "capture" ? part : -part });
}

/**
 * Posts a transaction of any type and sign to an authorization, as an issuer may whose forms are new or wrong.
 * @throws IssuerError
 */
export async function postTransaction(
  work: IssuerWork,
  id: string,
  { type, amount, merchantAmount }: { type: string; amount: number; merchantAmount?: number | undefined },
): Promise<TransactionData> {
  return insertPart(work, await lockPosted(work, id), type, { part: amount, merchantPart: merchantAmount });
}

/**
 * A capture or a refund that names no authorization.
 * @throws IssuerError for an unknown card
 */
export async function clearWithoutAuthorization(
  work: IssuerWork,
  card: string,
  { merchant, amount, merchantAmount, ...money }: ClearingInput,
): Promise<TransactionData> {
  const found = await getObject(work.tx, cardObject, card, "card");
  const sign = money.type === "capture" ? -1 : 1;
  return insertTransaction(work, {
    ...money,
    amount: sign * amount,
    merchantAmount: sign * merchantAmount,
    card,
    cardholder: found.data["cardholder"],
    merchantData: buildMerchantData(merchant),
    metadata: {},
    authorization: null,
  });
}

type ClearingInput = Pick<
  Parameters<typeof insertTransaction>[1],
  "type" | "amount" | "merchantAmount" | "currency" | "merchantCurrency" | "reference"
> & { merchant: MerchantInput };
