/**
 * The error catalogue: every error that a caller can receive, with its status and text. One table, so that a code is looked up once.
 *
 * - code: stable name, `noun.reason`; on tRPC it travels as `data.error`.
 * - style: how REST wraps the text; a route has its own, a catalogue entry may insist on another.
 */
import { disputeErrors } from "./disputeErrors.ts";
import { accountErrors } from "./accountErrors.ts";
import { cardErrors } from "./cardErrors.ts";
import { operatorErrors } from "./operatorErrors.ts";
import { orderErrors } from "./orderErrors.ts";
import { ruleErrors } from "./ruleErrors.ts";
import { treasuryErrors } from "./treasuryErrors.ts";

/**
 * How a REST body carries an error text. `bare` is a JSON string without an object around it; `errors` and `data` are
 * objects that hold the text and the details.
 */
export type ErrorStyle = "error" | "message" | "bare" | "errors" | "data";

interface ErrorEntry {
  readonly status: number;
  readonly text: string;
  /** When it occurs, where other errors have the same text. */
  readonly occasion?: string;
  readonly style?: ErrorStyle;
  /** What its REST body holds besides the text. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

const catalogue = {
  "request.invalid_json": { status: 400, text: "Invalid JSON", style: "error" },
  "request.invalid": { status: 422, text: "Invalid request" },
  /** For routes whose interface has no 422: one that lists this code answers it instead of `request.invalid`. */
  "request.malformed": { status: 400, text: "Invalid request" },
  "request.not_found": { status: 404, text: "Not found", style: "error" },
  "request.method_not_allowed": { status: 405, text: "Method not allowed", style: "error" },
  "request.too_large": { status: 413, text: "Request body too large", style: "error" },
  "request.too_slow": { status: 408, text: "Request body took too long", style: "error" },
  "request.batch_too_large": { status: 400, text: "A tRPC batch holds at most 50 calls" },
  "request.rate_limited": { status: 429, text: "Too many requests", style: "error" },
  "idempotency.invalid_key": { status: 422, text: "Idempotency-Key is invalid", style: "error" },
  "idempotency.in_flight": { status: 409, text: "A request with this Idempotency-Key is in progress", style: "error" },
  "idempotency.mismatch": { status: 422, text: "Idempotency-Key was used with another body", style: "error" },
  "server.internal": { status: 500, text: "Internal server error" },
  "server.unavailable": { status: 503, text: "Service temporarily unavailable" },

  /** Faults of a token: the published text, and a code for each. Every route that needs a token may answer them. */
  "auth.token_missing": {
    status: 401,
    text: "Unauthorized",
    occasion: "The request carries no `Authorization` header",
  },
  "auth.token_expired": { status: 401, text: "Unauthorized", occasion: "The access token has expired: sign in again" },
  "auth.token_invalid": {
    status: 401,
    text: "Unauthorized",
    occasion:
      "The token is no access token of this service, its wallet or user is gone, or it is another user's; on partners' routes: an unknown key",
  },
  "auth.sign_up_required": {
    status: 401,
    text: "Unauthorized",
    occasion: "The wallet has signed in, and belongs to no user yet: sign up",
  },
  "auth.scope_missing": {
    status: 403,
    text: "This key does not have the scope for it",
    occasion:
      "A user's token reads what its scopes name, and changes nothing; a partner's key opens the routes of its scopes",
  },
  "auth.invalid_signature": {
    status: 401,
    text: "Invalid signature",
    occasion: "The signature is not the wallet's; at `/callbacks/*`: not the partner's",
  },
  /** Faults of a sign-in message: the published text, and a code for each. */
  "auth.malformed_message": {
    status: 401,
    text: "Invalid signature",
    occasion: "The message is no sign-in message of EIP-4361",
  },
  "auth.invalid_nonce": { status: 401, text: "Invalid signature", occasion: "The nonce is unknown, used or too old" },
  "auth.expired_message": { status: 401, text: "Invalid signature", occasion: "The message has expired" },
  "auth.early_message": { status: 401, text: "Invalid signature", occasion: "The message is not valid yet" },
  "auth.wrong_chain": { status: 401, text: "Invalid signature", occasion: "The message names another chain" },
  "auth.unknown_domain": {
    status: 401,
    text: "Invalid signature",
    occasion: "The message names a domain that no app has registered",
  },
  "callbacks.senseless": { status: 422, text: "The callback has a body that cannot be true", style: "error" },
  "callbacks.unknown_subject": {
    status: 409,
    text: "The callback does not fit the service's records",
    style: "error",
  },
  "auth.invalid_otp": { status: 401, text: "Invalid or expired OTP" },
  "auth.unknown_partner": { status: 400, text: "Invalid partner ID" },
  "auth.mail_unavailable": { status: 502, text: "Mail is temporarily unavailable" },
  "auth.invalid_email": { status: 422, text: "Invalid email format" },
  "auth.sign_ups_stopped": { status: 503, text: "Sign-ups are stopped for the moment. Please try again later" },
  "auth.already_registered": {
    status: 409,
    text: "Email address already registered or Wallet address already associated with another account",
  },

