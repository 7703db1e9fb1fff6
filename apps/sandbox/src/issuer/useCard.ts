/** Uses a card: the issuer asks the service for a decision and stores the outcome. */
import { describeDecline, nameIssuerReason } from "@cardkeep/contract/declineWords";
import { findIssuerObject, insertIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { sendOnce } from "../deliver.ts";
import { requestWithFaults } from "../faults/callbackFaults.ts";
import { defineSandboxRoute, SandboxError } from "../route.ts";
import { cardObject } from "./cards.ts";
import { isForbidden } from "./checkControls.ts";
import { decide, type Verdict } from "./decision.ts";
import { signIssuerEvent } from "./events.ts";
import {
  actAtIssuer,
  authorizationObject,
  buildMerchantData,
  findCardholderId,
  type IssuerData,
  type MerchantInput,
} from "./authorizations.ts";
import { decideAlone } from "./standIn.ts";
import { generateIssuerId, toUnixSeconds } from "./route.ts";
import type { SandboxRuntime } from "../openStore.ts";

const amountMax = 99_999_999;
const cash = "01";
const cashCategory = "6011";
const groceries = "5411";

export const useCard = defineSandboxRoute({
  method: "POST",
  path: "/issuer/cards/{cardToken}/authorizations",
  summary: "Uses a card: the issuer asks for an authorization. Amounts are in the currency's minor units",
  input: z.object({
    cardToken: z.string(),
    amount: z.int().min(0).max(amountMax),
    currency: z
      .string()
      .regex(/^[A-Za-z]{3}$/, "must be an ISO 4217 code")
      .default("EUR"),
    merchant: z.string().min(1).max(100).default("Corner Shop"),
    city: z.string().min(1).max(100).default("Berlin"),
    mcc: z
      .string()
      .regex(/^\d{4}$/, "must be four digits")
      .optional(),
    country: z
      .string()
      .regex(/^[A-Za-z]{2}$/, "must be an ISO 3166-1 alpha-2 code")
      .default("DE"),
    type: z
      .string()
      .regex(/^\d{2}$/, "must be two digits")
      .default("00"),
    /** The merchant's amount, when its currency is not the card's. */
    merchantAmount: z.int().min(0).max(amountMax).optional(),
    merchantCurrency: z
      .string()
      .regex(/^[A-Za-z]{3}$/, "must be an ISO 4217 code")
      .optional(),
    cvc: z.enum(["match", "mismatch", "not_provided"]).default("match"),
    /** How the card is read; by default online, and at a cash machine with the chip. */
    method: z.enum(["online", "chip", "contactless", "swipe", "keyed_in"]).optional(),
    /** Whether the merchant takes a part of the amount. */
    partial: z.boolean().default(false),
    /** Of the amount: the fee of the cash machine's owner, and cash beside a purchase. */
    fee: z.int().min(0).max(amountMax).default(0),
    cashback: z.int().min(0).max(amountMax).default(0),
  }),
  example: { amount: 2550, currency: "EUR", merchant: "Corner Shop", mcc: groceries, country: "DE", type: "00" },
  run: async (runtime, { cardToken, merchant, city, country, type, ...use }) => {
    const mcc = use.mcc ?? (type === cash ? cashCategory : groceries);
    const { id, approved, reason, code, amount } = await requestAuthorization(runtime, {
      cardId: cardToken,
      ...use,
      method: use.method ?? (mcc === cashCategory ? "chip" : "online"),
      merchantAmount: use.merchantAmount ?? use.amount,
      merchantCurrency: use.merchantCurrency ?? use.currency,
      merchant: { name: merchant, city, country: country.toUpperCase(), mcc },
      type,
    });
    const words = approved ? null : describeDecline(code);
    return {
      approved,
      reason,
      threadId: id,
      amount,
      ...(words && { code, happened: words.happened, user: words.user }),
    };
  },
});

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
}

/** Of a card what its use needs. */
export const usedCard = z.object({ id: z.string(), status: z.string(), cardholder: z.unknown() }).loose();
const answer = z.object({
  approved: z.boolean(),
  amount: z.int().positive().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
});

/**
 * Asks the service, writes the authorization with the outcome, and emits its event.
 * @throws SandboxError 404 for an unknown card
 */
