/**
 * A card issuer, as any of them gives it.
 *
 * - cardholder: the person as the issuer knows them. - reference: our own name of a card to be; the issuer keeps it.
 * - callback: the issuer's own notice, verified by us.
 */
import type { IssuerStatus, ShippingStatus } from "@cardkeep/contract/cards";
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
  email: string;
  /** E.164. */
  phone: string;
  /** `YYYY-MM-DD`. */
  birthDate: string | null;
  address: PostalAddress;
}

export interface CardRequest {
  /** The same for the same card, however often it is asked for. */
  reference: string;
  cardholderId: string;
  currency: "EUR" | "GBP" | "USD";
  /** A second line on the card; null for the cardholder's name alone. */
  secondLine: string | null;
  /** Null for a virtual card. */
  shipping: { name: string; phone: string; address: PostalAddress } | null;
  /** What `sealPin` made; null has the issuer choose a random one. */
  sealedPin: string | null;
}

/** A card that the issuer made; a physical one is inactive, a virtual one active. */
export interface IssuedCard {
  /** Our reference. */
  reference: string | null;
  cardToken: string;
  lastFourDigits: string;
  /** When its last month is over, UTC. */
  expiresAt: Date;
  status: IssuerStatus;
  /** Null for a virtual card. */
  shippingStatus: ShippingStatus | null;
}

/** A card as the issuer has it now. */
export interface CardNotice {
  kind: "card";
  cardToken: string;
  status: IssuerStatus;
  /** Why it was cancelled, where the issuer says so. */
  cancelledAs: "lost" | "stolen" | null;
  shippingStatus: ShippingStatus | null;
}

export type IssuerCallback = {
  /** The same for every delivery of one notice. */
  id: string;
  type: string;
  createdAt: Date;
  /** Whether it comes from the issuer's test environment. */
  testMode: boolean;
} & (
  | CardNotice
  /** A card is being used: the issuer waits for the answer. Null: the request cannot be read. */
  | { kind: "authorization"; request: AuthorizationRequest | null }
  /** Something is new about a use of a card, and the issuer is to be asked what. */
  | { kind: "thread"; threadId: string }
  | { kind: "other" }
);

/** Every method that answers a promise, but for `parseCallback`, throws ProviderUnavailable or ProviderRefused when the issuer does not do as asked. */
export interface CardIssuer extends SpendingIssuer {
  /** Headers without which the issuer takes an answer to an authorization for none. */
  readonly answerHeaders: Readonly<Record<string, string>>;
  /** Makes a cardholder, or brings the one with this id up to date; answers the issuer's id. */
  saveCardholder(cardholder: Cardholder, issuerId: string | null): Promise<string>;
  /** Encrypts a PIN so that only the issuer can read it; another text each time. @throws ProviderRefused where no key of the issuer is set */
  sealPin(pin: string): Promise<string>;
  /**
   * Makes one card per reference, where the same is asked for; at least for the day after the first call, so that later
   * ones look with `findCard` first.
   */
  createCard(request: CardRequest): Promise<IssuedCard>;
  /** The card that was made for a reference, or null. */
  findCard(input: { cardholderId: string; reference: string }): Promise<IssuedCard | null>;
  /** Has a card spend or not; `canceled` is for good, and what is so already stays so. */
  setCardStatus(cardToken: string, status: IssuerStatus, cancelledAs: "lost" | "stolen" | null): Promise<void>;
  /** Whether a number is the one on the card. */
  hasNumber(cardToken: string, number: string): Promise<boolean>;
  /**
   * The notice in a raw body; null when the signature is not the issuer's, is dated more than 300 s before or after now,
   * or when the body makes no sense.
   */
  parseCallback(input: { rawBody: string; signature: string | null }): Promise<IssuerCallback | null>;
}
