/** What the card issuer says of card money, in our words. */

/** Who was paid. */
export interface Merchant {
  name: string | null;
  city: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** Four digits. */
  mcc: string;
}

/** A card is being used, and the issuer waits for our word. Amounts are in minor units, currencies ISO 4217. */
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
  /** An authorization that stands already is to be raised by this amount. */
  isIncrement: boolean;
  hasWrongSecurityCode: boolean;
}

/** What the merchant claimed or gave back, once each. */
export interface Clearing {
  id: string;
  kind: "capture" | "refund";
  amountCents: bigint;
  merchantMinor: bigint;
}

/** Everything that the issuer knows of one use of a card now. */
export interface ThreadReport {
  threadId: string;
  issuerCardId: string;
  /** Not authorized: cleared by force, or a refund that belongs to nothing. */
  authorization: {
    isApproved: boolean;
    status: "pending" | "closed" | "reversed" | "expired";
    /** As it stands, after increments and reversals. */
    amountCents: bigint;
    /** As it was asked for. */
    requestedCents: bigint;
    /** The issuer's word for why it is as it is. */
    reason: string | null;
  } | null;
  currency: string;
  merchantMinor: bigint;
  merchantCurrency: string;
  merchant: Merchant;
  transactionType: string;
  clearings: readonly Clearing[];
}

/** A thread that the issuer keeps, or one clearing of it. */
export interface KeptThread {
  threadId: string;
  clearingId: string | null;
}

/** The issuer's side of card money. */
export interface SpendingIssuer {
  /** Every thread that was begun and every clearing that was made since an instant. @throws ProviderUnavailable, ProviderRefused */
  listThreads(since: Date): Promise<KeptThread[]>;
  /** What the issuer knows of a thread; null for one it never heard of. @throws ProviderUnavailable, ProviderRefused */
  findThread(threadId: string): Promise<ThreadReport | null>;
  /** Makes a dispute of a cleared transaction, once per key, and answers its id. @throws as above */
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
  /** Takes a dispute to the card network; again changes nothing. @throws as above */
  submitDispute(disputeId: string): Promise<void>;
}
