/** What verbs decide by, in groups. A group of settings in `packages/runtime/src/settings` gives each. */
import type { AcceptedCode } from "@cardkeep/chain/contractCode";
import type { AllowedCall } from "@cardkeep/chain/entryPolicy";
import type { Currency } from "@cardkeep/contract/core/currencies";
import type { Quota } from "@cardkeep/contract/core/errors";
import type { Address } from "@cardkeep/contract/core/primitives";
import type { CodePurpose } from "@cardkeep/db/schema/core/codes";
import type { RecordClassName } from "@cardkeep/db/schema/users/records";
import type { OperatorRole } from "./actor.ts";
import type { TwoPersonVerb } from "./operators/verbs.ts";

/** The cashback on card purchases, and the tokens whose holders get it. */
export interface CashbackProgramme {
  /** Holding it in the Safe gives the rate. */
  readonly token: Address;
  /** Holding any of it, in the Safe or in a sign-in wallet, gives a bonus. */
  readonly badge: Address | null;
  /** From so many whole tokens on, so many per cent; the best one reached counts. */
  readonly tiers: readonly { readonly tokens: number; readonly percent: number }[];
  readonly weeklyCapUsd: number;
}

export interface ChainPolicy {
  readonly chainId: number;
  /** Blocks that make a transaction final, with its own. */
  readonly confirmations: number;
}

/** The set-up of accounts, and the queue entries that do not change it. */
export interface AccountPolicy {
  readonly cooldownSeconds: number;
  readonly expirationSeconds: number;
  /** Code of the shared contracts that is accepted besides the canonical one. */
  readonly acceptedCode: AcceptedCode;
  /** Calls of queue entries that the operator allows beyond the known kinds. */
  readonly allowedCalls: readonly AllowedCall[];
}

/** What the issuer may approve in our place, in cents of the card's currency. */
export interface StandInPolicy {
  /** Of one payment. */
  readonly paymentCentsMax: bigint;
  /** Of all payments of a user in one currency and one day of UTC. */
  readonly dayCentsMax: bigint;
}
/** What a dispute returns to the Safe, and when. */
export const disputeCredits = ["none", "final", "provisional"] as const;
export type DisputeCredit = (typeof disputeCredits)[number];

/** When a dispute is submitted: with the person's words, or once an operator reviewed it. Both end with its last day. */
export const disputeSubmissions = ["words", "review"] as const;
export type DisputeSubmission = (typeof disputeSubmissions)[number];

/** What merchants may capture beyond an authorization without a case: see `captureLimit.ts`. */
export interface OverCapturePolicy {
  /** Per cent of what was approved: at any merchant, where a tip is usual, and for hotels, car rentals and cruises. */
  readonly percent: bigint;
  readonly tipPercent: bigint;
  readonly travelPercent: bigint;
  /** Per cent more where the merchant's currency is not the card's. */
  readonly currencyPercent: bigint;
  /** Cents that a petrol or charging station may capture, also beyond what was approved. */
  readonly fuelCentsMax: bigint;
  /** Cents of a capture without an authorization. */
  readonly aloneCentsMax: bigint;
}

export interface MoneyPolicy {
  /** Receives card payments. */
  readonly settlementAddress: Address;
  /** Receives the price of card orders. */
  readonly treasuryAddress: Address;
  /** From so many unpaid cents of a person on, all cards of the person are inactive at the issuer. */
  readonly unpaidCentsMax: bigint;
  /** Calls in a second that the issuer takes, where one change concerns everybody. */
  readonly issuerCallsPerSecond: number;
  /** Doctor warns while the operator's balance at the issuer is below so many cents. */
  readonly issuerBalanceCentsMin: bigint;
  /** The least part of a purchase that is approved where the whole is not covered, in cents. */
  readonly partialApprovalCentsMin: bigint;
  /** The time limit of a decision, in milliseconds. */
  readonly decisionMsMax: number;
  /** Null: the issuer may approve nothing while we do not answer. */
  readonly standIn: StandInPolicy | null;
  /** Whether the Safe gets the disputed amount: never, once the issuer returned it, or as soon as it is submitted. */
  readonly disputeCredit: DisputeCredit;
  /** Cents that the operator advances at most for all disputes of a person that the issuer has not paid for. */
  readonly disputeAdvanceCentsMax: bigint;
  readonly disputeSubmission: DisputeSubmission;
  /** Cents that a person has back at most for reports of fraud, with advances, that the issuer has not paid for, without an operator's decision. */
  readonly unauthorizedCreditCentsMax: bigint;
  readonly overCapture: OverCapturePolicy;
  /** Cents that threads of a person may return within 30 days beyond what they captured, without a case. */
  readonly creditAloneCentsMax: bigint;
  /** Days after which a hold ends that the issuer closed without a capture: at any merchant, and where people travel. */
  readonly holdDays: number;
  readonly holdTravelDays: number;
}

