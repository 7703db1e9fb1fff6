/**
 * A card issuer of any kind.
 *
 * - cardholder: the person at the issuer.
 * - reference: our own name of a future card; the issuer stores it.
 * - callback: a message of the issuer, verified by us.
 */
import type { CardholderStatus, IssuerStatus, ShippingStatus } from "@cardkeep/contract/cards/cards";
import type { CallbackError } from "../callbackError.ts";
import type { IssuerControls } from "./controls.ts";
import type { DisputeIssuer } from "./disputes.ts";
import type { WalletTokenStatus } from "@cardkeep/contract/cards/walletTokens";
import type { AuthorizationRequest, SpendingIssuer } from "./spending.ts";

interface PostalAddress {
  line1: string;
  line2: string | null;
  city: string;
  postalCode: string;
  state: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string;
}

export interface Cardholder {
  userId: string;
  firstName: string;
  lastName: string;
  /** Null: the issuer keeps the one that it has. */
  email: string | null;
  /** E.164. */
  phone: string;
  /** `YYYY-MM-DD`. */
  birthDate: string | null;
  address: PostalAddress;
}

export interface CardRequest {
  /** The same for every request for the same card. */
  reference: string;
  /** Our order that the card is of; null for a card without one. The issuer stores it. */
  orderId: string | null;
  cardholderId: string;
  currency: "EUR" | "GBP" | "USD";
  /** A second line on the card; null for the cardholder's name alone. */
  secondLine: string | null;
  /** Null for a virtual card. */
  shipping: { name: string; phone: string; address: PostalAddress } | null;
  /** The output of `sealPin`; with null the issuer chooses a random PIN. */
  sealedPin: string | null;
  controls: IssuerControls;
}

/** A card of the issuer; a new physical one is inactive, a new virtual one active. */
export interface IssuedCard {
  /** Our reference. */
  reference: string | null;
  cardToken: string;
  lastFourDigits: string;
  /** When its last month ends, UTC. */
  expiresAt: Date;
  status: IssuerStatus;
  /** Null for a virtual card. */
  shippingStatus: ShippingStatus | null;
}

/** A card in a list, with the person that it was made for. */
export interface ListedCard extends IssuedCard {
  cardholderId: string;
  /** Our order that it was made for; null without one, and for a card that others or older versions made. */
  orderId: string | null;
  isVirtual: boolean;
}

/** A card's present state at the issuer. */
export interface CardChange {
  kind: "card";
  cardToken: string;
  status: IssuerStatus;
  /** Why it was cancelled, if the issuer names a reason. */
  cancelledAs: "lost" | "stolen" | null;
  shippingStatus: ShippingStatus | null;
  /** The newest sign that the card's details are in other hands, in the issuer's word. */
  fraudWarning: { type: string; startedAt: Date | null } | null;
  /** Our reference; null for a card that others made. */
  reference: string | null;
}

/** A person's present state at the issuer. */
export interface CardholderChange {
  kind: "cardholder";
  cardholderId: string;
  status: string;
  /** Why the issuer declines all cards of this person. */
  disabledReason: string | null;
  /** The fields that the issuer misses. */
  pastDue: readonly string[];
}

/** A wallet token's present state. */
export interface WalletTokenReport {
  id: string;
  cardToken: string;
  status: WalletTokenStatus;
  /** When the wallet asked for it, to the second. */
  createdAt: Date;
  wallet: string | null;
  network: string;
  deviceType: string | null;
  deviceName: string | null;
  lastFourDigits: string | null;
}

/** The operator's own money at the issuer, in one currency. */
export interface IssuerBalance {
  /** ISO 4217, in capital letters. */
  currency: string;
  /** In minor units; below zero the operator owes the issuer. */
  amountCents: number;
}

/** What moved the operator's balance at the issuer; holds do not. */
export interface BalanceEntry {
  /** The issuer's id of it. */
  id: string;
  /** The issuer's word for it: `issuing_transaction`, `topup`, `stripe_fee`. */
  kind: string;
  /** ISO 4217, in capital letters. */
  currency: string;
  /** In minor units; below zero leaves the balance. */
  amountCents: bigint;
  /** The object that moved it: a transaction, a dispute; null for a top-up. */
  source: string | null;
  at: Date;
}

/** Where the operator sends money for the payments of all cards. */
export interface FundingAccount {
  iban: string;
  bic: string | null;
  /** The account's holder. */
  name: string;
}

