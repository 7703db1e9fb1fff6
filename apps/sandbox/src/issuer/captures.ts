/** What follows an authorization: captures, refunds, reversals and expiry. */
import { findIssuerObject, updateIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import {
  type AuthorizationData,
  buildMerchantData,
  type IssuerData,
  insertTransaction,
  listTransactionsOf,
  lockAuthorization,
  type MerchantInput,
  showAuthorization,
  sumOf,
  type TransactionData,
} from "./authorizations.ts";
import { cardObject } from "./cards.ts";
import { IssuerError, type IssuerWork, missing } from "./route.ts";

/**
 * Locks an approved authorization.
 * @throws IssuerError
 */
async function lockApproved({ tx }: IssuerWork, id: string): Promise<AuthorizationData> {
  const authorization = await lockAuthorization(tx, id);
  if (!authorization) throw missing("authorization", id);
  if (!authorization.approved) throw new IssuerError(400, "The authorization was declined");
  return authorization;
}

/** The merchant's amount for a part of the card's amount, at the authorization's own rate. */
const toMerchant = (part: number, { amount: whole, merchant_amount: merchant }: AuthorizationData): number =>
  whole === 0 ? part : Math.round((part * merchant) / whole);

function insertPart(
  work: IssuerWork,
  authorization: AuthorizationData,
  type: TransactionData["type"],
  part: number,
  merchantPart = toMerchant(part, authorization),
): Promise<TransactionData> {
  const { reason: _, ...metadata } = authorization.metadata;
  return insertTransaction(work, {
    type,
    amount: part,
    merchantAmount: merchantPart,
    currency: authorization.currency,
    merchantCurrency: authorization.merchant_currency,
    card: authorization.card.id,
    cardholder: authorization.cardholder,
    merchantData: authorization.merchant_data,
    metadata,
    authorization: authorization.id,
  });
}

async function change(work: IssuerWork, changed: AuthorizationData): Promise<void> {
  await updateIssuerObject(work.tx, changed.id, { data: changed });
  work.emit({ type: "issuing_authorization.updated", object: await showAuthorization(work.tx, changed) });
}

const leftOf = async ({ tx }: IssuerWork, { id, amount }: AuthorizationData): Promise<number> =>
  amount - sumOf(await listTransactionsOf(tx, id), "capture");

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
  }: { amount?: number | undefined; merchantAmount?: number | undefined; close: boolean },
): Promise<TransactionData> {
  const authorization = await lockApproved(work, id);
  const part = amount ?? (await leftOf(work, authorization));
  if (part <= 0) throw new IssuerError(400, "The authorization has no amount left: name an amount");
  const transaction = await insertPart(work, authorization, "capture", part, merchantAmount);
  await change(work, { ...authorization, ...(close && { status: "closed" as const }) });
  return transaction;
}

/**
 * Reverses an open authorization or part of it; returns the amount.
 * @throws IssuerError
 */
export async function reverseAuthorization(
  work: IssuerWork,
  id: string,
  status: "reversed" | "expired",
  amount?: number,
): Promise<number> {
  const authorization = await lockApproved(work, id);
  if (authorization.status !== "pending") throw new IssuerError(400, `The authorization is ${authorization.status}`);
  const left = await leftOf(work, authorization);
  const part = amount ?? left;
  if (part > left) throw new IssuerError(400, `Only ${left} of the authorization is left`);
  await change(work, {
    ...authorization,
    amount: authorization.amount - part,
    merchant_amount: authorization.merchant_amount - toMerchant(part, authorization),
    ...(part === left && { status }),
  });
  return part;
}

/**
 * Sets the amount that an open authorization ends with, as a petrol station does once the fuel has flowed.
 * @throws IssuerError
 */
export async function finalizeAmount(
  work: IssuerWork,
  id: string,
  { amount, details }: { amount: number; details: IssuerData },
): Promise<AuthorizationData> {
  const authorization = await lockApproved(work, id);
  if (authorization.status !== "pending") throw new IssuerError(400, `The authorization is ${authorization.status}`);
  const final = { ...authorization, ...details, amount, merchant_amount: toMerchant(amount, authorization) };
  await change(work, final);
  return final;
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
  return insertPart(work, authorization, "refund", part, merchantAmount);
}

/**
 * A capture or a refund that names no authorization.
 * @throws IssuerError for an unknown card
 */
export async function clearWithoutAuthorization(
  work: IssuerWork,
  card: string,
  { merchant, ...money }: ClearingInput,
): Promise<TransactionData> {
  const found = await findIssuerObject(work.tx, cardObject, card);
  if (!found) throw missing("card", card, "card", 400);
  return insertTransaction(work, {
    ...money,
    card,
    cardholder: found.data["cardholder"],
    merchantData: buildMerchantData(merchant),
    metadata: {},
    authorization: null,
  });
}

type ClearingInput = Pick<
  Parameters<typeof insertTransaction>[1],
  "type" | "amount" | "merchantAmount" | "currency" | "merchantCurrency"
> & { merchant: MerchantInput };
