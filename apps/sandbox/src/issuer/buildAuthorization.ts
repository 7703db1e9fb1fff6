import { z } from "zod";
import {
  authorizationObject,
  buildMerchantData,
  findCardholderId,
  type IssuerData,
  type MerchantInput,
} from "./authorizations.ts";
import { toUnixSeconds } from "./route.ts";

/** A use of a card at a merchant, as the merchant's terminal asks for it. */
export interface Use {
  cardId: string;
  amount: number;
  currency: string;
  merchantAmount: number;
  merchantCurrency: string;
  merchant: MerchantInput;
  type: string;
  cvc: string;
  /** The issuer's name of how the card is read; online if absent. */
  method?: string;
  partial: boolean;
  fee: number;
  cashback: number;
  walletTokenId?: string | undefined;
  threeDSecure?: string | undefined;
  exemption?: string | undefined;
}

/** Of a card what its use needs. */
export const usedCard = z.object({ id: z.string(), status: z.string(), cardholder: z.unknown() }).loose();

/** Ways to read a card for which the merchant does not need it. */
const withoutCard = ["online", "keyed_in"];

/** An authorization whose first request waits for its answer. */
export function buildAuthorization(id: string, now: Date, use: Use, of: z.output<typeof usedCard>): IssuerData {
  const [currency, merchantCurrency] = [use.currency.toLowerCase(), use.merchantCurrency.toLowerCase()];
  const method = use.method ?? "online";
  return {
    id,
    object: authorizationObject,
    amount: 0,
    amount_details: null,
    approved: false,
    authorization_method: method,
    balance_transactions: [],
    card: of,
    card_presence: withoutCard.includes(method) ? "not_present" : "present",
    cardholder: findCardholderId(of.cardholder),
    created: toUnixSeconds(now),
    currency,
    fleet: null,
    fuel: null,
    livemode: false,
    merchant_amount: 0,
    merchant_currency: merchantCurrency,
    merchant_data: buildMerchantData(use.merchant),
    metadata: use.type === "00" ? {} : { transaction_type: use.type },
    network_data: null,
    pending_request: {
      amount: use.amount,
      amount_details: { atm_fee: use.fee || null, cashback_amount: use.cashback || null },
      currency,
      is_amount_controllable: use.partial,
      merchant_amount: use.merchantAmount,
      merchant_currency: merchantCurrency,
      network_risk_score: null,
    },
    request_history: [],
    status: "pending",
    token: use.walletTokenId ?? null,
    transactions: [],
    verification_data: {
      address_line1_check: "not_provided",
      address_postal_code_check: "not_provided",
      authentication_exemption: use.exemption === undefined ? null : { claimed_by: "acquirer", type: use.exemption },
      cvc_check: use.cvc,
      expiry_check: "match",
      postal_code: null,
      three_d_secure: use.threeDSecure === undefined ? null : { result: use.threeDSecure },
    },
    verified_by_fraud_challenge: null,
    wallet: null,
  };
}