/** Limits of top-ups, in base units of the native token. */
export interface TopUpLimits {
  /** A key that holds less is topped up. */
  readonly below: bigint;
  /** What it holds afterwards. */
  readonly to: bigint;
  /** All top-ups of any 24 hours together. */
  readonly perDayMax: bigint;
}

export interface TopUpPolicy {
  /** Null: top-ups are off. */
  readonly topUpLimits: TopUpLimits | null;
}

/** What a card costs in each currency that the operator asks for, in cents. */
export type CardPrices = Readonly<Partial<Record<Currency, bigint>> & { EUR: bigint }>;

/** The firm's books. */
export interface BookPolicy {
  /** Hour of the day at which the day before is closed. */
  readonly booksCloseHour: number;
  /** Whether anybody sees root and digest of a closed day. */
  readonly areBooksPublic: boolean;
}

/** What stays where it is when the programme's own money is moved. */
export interface TreasuryPolicy {
  /** Returns of so many days stay in the settlement account. */
  readonly treasuryFloatDays: number;
  /** What the spender may return of each account and token until its approval is renewed. */
  readonly spenderApprovalCents: bigint;
  /** The approval that stands, and those given within 24 hours without two persons. */
  readonly spenderApprovalsPerDay: number;
}

export interface CardPolicy {
  /** For so many hours after a change of a proven phone number, card secrets stay closed and 3-D Secure fails. */
  readonly contactWindowHours: number;
  /** Countries whose residents may have cards, ISO 3166-1 alpha-2. */
  readonly cardCountries: readonly string[];
  readonly cardPrices: CardPrices;
  /** Per cent of value added tax within them, as a decimal text. Null: exports state none. */
  readonly orderTaxPercent: string | null;
  /** Upper case; makes any order free. Null: no code does. */
  readonly freeCouponCode: string | null;
  /** Null: there is none. */
  readonly cashback: CashbackProgramme | null;
}

export interface EmoneyPolicy {
  /** The address of the institution's callbacks. */
  readonly institutionCallbackUrl: string;
  /** The address to which the institution sends people after their consent. */
  readonly consentReturnUrl: string;
  /** The page after a consent whose app named none; null: a page of ours. */
  readonly defaultCallbackUrl: string | null;
  /** The institution's client id at the identity provider. */
  readonly shareClientId: string;
}

/** How long the law keeps records of erased people. */
export interface RecordPolicy {
  /** Years from the erasure, by class. */
  readonly recordYears: Readonly<Record<RecordClassName, number>>;
}

/** Who counts as verified. */
export interface KycPolicy {
  /** The provider's client id that `kyc/import-partner-applicant` shares with when the request names none. */
  readonly kycShareClientId: string | null;
  /** The provider is asked about everybody again within so many days. */
  readonly kycRecheckDays: number;
  /** Years of age below which no person is approved, also where the provider approves. */
  readonly kycAgeMin: number;
}

/** The pages that mails and pages for people lead to, in their order. */
export const programmeLinks = ["app", "imprint", "privacy"] as const;
export type ProgrammeLink = (typeof programmeLinks)[number];

/** Who sends mails, messages and pages to people. */
export interface ProgrammePolicy {
  readonly name: string;
  /** Address of a picture; null: the name stands alone. */
  readonly logo: string | null;
  /** `#rrggbb`. */
  readonly color: string;
  /** A mail address, or a page; null: messages name none. */
  readonly supportAddress: string | null;
  /** Pages of the programme; null: nothing leads there. */
  readonly links: Readonly<Record<ProgrammeLink, string | null>>;
}

/** Sign-in, one-time passwords, and addresses in replies. */
export interface AccessPolicy {
  /** The server's address for clients. */
  readonly publicUrl: string;
  /** The address of the documents of `/terms`. */
  readonly termsUrl: string;
  readonly signInDomains: readonly string[];
  /** Whether any `localhost` may sign in; never in production. */
  readonly localhostSignIn: boolean;
  /** Whether callbacks of a provider's test environment count; never in production. */
  readonly testCallbacks: boolean;
  readonly transactionDataFormat: "hex" | "json";
  /** The first protects new codes; a stored code may be of any of them. */
  readonly codePeppers: readonly string[];
}