async function requestAuthorization(
  runtime: SandboxRuntime,
  use: Use,
): Promise<{ id: string; approved: boolean; reason: string; code: string; amount: number }> {
  const row = await findIssuerObject(runtime.store, cardObject, use.cardId);
  if (!row) throw new SandboxError(404, "No such card");
  const of = usedCard.parse(row.data);
  const id = generateIssuerId("iauth");
  const now = await runtime.clock.now(runtime.db);
  const base = buildAuthorization(id, now, use, of);
  // The authorization exists as pending before the service is asked, so that the calls that decide it find it.
  await actAtIssuer(runtime, ({ tx }) =>
    insertIssuerObject(tx, { id, object: authorizationObject, data: base, hidden: {}, createdAt: now }),
  );
  const ownReason = await findOwnDecline(runtime, of, base, now);
  const verdict = ownReason === null ? await requestDecision(runtime, base) : declineByIssuer(ownReason);
  const decided = await actAtIssuer(runtime, (work) => decide(work, id, verdict));
  const { approved, amount } = decided;
  const ours = decided.metadata["reason"];
  // A call of the older kind may have decided before the answer came.
  const isVerdict = approved === verdict.approved;
  const reason = ours ?? (isVerdict ? verdict.reason : approved ? "webhook_approved" : "webhook_declined");
  return { id, approved, reason, code: ours ?? nameIssuerReason(reason), amount };
}

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
    token: null,
    transactions: [],
    verification_data: {
      address_line1_check: "not_provided",
      address_postal_code_check: "not_provided",
      authentication_exemption: null,
      cvc_check: use.cvc,
      expiry_check: "match",
      postal_code: null,
      three_d_secure: null,
    },
    verified_by_fraud_challenge: null,
    wallet: null,
  };
}

/** The issuer's own reason to decline the waiting request without asking the service; null without any. */
export async function findOwnDecline(
  { store }: SandboxRuntime,
  of: z.output<typeof usedCard>,
  authorization: IssuerData,
  now: Date,
): Promise<string | null> {
  if (of.status !== "active") return of.status === "canceled" ? "card_canceled" : "card_inactive";
  const controlled = {
    amount: controllable.parse(authorization["pending_request"]).amount,
    held: z.number().parse(authorization["amount"]),
    merchantData: asData.parse(authorization["merchant_data"]),
    cardPresence: String(authorization["card_presence"]),
  };
  return (await isForbidden(store, of, controlled, now)) ? "spending_controls" : null;
}

const asData = z.record(z.string(), z.unknown());

export const declineByIssuer = (reason: string): Verdict => ({ approved: false, reason, metadata: {} });

/** The issuer's time limit. Later the issuer decides by itself. */
const answerMsMax = 2_000;

/** Sends the request once. An answer without the issuer's version header does not count. */
export async function requestDecision(runtime: SandboxRuntime, authorization: IssuerData): Promise<Verdict> {
  const callback = signIssuerEvent(runtime, { type: "issuing_authorization.request", object: authorization });
  const { path, headers, body } = callback;
  const signal = AbortSignal.timeout(answerMsMax);
  const response = await requestWithFaults(runtime, callback, {
    limitMs: answerMsMax,
    sendOnce: (each) => sendOnce(runtime, each),
    ask: () =>
      fetch(`http://127.0.0.1:${runtime.settings.port}${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body,
        signal,
      }).catch(() => null),
  });
  const said = await response?.json().catch(() => null);
  const { amount: asked } = controllable.parse(authorization["pending_request"]);
  if (!response) return decideAlone(runtime, asked, "webhook_timeout");
  const parsed = answer.safeParse(said);
  if (response.status !== 200 || !response.headers.has("stripe-version") || !parsed.success) {
    return decideAlone(runtime, asked, "webhook_error");
  }
  const { approved, amount, metadata = {} } = parsed.data;
  if (amount !== undefined && !mayHold(authorization, amount)) {
    return decideAlone(runtime, asked, "webhook_error");
  }
  return { approved, reason: approved ? "webhook_approved" : "webhook_declined", metadata, ...(amount && { amount }) };
}

/** An answer may name an amount only where the request says so, and no more than what was asked for. */
function mayHold({ pending_request: pending }: IssuerData, amount: number): boolean {
  const { success, data } = controllable.safeParse(pending);
  return success && data.is_amount_controllable && amount <= data.amount;
}

const controllable = z.object({ is_amount_controllable: z.boolean(), amount: z.number() }).loose();