  "signInWallets.taken": { status: 409, text: "This address already belongs to an account" },
  "signInWallets.unsuitable": { status: 422, text: "This address cannot sign in" },
  "signInWallets.too_many": { status: 409, text: "An account has at most 20 sign-in wallets" },
  "signInWallets.not_found": { status: 404, text: "EOA account not found" },
  "signInWallets.last": { status: 403, text: "The last sign-in wallet cannot be removed" },

  "statements.not_found": { status: 404, text: "There is no statement of this month" },
  "statements.invalid_range": { status: 422, text: "from and to are needed together, and from is before to" },
  "statements.too_long": {
    status: 422,
    text: "A range has at most 366 days and 20000 lines, the present month 10000: ask for fewer days",
  },
  "statements.in_volumes": { status: 409, text: "This month is in volumes: ask for each of them by volume" },
  "statements.in_progress": { status: 409, text: "The volumes of this month are being made: ask again later" },
  "statements.too_many_pages": {
    status: 422,
    text: "A PDF has at most 20000 entries: ask for json, csv or camt053",
  },

  "tokens.not_found": { status: 404, text: "Token not found" },
  "tokens.too_many": { status: 409, text: "A user has at most 20 tokens" },
  "tokens.past_expiry": { status: 422, text: "expiresAt is not in the future" },
  "users.unknown_language": { status: 422, text: "Unknown language" },

  "terms.unknown": { status: 422, text: "Unknown terms or not the current version" },
  "terms.published": { status: 409, text: "This version was published before: give the new one another name" },

  "kyc.already_approved": { status: 409, text: "The user has already been approved" },
  "kyc.provider_unavailable": { status: 502, text: "Identity verification is temporarily unavailable", style: "error" },

  "kyc.not_approved": { status: 422, text: "User needs to be KYC approved" },
  "kyc.share_refused": { status: 422, text: "The identity provider does not share with this client" },

  "sourceOfFunds.unknown_question": { status: 422, text: "Unknown question" },
  "sourceOfFunds.unknown_answer": { status: 422, text: "Unknown answer" },
  "sourceOfFunds.incomplete": { status: 422, text: "Every question has to be answered once" },

  "phone.provider_unavailable": { status: 502, text: "Text messages are temporarily unavailable" },
  "phone.invalid": { status: 422, text: "Invalid phone number" },
  "phone.taken": { status: 422, text: "Phone number already validated" },
  "phone.kyc_required": { status: 422, text: "User needs to be KYC approved" },
  "phone.missing": { status: 422, text: "User has no phone number" },
  "phone.wrong_code": { status: 422, text: "Verification failed" },

  ...accountErrors,

