/**
 * Bank account numbers and e-money of any institution.
 *
 * - profile: the person at the institution.
 * - grant: the result of a consent, a token that acts for the person.
 * - event: the content of a callback; every number and amount in it was checked.
 */
import type {
  IbanCounterpart,
  ibanCurrencies,
  ibanOrderKinds,
  ibanOrderStates,
} from "@cardkeep/contract/users/ibanOrders";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { CallbackError } from "../callbackError.ts";

/** Tokens that act for a person: one for an hour, and one that gives the next ones, once. */
export interface ConsentTokens {
  accessToken: string;
  refreshToken: string | null;
}

/** The result of a person's consent: the person, and tokens. */
export interface Grant extends ConsentTokens {
  profileId: string;
  email: string;
}

export interface AssignedIban {
  iban: string;
  bic: string | null;
  profileId: string;
  address: Address;
}

export interface EmoneyOrder {
  id: string;
  profileId: string;
  kind: (typeof ibanOrderKinds)[number];
  currency: (typeof ibanCurrencies)[number];
  /** Decimal, above zero. */
  amount: string;
  address: Address;
  counterpart: IbanCounterpart;
  state: (typeof ibanOrderStates)[number];
  memo: string | null;
  /** The bank's reference. */
  referenceNumber: string | null;
  placedAt: Date;
  processedAt: Date | null;
  rejectedReason: string | null;
  /** The transactions that minted or burnt its tokens. */
  txHashes: Hex[];
}

/** The orders of a profile, and the ids of those that cannot be read. */
export interface ProfileOrders {
  orders: EmoneyOrder[];
  unreadable: string[];
}

/** An order of the operator's own account that sends money to a bank. */
export interface RedeemOrder {
  /** Our UUID: the institution takes one order of a name. */
  id: string;
  address: Address;
  currency: (typeof ibanCurrencies)[number];
  /** Decimal with at most two places. */
  amount: string;
  iban: string;
  /** The account's holder. */
  name: string;
  memo: string;
  /** What the account signed, from `describeRedeem`, and its signature. */
  message: string;
  signature: Hex;
  /** The institution's id of the supporting document, from 15,000 on. */
  documentId: string | null;
}

/** What became of such an order. */
export interface RedeemState {
  state: (typeof ibanOrderStates)[number];
  /** Empty where the burn is not named, or not yet. */
  txHashes: Hex[];
  processedAt: Date | null;
  rejectedReason: string | null;
}

export type EmoneyChange =
  | { kind: "iban"; iban: AssignedIban }
  | { kind: "profile"; profileId: string }
  | { kind: "order"; order: EmoneyOrder }
  /** The handshake, events that we do not use, and what is of another chain. */
  | { kind: "other" };

export interface EmoneyCallback {
  /** The same for every delivery of one event. */
  id: string;
  type: string;
  /** When the institution sent it. */
  reportedAt: Date;
  change: EmoneyChange;
}

/** Every method throws ProviderUnavailable or ProviderRefused. A repeated call has the same outcome. */
export interface EmoneyProvider {
  /**
   * Creates the person's profile under our id, from the file that the identity provider shares. `exists` means that the
   * person has another profile at the institution. The file is requested only if it is still needed.
   */
  createProfile(input: { profileId: string; shareFile: () => Promise<string> }): Promise<"created" | "exists">;
  /** The status of a profile; with a token, the request acts for the person. */
  getProfileState(input: { profileId: string; accessToken: string | null }): Promise<"open" | "approved" | "rejected">;
  /** Links an address. The signature of the declaration proves its owner. */
  linkAddress(input: {
    profileId: string;
    address: Address;
    signature: Hex;
    accessToken: string | null;
  }): Promise<void>;
  /** Requests an IBAN for a linked address; it arrives by callback. */
  requestIban(input: { address: Address; accessToken: string | null }): Promise<void>;
  /** The IBAN of an address, or null before there is one. */
  findIban(input: { profileId: string; address: Address; accessToken: string | null }): Promise<AssignedIban | null>;
  /** Every order on our chain of one profile that we created. The institution's lists have no pages, so those of all profiles are never asked for at once. */
  listOrders(input: { profileId: string }): Promise<ProfileOrders>;
  /** The profiles that we created. */
  listProfiles(): Promise<{ id: string; isApproved: boolean }[]>;
  /** What an account has to sign, so that the institution takes an order. It counts for five minutes. */
  describeRedeem(order: Pick<RedeemOrder, "currency" | "amount" | "iban">, at: Date): string;
  /** Places an order. One of the same id that is known already stays as it is. */
  placeRedeem(order: RedeemOrder): Promise<void>;
  /** What became of an order; null where the institution has none of this id. */
  findRedeem(input: { id: string }): Promise<RedeemState | null>;
  /** What the institution owes at a linked address of the operator's own, by currency as decimals. */
  readBalances(input: { address: Address }): Promise<{ currency: string; amount: string }[]>;
  /** Subscribes our address to all events that we use, if it is not subscribed to them yet. */
  subscribe(input: { url: string }): Promise<void>;
  /** Subscribes our address with another secret, and ends its earlier subscriptions then. */
  renewSubscription(input: { url: string; secret: string }): Promise<void>;
  /** The page where the person agrees that we use their profile (OAuth 2.0, PKCE with S256). */
  buildConsentUrl(input: { redirectUri: string; state: string; verifier: string; email: string }): string;
  /** The grant of a consent. The code is valid once, and only with its own verifier. */
  exchangeCode(input: { code: string; verifier: string; redirectUri: string }): Promise<Grant>;
  /** The next tokens of a consent. The refresh token is valid once. */
  renewConsent(input: { refreshToken: string }): Promise<ConsentTokens>;
  /** The event in a raw body that is authentic and at most 300 s old by the wall clock. */
  parseCallback(input: {
    rawBody: string;
    headers: { id: string | null; timestamp: string | null; signature: string | null };
  }): EmoneyCallback | CallbackError;
}
