/** What ends or sizes an open authorization without moving money: reversal, expiry, its final amount. */
import type { AuthorizationData, IssuerData } from "./authorizations.ts";
import { change, leftOf, lockApproved, toMerchant } from "./captures.ts";
import { IssuerError, type IssuerWork } from "./route.ts";

/** Locks an approved authorization that is open. @throws IssuerError */
async function lockPending(work: IssuerWork, id: string): Promise<AuthorizationData> {
  const authorization = await lockApproved(work, id);
  if (authorization.status !== "pending") throw new IssuerError(400, `The authorization is ${authorization.status}`);
  return authorization;
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
  const authorization = await lockPending(work, id);
  const left = await leftOf(work, authorization);
  const part = amount ?? left;
  if (part > left) throw new IssuerError(400, `Only ${left} of the authorization is left`);
  const changed = {
    ...authorization,
    amount: authorization.amount - part,
    merchant_amount: authorization.merchant_amount - toMerchant(part, authorization),
    ...(part === left && { status }),
  };
  await change(work, changed, [left, left - part]);
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
  const authorization = await lockPending(work, id);
  const final = { ...authorization, ...details, amount, merchant_amount: toMerchant(amount, authorization) };
  const held = [await leftOf(work, authorization), await leftOf(work, final)] as const;
  await change(work, final, held);
  return final;
}

/** Closes an open authorization without a capture; it keeps its amount. @throws IssuerError */
export async function closeAuthorization(work: IssuerWork, id: string): Promise<number> {
  const authorization = await lockPending(work, id);
  await change(work, { ...authorization, status: "closed" }, [await leftOf(work, authorization), 0]);
  return authorization.amount;
}
