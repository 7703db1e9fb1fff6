/** Uses a card: the issuer asks the service for a decision and stores the outcome. */
import { describeDecline, nameIssuerReason } from "@cardkeep/contract/spending/declineWords";
import { findIssuerObject, insertIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { toStripeAmount } from "@cardkeep/providers/issuer/stripeAmounts";
import { z } from "zod";
import { sendOnce } from "../deliver.ts";
import { requestWithFaults } from "../faults/callbackFaults.ts";
import { defineSandboxRoute, SandboxError } from "../core/route.ts";
import { readBalance } from "./balance.ts";
import { findCardholder, findHolderDecline } from "./cardholders.ts";
import { cardObject } from "./cards.ts";
import { isForbidden } from "./checkControls.ts";
import { decide, type Verdict } from "./decision.ts";
import { signIssuerEvent } from "./events.ts";
import { actAtIssuer, authorizationObject, findCardholderId, type IssuerData } from "./authorizations.ts";
import { buildAuthorization, type Use, usedCard } from "./buildAuthorization.ts";
import { decideAlone } from "./standIn.ts";
import { generateIssuerId } from "./route.ts";
import { walletTokenObject } from "./walletTokens.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

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
    /** The wallet token that pays in place of the card. */
    walletTokenId: z.string().optional(),
    threeDSecure: z.enum(["attempt_acknowledged", "authenticated", "failed", "required"]).optional(),
    /** Why the merchant's bank does not ask for 3-D Secure. */
    exemption: z.enum(["low_value_transaction", "transaction_risk_analysis", "unknown"]).optional(),
  }),
  example: { amount: 2550, currency: "EUR", merchant: "Corner Shop", mcc: groceries, country: "DE", type: "00" },
  run: async (runtime, { cardToken, merchant, city, country, type, ...use }) => {
    const mcc = use.mcc ?? (type === cash ? cashCategory : groceries);
    const merchantCurrency = use.merchantCurrency ?? use.currency;
    const { id, approved, reason, code, amount } = await requestAuthorization(runtime, {
      cardId: cardToken,
      ...use,
      method: use.method ?? (mcc === cashCategory ? "chip" : "online"),
      merchantAmount: toStripeAmount(use.merchantAmount ?? use.amount, merchantCurrency),
      merchantCurrency,
      merchant: { name: merchant, city, country: country.toUpperCase(), mcc },
      type,
    });
    const words = approved ? null : describeDecline(code);
    return {
      approved,
      reason,
      threadId: id,
      amount,
      ...(words && { code, happened: words.happened, remedy: words.remedy, user: words.user }),
    };
  },
});

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
  const wallet = await findWallet(runtime, use);
  const id = generateIssuerId("iauth");
  const now = await runtime.clock.now(runtime.db);
  const base = { ...buildAuthorization(id, now, use, of), wallet: wallet?.name ?? null };
  // The authorization exists as pending before the service is asked, so that the calls that decide it find it.
  await actAtIssuer(runtime, ({ tx }) =>
    insertIssuerObject(tx, { id, object: authorizationObject, data: base, hidden: {}, createdAt: now }),
  );
  const isUsable = wallet === null || wallet.status === "active";
  const ownReason = isUsable ? await findOwnDecline(runtime, of, base, now) : "not_allowed";
  const verdict = ownReason === null ? await requestDecision(runtime, base) : declineByIssuer(ownReason);
  const decided = await actAtIssuer(runtime, (work) => decide(work, id, verdict));
  const { approved, amount } = decided;
  const ours = decided.metadata["reason"];
  // A call of the older kind may have decided before the answer came.
  const isVerdict = approved === verdict.approved;
  const reason = ours ?? (isVerdict ? verdict.reason : approved ? "webhook_approved" : "webhook_declined");
  return { id, approved, reason, code: ours ?? nameIssuerReason(reason), amount };
}

/** The wallet of a use; null for the card itself. @throws SandboxError for a wallet token that is not the card's */
async function findWallet(
  { store }: SandboxRuntime,
  { cardId, walletTokenId }: Use,
): Promise<{ name: unknown; status: unknown } | null> {
  if (walletTokenId === undefined) return null;
  const found = await findIssuerObject(store, walletTokenObject, walletTokenId);
  if (found?.data["card"] !== cardId) throw new SandboxError(404, "No such wallet token of this card");
  return { name: found.data["wallet_provider"], status: found.data["status"] };
}

/** The issuer's own reason to decline the waiting request without asking the service; null without any. */
export async function findOwnDecline(
  { store }: SandboxRuntime,
  of: z.output<typeof usedCard>,
  authorization: IssuerData,
  now: Date,
): Promise<string | null> {
  if (of.status !== "active") return of.status === "canceled" ? "card_canceled" : "card_inactive";
  if (isExpired(of, now)) return "card_expired";
  const ofHolder = findHolderDecline(await findCardholder(store, findCardholderId(of.cardholder)));
  if (ofHolder !== null) return ofHolder;
  const controlled = {
    amount: controllable.parse(authorization["pending_request"]).amount,
    held: z.number().parse(authorization["amount"]),
    merchantData: asData.parse(authorization["merchant_data"]),
    cardPresence: String(authorization["card_presence"]),
  };
  if (await isForbidden(store, of, controlled, now)) return "spending_controls";
  const balance = await readBalance(store, String(authorization["currency"]));
  return controlled.amount > balance ? "insufficient_funds" : null;
}

const expiring = z.object({ exp_month: z.number(), exp_year: z.number() });

/** A card is valid to the end of its month. */
function isExpired(of: unknown, now: Date): boolean {
  const { exp_month: month, exp_year: year } = expiring.parse(of);
  return now.getTime() >= Date.UTC(year, month);
}

const asData = z.record(z.string(), z.unknown());

export const declineByIssuer = (reason: string): Verdict => ({ approved: false, reason, metadata: {} });

/** The issuer's time limit, and the service's own below it. Later the issuer decides by itself. */
const [answerMsMax, decisionMsMax] = [2_000, 450];

/** The time limit, longer by as much as the service takes longer. */
const limitOf = ({ settings }: SandboxRuntime): number => answerMsMax + settings.policy.decisionMsMax - decisionMsMax;

/** Sends the request once. An answer without the issuer's version header does not count. */
export async function requestDecision(runtime: SandboxRuntime, authorization: IssuerData): Promise<Verdict> {
  const callback = await signIssuerEvent(runtime, { type: "issuing_authorization.request", object: authorization });
  const { path, headers, body } = callback;
  const limitMs = limitOf(runtime);
  const signal = AbortSignal.timeout(limitMs);
  const response = await requestWithFaults(runtime, callback, {
    limitMs,
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