export type IssuerCallback = {
  /** The same for every delivery of one callback. */
  id: string;
  type: string;
  createdAt: Date;
  /** Whether it comes from the issuer's test environment. */
  testMode: boolean;
  /** The object that it is about; null for an unreadable one. */
  objectId: string | null;
} & (
  | CardChange
  | CardholderChange
  /** A card is being used, and the issuer waits for the answer. Null for an unreadable request. */
  | { kind: "authorization"; request: AuthorizationRequest | null }
  /** A use of a card has changed; read its present state from the issuer, which does not say when it expired. */
  | { kind: "thread"; threadId: string; isExpired: boolean }
  /** A dispute has changed; read its present state from the issuer. `reference` is our id of it. */
  | { kind: "dispute"; issuerDisputeId: string; reference: string | null }
  /** A wallet token has changed; read its present state from the issuer. */
  | { kind: "walletToken"; walletTokenId: string }
  /** Of a type that is ignored on purpose. */
  | { kind: "ignored" }
  /** Of a type that nothing here knows, or about an object that cannot be read. */
  | { kind: "unknown" }
);

/**
 * Every method with a promise, except `parseCallback`, throws ProviderUnavailable or ProviderRefused if the issuer
 * fails or refuses.
 */
export interface CardIssuer extends SpendingIssuer, DisputeIssuer {
  /** Headers that the issuer requires on an answer to an authorization; without them the answer does not count. */
  readonly answerHeaders: Readonly<Record<string, string>>;
  /** Creates a cardholder, or updates the one with this id; returns the issuer's id. */
  saveCardholder(cardholder: Cardholder, issuerId: string | null): Promise<string>;
  /**
   * Encrypts a PIN for the issuer alone; the text differs each time.
   * @throws ProviderRefused without a key of the issuer
   */
  sealPin(pin: string): Promise<string>;
  /**
   * Creates one card per reference and request, at least for a day after the first call. Later calls must first use
   * `findCard`.
   */
  createCard(request: CardRequest): Promise<IssuedCard>;
  /** The card for a reference, or null. */
  findCard(input: { cardholderId: string; reference: string }): Promise<IssuedCard | null>;
  /** Every card that was made since an instant, oldest first. */
  listCards(since: Date): Promise<ListedCard[]>;
  /** Replaces what the issuer forbids a card by itself; it never allows more than the account's largest daily limit. */
  setSpendingControls(cardToken: string, controls: IssuerControls): Promise<void>;
  /**
   * Sets whether a card can spend. `canceled` is permanent. A card that already has this status stays unchanged. Each of at
   * most two requests ends after `timeoutMs`, where that is below the usual limit.
   */
  setCardStatus(
    cardToken: string,
    status: IssuerStatus,
    cancelledAs: "lost" | "stolen" | null,
    timeoutMs?: number,
  ): Promise<void>;
  /** Sets whether any card of a person can spend. The statuses of the cards stay; `timeoutMs` as for a card. */
  setCardholderStatus(cardholderId: string, status: CardholderStatus, timeoutMs?: number): Promise<void>;
  /** The people and cards that are inactive at the issuer. */
  listInactive(): Promise<{ cardholderIds: string[]; cardTokens: string[] }>;
  /** What the operator has at the issuer for the payments of all cards, without what is held of it, in each currency. */
  readBalances(): Promise<IssuerBalance[]>;
  /** What moved that balance from one instant to before another, to the second, oldest first: all, or one kind. */
  listBalanceEntries(span: { from: Date; to: Date; kind?: "topup" }): Promise<BalanceEntry[]>;
  /** The bank account that tops up the balance of a currency; null where the issuer has none for it. */
  findFundingAccount(currency: string): Promise<FundingAccount | null>;
  /** A wallet token's present state; null for an unknown one. */
  findWalletToken(id: string): Promise<WalletTokenReport | null>;
  /** Sets whether a wallet token can pay. `deleted` is permanent. */
  setWalletTokenStatus(id: string, status: Exclude<WalletTokenStatus, "requested">): Promise<void>;
  /**
   * The callbacks about cards, people and wallet tokens since an instant, oldest first, whether they arrived or not. The issuer
   * keeps them for 30 days.
   */
  listCallbacks(since: Date): Promise<IssuerCallback[]>;
  /** Whether a number is the card's number. Where the issuer does not show that, the last digits decide: of physical cards. */
  hasNumber(cardToken: string, number: string): Promise<boolean>;
  /**
   * The callback in a raw body whose signature is the issuer's; forged also if it is dated more than 300 s before or after
   * now.
   */
  parseCallback(input: { rawBody: string; signature: string | null }): Promise<IssuerCallback | CallbackError>;
}
