/** Card money at the issuer, in our own terms. */
import type { CardChannel } from "@cardkeep/contract/cards/cardRules";
import { ProviderUnreadable } from "../http.ts";

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

/** How a payment was proved to be the cardholder's. */
export interface Verification {
  /** The wallet token that was used; null for the card itself. */
  walletTokenId: string | null;
  /** Result of 3-D Secure, in the issuer's word; null where it was not asked for. */
  threeDSecure: string | null;
  /** Why it was not asked for, and who claims so: `low_value_transaction by acquirer`. */
  authenticationExemption: string | null;
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
  /**
   * How many requests of the thread were decided before: 0 for a new authorization. From 1 on it is an increment, and the
   * amounts are what the authorization shall grow by.
   */
  ordinal: number;
  /** Whether a part of the amount may be approved. */
  isAmountControllable: boolean;
  /** Of the amount, the fee of the cash machine's owner, and cash beside a purchase. */
  feeCents: bigint;
  cashbackCents: bigint;
  verification: Verification;
  hasWrongSecurityCode: boolean;
}

/** What a clearing is: a capture or a refund of the merchant, or that one of them is taken back. */
export type ClearingKind = "capture" | "refund" | "capture_reversal" | "refund_reversal";

/** A clearing that can be booked, each once. Amounts are never below zero: the kind says where the money goes. */
export interface Clearing {
  id: string;
  kind: ClearingKind;
  amountCents: bigint;
  merchantMinor: bigint;
  /** When the issuer booked it. */
  postedAt: Date;
  /** The day on which the network processed it, as `2026-01-31`; null where the issuer does not say. */
  processedOn: string | null;
  /** The network's id for it; null where the issuer sends none. */
  networkReference: string | null;
  /** Of the amount, the fee of the cash machine's owner. */
  feeCents: bigint;
}

/** A clearing that cannot be booked: an unknown type, contradictory signs, or not its authorization's currency or card. */
export interface FaultyClearing {
  id: string;
  fault: "type" | "sign" | "currency" | "card";
  /** As the issuer signs it: below zero leaves the card. */
  signedCents: bigint;
}

/**
 * Who decided a request of a thread: we, by our answer; the issuer in our place (`stand_in`), because it had no valid answer of
 * ours in time; or the issuer by itself, by a rule of its own that comes before us.
 */
export type Decider = "service" | "stand_in" | "issuer";

/** A request of a thread that was decided. */
export interface DecidedRequest {
  isApproved: boolean;
  /** What was asked for in addition to what had been authorized. */
  amountCents: bigint;
  merchantMinor: bigint;
  feeCents: bigint;
  cashbackCents: bigint;
  decidedBy: Decider;
  decidedAt: Date;
  /** The issuer's reason. */
  reason: string | null;
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
    /** The first request and each increment, oldest first; one that waits for its answer is not among them. */
    requests: readonly DecidedRequest[];
    /** The issuer's reason for its status. */
    reason: string | null;
  } | null;
  currency: string;
  merchantMinor: bigint;
  merchantCurrency: string;
  merchant: Merchant;
  transactionType: string;
  channel: CardChannel | null;
  verification: Verification;
  clearings: readonly Clearing[];
  faults: readonly FaultyClearing[];
}

/** A thread that the issuer has and whose data cannot be read, with what can be: the card. */
export class ThreadUnreadable extends ProviderUnreadable {
  readonly issuerCardId: string | null;

  constructor(message: string, { issuerCardId }: { issuerCardId: string | null }) {
    super(message);
    this.issuerCardId = issuerCardId;
  }
}

/** A thread at the issuer, or one clearing of it. */
export interface KeptThread {
  threadId: string;
  /** Whether an approval of it stands that is not captured yet. */
  isHeld: boolean;
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
   * @throws ProviderUnavailable, ProviderRefused, ThreadUnreadable
   */
  findThread(threadId: string): Promise<ThreadReport | null>;
}