/** How operators are alerted. */
export interface AlertPolicy {
  /** Null: no webhook. */
  readonly webhookUrl: string | null;
  /** A mail address; null: no mail. */
  readonly mail: string | null;
  /** A user's debt in one token is an alert from so many cents on. */
  readonly debtCentsMin: bigint;
}

/** Sessions of operators. */
export interface OperatorPolicy {
  readonly alerts: AlertPolicy;
  /** The roles of each group of the OpenID provider. */
  readonly roles: ReadonlyMap<string, readonly OperatorRole[]>;
  /** From the sign-in to the end. */
  readonly sessionMs: number;
  /** Until the OpenID provider is asked again who the person is. */
  readonly refreshMs: number;
  /** The verbs that a second person has to approve. */
  readonly twoPersons: readonly TwoPersonVerb[];
}

/** What one person's refused transactions may cost, in base units of the native token. */
export interface GasBudget {
  readonly perHourMax: bigint;
  readonly perDayMax: bigint;
}

export interface LimitPolicy {
  /** A request that waits for the worker is answered after this time, done or not. */
  readonly answerMsMax: number;
  /** Per Safe. */
  readonly relayedOperationsPerHour: number;
  /** Safes that one person may begin within 24 hours. */
  readonly safeDeploymentsPerDay: number;
  /** Cards that one person may have made within 24 hours; those of operators do not count. */
  readonly cardsPerDay: number;
  /** Per person. */
  readonly gasBudget: GasBudget;
  readonly quotas: RequestQuotas;
  readonly codeSends: CodeSends;
}

export interface StatementPolicy {
  /** IANA name. The days and months of statements end by its midnight. */
  readonly statementTimeZone: string;
}

/** The policy that settings state. */
export interface SettingPolicy
  extends
    ChainPolicy,
    AccountPolicy,
    StatementPolicy,
    BookPolicy,
    MoneyPolicy,
    TopUpPolicy,
    TreasuryPolicy,
    CardPolicy,
    KycPolicy,
    RecordPolicy,
    AccessPolicy,
    LimitPolicy {
  readonly emoney: EmoneyPolicy;
  readonly operators: OperatorPolicy;
  readonly programme: ProgrammePolicy;
}

/** The addresses of the service's own keys. */
export interface KeyAddresses {
  readonly relayerAddresses: readonly Address[];
  readonly operatorAddress: Address;
  readonly spenderAddress: Address;
  /** Of keys before a rotation; a process without keys, signers or addresses of them has none. */
  readonly formerOperatorAddresses: readonly Address[];
  readonly formerSpenderAddresses: readonly Address[];
  /** Null: top-ups are off, as far as this process knows. */
  readonly topUpAddress: Address | null;
}

/** What verbs decide by. */
export interface Policy extends SettingPolicy, KeyAddresses {
  /** The shared keys that open the operator's pages, by names that reveal nothing about them. */
  readonly operatorKeyNames: readonly string[];
}

/** For one subject and one receiver together, by purpose: at most so many sends within each span. */
export type CodeSends = Readonly<Record<CodePurpose, readonly { readonly count: number; readonly withinMs: number }[]>>;

/** The quotas that every operation counts against. */
export interface RequestQuotas {
  /** Of a network, for each operation that needs no token. */
  readonly open: Quota;
  /** Of a network, for operations that send a message to an address that the caller names. */
  readonly messages: Quota;
  /** Of a user. */
  readonly reads: Quota;
  readonly writes: Quota;
  /** Of a partner's changes of its card rules, and of all operators' changes of the programme's. */
  readonly ruleChanges: Quota;
  /** Of a user's requests that the identity provider has to answer. */
  readonly kyc: Quota;
}

/** The service's own keys and accounts on chain; none of them is a user's wallet. */
export const listServiceAddresses = (policy: Policy): Address[] => [
  ...policy.relayerAddresses,
  policy.operatorAddress,
  policy.spenderAddress,
  ...policy.formerOperatorAddresses,
  ...policy.formerSpenderAddresses,
  policy.settlementAddress,
  policy.treasuryAddress,
  ...(policy.topUpAddress === null ? [] : [policy.topUpAddress]),
];
