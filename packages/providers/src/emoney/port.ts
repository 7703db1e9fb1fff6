/**
 * Bank account numbers and e-money, as any institution gives them.
 *
 * - profile: the person at the institution. - grant: what a consent gave us, a token that speaks for the person.
 * - notice: what a callback says; every number and amount in it was checked before it is one.
 */
import type { IbanCounterpart, ibanCurrencies, ibanOrderKinds, ibanOrderStates } from "@cardkeep/contract/ibanOrders";
import type { Address, Hex } from "@cardkeep/contract/primitives";

/** What a person's consent gave: whose it is, and a token that ends by itself. */
export interface Grant {
  accessToken: string;
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
  placedAt: Date;
}

export type EmoneyNotice =
  | { kind: "iban"; iban: AssignedIban }
  | { kind: "profile"; profileId: string }
  | { kind: "order"; order: EmoneyOrder }
  /** The handshake, and what we have no use for. */
  | { kind: "other" };

export interface EmoneyCallback {
  /** The same for every delivery of one notice. */
  id: string;
  type: string;
  /** When the institution said so. */
  reportedAt: Date;
  notice: EmoneyNotice;
}

/** `forged`: not from the institution, or too old. `senseless`: authentic, but no true statement: a bad checksum, a negative amount. */
export type CallbackFault = "forged" | "senseless";

/** Every method throws ProviderUnavailable or ProviderRefused; all may be called again with the same outcome. */
export interface EmoneyProvider {
  /**
   * Makes the person's profile under our id, from the file that the identity provider shares; `exists` when the
   * institution knows the person under another profile. The file is asked for only where it is still needed.
   */
  createProfile(input: { profileId: string; shareFile: () => Promise<string> }): Promise<"created" | "exists">;
  /** How far the institution is with a profile; a token speaks for the person instead of for us. */
  getProfileState(input: { profileId: string; accessToken: string | null }): Promise<"open" | "approved" | "rejected">;
  /** Links an address, shown to be its owner's by the signature of the declaration. */
  linkAddress(input: {
    profileId: string;
    address: Address;
    signature: Hex;
    accessToken: string | null;
  }): Promise<void>;
  /** Asks for an IBAN of a linked address; it comes by callback. */
  requestIban(input: { address: Address; accessToken: string | null }): Promise<void>;
  /** The IBAN of an address, or null while there is none. */
  findIban(input: { profileId: string; address: Address; accessToken: string | null }): Promise<AssignedIban | null>;
  /** Has notices sent to our address, unless they are already. */
  subscribe(input: { url: string }): Promise<void>;
  /** Where the person agrees that we use their profile (OAuth 2.0, PKCE with S256). */
  buildConsentUrl(input: { redirectUri: string; state: string; verifier: string; email: string }): string;
  /** What a consent gave; the code serves once, and only with the verifier of its own consent. */
  exchangeCode(input: { code: string; verifier: string; redirectUri: string }): Promise<Grant>;
  /** The notice in a raw body that is authentic and at most 300 s old by the wall clock. */
  parseCallback(input: {
    rawBody: string;
    headers: { id: string | null; timestamp: string | null; signature: string | null };
  }): EmoneyCallback | CallbackFault;
}