  "users.not_found": { status: 404, text: "There is no such user" },
  "users.held": { status: 409, text: "A legal hold about this user is open" },
  "users.not_held": { status: 409, text: "No legal hold about this user is open" },
  "users.contact_invalid": { status: 422, text: "Give a mail address, or a phone number in E.164 form" },
  "users.contact_taken": { status: 409, text: "This address or number belongs to an account already" },
  "users.contact_new": { status: 409, text: "A contact of this user has just changed: wait until the window ends" },
  "users.no_contact": { status: 409, text: "The user has no such contact, or no proven one that could confirm it" },
  "users.no_change": { status: 409, text: "No change of a contact waits for this user" },
  "users.busy": { status: 409, text: "Something of this user is under way" },
  "users.deactivated": { status: 403, text: "The user is deactivated and can only withdraw", style: "error" },

  "partners.not_found": { status: 404, text: "There is no such partner" },
  "partners.invalid_domain": {
    status: 422,
    text: "A domain is a lower-case host or host:port, without scheme or path",
  },
  "partners.invalid_url": {
    status: 422,
    text: "A webhook address is https and public, without credentials, blanks and ports of other services; outside production it may also be http, or a receiver at localhost, by this name",
  },
  "partners.no_webhook": { status: 422, text: "The partner has no webhook address" },
  "partners.past_expiry": { status: 422, text: "The key would have ended already" },
  "partners.taken": { status: 409, text: "A partner with this id or domain exists" },
  ...orderErrors,
  ...cardErrors,

  "ibans.unavailable": { status: 422, text: "An IBAN is not available to this user" },
  "ibans.invalid_signature": { status: 422, text: "Invalid signature" },
  "ibans.invalid_callback_url": { status: 400, text: "callbackUrl is not an address of a registered app" },
  "ibans.profile_exists": { status: 422, text: "The user already has an e-money profile", style: "errors" },
  "ibans.integration_exists": { status: 400, text: "The user already has an e-money profile", style: "data" },
  "ibans.signature_required": { status: 400, text: "The signature of an owner is needed once", style: "data" },
  "ibans.provider_unavailable": { status: 502, text: "IBANs are temporarily unavailable", style: "error" },

  "accounts.unsuitable_destination": {
    status: 422,
    text: "Invalid to address",
    occasion: "Money cannot be sent there: it is a token, a part of the account, a shared contract or a precompile",
  },
  "accounts.insufficient_balance": { status: 422, text: "Insufficient balance" },
  "accounts.withdrawals_stopped": { status: 503, text: "Withdrawals are stopped for the moment. Please try later" },
  "accounts.transfer_refused": { status: 422, text: "The token refuses this transfer" },

  "transactions.not_found": { status: 404, text: "Transaction not found" },
  ...disputeErrors,
  ...treasuryErrors,

  "webhooks.foreign_wallet": { status: 400, text: "The wallet is not one of the user's" },
  "webhooks.invalid_message": { status: 400, text: "Invalid message or signature" },
  "webhooks.already_subscribed": { status: 409, text: "The partner is already subscribed" },
  "webhooks.not_found": { status: 404, text: "There is no such delivery" },

  ...operatorErrors,
  ...ruleErrors,
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof catalogue;

/** Status, text and style of every error of the catalogue. */
export const errors: Readonly<Record<ErrorCode, ErrorEntry>> = catalogue;

const codes = Object.fromEntries(Object.keys(catalogue).map((code) => [code, code]));
/** Every code by its own name: an editor shows its status and its text there, and no typing mistake compiles. */
export const errorCodes = codes as { readonly [Code in ErrorCode]: Code };

/** Codes of a missing or wrong token. Their access says which routes may answer them, so no route lists them. */
export const tokenErrors = [
  "auth.token_missing",
  "auth.token_expired",
  "auth.token_invalid",
  "auth.sign_up_required",
] as const satisfies readonly ErrorCode[];
export type TokenError = (typeof tokenErrors)[number];

/** Codes that any route may answer, so no route lists them. */
export const commonErrors: readonly ErrorCode[] = [
  "request.invalid_json",
  "request.too_large",
  "request.rate_limited",
  "auth.scope_missing",
  "users.deactivated",
  "idempotency.invalid_key",
  "idempotency.in_flight",
  "idempotency.mismatch",
  "server.internal",
  "server.unavailable",
];
