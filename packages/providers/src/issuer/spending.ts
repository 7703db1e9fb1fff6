/** Card money at the issuer, in our own terms. */
import type { CardChannel } from "@cardkeep/contract/cardRules";

/** The paid merchant. */
export interface Merchant {
  /** The merchant's id in the card network; null where the issuer sends none. */
  networkId: string | null;
  name: string | null;
  city: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** Four digits. */
  mcc: string;
}

/** A card is being used, and the issuer waits for our decision. Amounts are in minor units, currencies ISO 4217. */
export interface AuthorizationRequest {
  threadId: string;
  issuerCardId: string;
  amountCents: bigint;
  currency: string;
  merchantMinor: bigint;
  merchantCurrency: string;
  merchant: Merchant;
  /** ISO 8583, two digits. */
  transactionType: string;
  /** Null where the issuer does not say. */
  channel: CardChannel | null;
  /** An existing authorization is to be increased by this amount. */
  isIncrement: boolean;
  hasWrongSecurityCode: boolean;
}

/** A capture or a refund of the merchant, each once. */
export interface Clearing {
  id: string;
  kind: "capture" | "refund";
  amountCents: bigint;
  merchantMinor: bigint;
}

/** The issuer's present data about one use of a card. */
export interface ThreadReport {
  threadId: string;
  issuerCardId: string;
  /** Null without an authorization: a forced clearing, or a refund without a payment. */
  authorization: {
    isApproved: boolean;
    status: "pending" | "closed" | "reversed" | "expired";
    /** The present amount, after increments and reversals. */
    amountCents: bigint;
    /** The requested amount. */
    requestedCents: bigint;
    /** The issuer's reason for its status. */
    reason: string | null;
  } | null;
  currency: string;
  merchantMinor: bigint;
  merchantCurrency: string;
  merchant: Merchant;
  transactionType: string;
  channel: CardChannel | null;
  clearings: readonly Clearing[];
}

/** A thread at the issuer, or one clearing of it. */
export interface KeptThread {
  threadId: string;
  clearingId: string | null;
}

/** The issuer's side of card money. */
export interface SpendingIssuer {
  /**
   * Every thread that began, and every clearing that was made, since an instant.
   * @throws ProviderUnavailable, ProviderRefused
   */
  listThreads(since: Date): Promise<KeptThread[]>;
  /**
   * The issuer's data about a thread; null for an unknown one.
   * @throws ProviderUnavailable, ProviderRefused
   */
  findThread(threadId: string): Promise<ThreadReport | null>;
  /**
   * Creates a dispute of a cleared transaction, once per key, and returns its id.
   * @throws as above
   */
  createDispute(input: {
    transactionId: string;
    reason:
      | "canceled"
      | "duplicate"
      | "fraudulent"
      | "merchandise_not_as_described"
      | "service_not_as_described"
      | "other";
    explanation: string;
    idempotencyKey: string;
  }): Promise<string>;
  /**
   * Submits a dispute to the card network; a second time changes nothing.
   * @throws as above
   */
  submitDispute(disputeId: string): Promise<void>;
}
