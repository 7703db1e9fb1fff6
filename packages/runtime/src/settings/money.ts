/** Settings of the receivers of card money, and of the operator's risk. */
import { typedAddress } from "@cardkeep/contract/core/primitives";
import { disputeCredits, disputeSubmissions, type MoneyPolicy } from "@cardkeep/domain/core/policy";
import { z } from "zod";
import { type Values, wholeNumber } from "./types.ts";

/** The issuer is answered within 500 ms. */
const decisionMsStandard = 450;

const percent = (standard: number, where: string) =>
  wholeNumber(
    standard,
    0,
    `Per cent by which a capture may exceed its authorization ${where}. ` +
      "A greater capture is collected too, and becomes a case for you",
  );

export const moneyEnvironment = {
  TREASURY_ADDRESS: typedAddress.describe("Receives card fees"),
  SETTLEMENT_ADDRESS: typedAddress.describe("Receives card payments"),
  UNPAID_CENTS_MAX: wholeNumber(
    5_000,
    1,
    "From so many unpaid cents of a person on, all cards of this person are inactive at the card issuer. " +
      "So a person costs you about this amount, and what merchants capture of authorizations that are open then",
  ),
  ISSUER_CALLS_PER_SECOND: wholeNumber(
    20,
    1,
    "Calls in a second to the card issuer, where a stop of all card payments sets every person inactive or active again",
  ),
  ISSUER_BALANCE_CENTS_MIN: wholeNumber(
    1_000_000,
    0,
    "`doctor` warns while your balance at the card issuer is below so many cents. Empty, the issuer declines every card before " +
      "it asks; a transfer to it takes a bank's day, so set what your cards spend in four days",
  ),
  PARTIAL_APPROVAL_CENTS_MIN: wholeNumber(
    100,
    1,
    "Where a merchant takes a part of an amount and the account covers no more, at least so many cents are approved",
  ),
  DECISION_MS: z.coerce
    .number<string>()
    .int()
    .min(decisionMsStandard)
    .max(8_000)
    .default(decisionMsStandard)
    .describe(
      "Milliseconds that a decision about a use of a card may take, for a busy machine. The sandbox's issuer waits longer " +
        "by as much. `bun start` sets 2000. Refused in production, where the issuer waits for two seconds",
    ),
  STAND_IN: z
    .enum(["decline", "approve"])
    .default("decline")
    .describe(
      "What the card issuer does while the service does not answer. Set the same at the issuer: it decides by its own " +
        "setting. An approval beyond this becomes a case",
    ),
  STAND_IN_CENTS_MAX: wholeNumber(
    5_000,
    0,
    "With STAND_IN=approve: cents of one payment that the issuer may approve without the service",
  ),
  STAND_IN_DAY_CENTS_MAX: wholeNumber(
    10_000,
    0,
    "The same for all payments of a user in one currency and one day of UTC",
  ),
  DISPUTE_CREDIT: z
    .enum(disputeCredits)
    .default("final")
    .describe(
      "What a dispute returns to the Safe. `final`: what the issuer returned to you for a dispute that was won. " +
        "`provisional`: also the disputed amount from its submission on, which you advance, and which is collected again " +
        "if the dispute is not won. `none`: nothing",
    ),
  DISPUTE_ADVANCE_CENTS_MAX: wholeNumber(
    50_000,
    0,
    "Cents that you advance at most for all disputes of a person that the card network has not paid for, with " +
      "DISPUTE_CREDIT=provisional. What was returned for reports of fraud counts too",
  ),
  DISPUTE_SUBMISSION: z
    .enum(disputeSubmissions)
    .default("words")
    .describe(
      "When a dispute goes to the card network, where it cannot be changed any more. `words`: as soon as the person has " +
        "explained it and its reason needs nothing else. `review`: when an operator submits it. In either case on its last day",
    ),
  UNAUTHORIZED_CREDIT_CENTS_MAX: wholeNumber(
    50_000,
    0,
    "A person in the EEA who reports a payment as fraud within 13 months has the money back at once. So many cents of a person " +
      "are returned at most that the card network has not paid for, with what you advance; above it, and where there are " +
      "grounds against it, you decide by the end of the next business day. It is what a person can cost you who reports own payments",
  ),
  OVER_CAPTURE_PERCENT: percent(10, "at any merchant"),
  OVER_CAPTURE_TIP_PERCENT: percent(20, "where a tip is usual: restaurants, bars, taxis, hairdressers"),
  OVER_CAPTURE_TRAVEL_PERCENT: percent(15, "at hotels, car rentals and cruises"),
  OVER_CAPTURE_CURRENCY_PERCENT: percent(5, "in addition, where the merchant's currency is not the card's"),
  OVER_CAPTURE_FUEL_CENTS_MAX: wholeNumber(
    15_000,
    0,
    "Cents that a petrol or charging station may capture without a case, also beyond what was approved",
  ),
  CAPTURE_ALONE_CENTS_MAX: wholeNumber(5_000, 0, "Cents of a capture without an authorization that make no case"),
  CREDIT_ALONE_CENTS_MAX: wholeNumber(
    50_000,
    0,
    "Cents that merchants may return to a person within 30 days beyond what they captured. A credit above that waits as a case until " +
      "two operators accept it, and what they accepted does not count",
  ),
  HOLD_DAYS: wholeNumber(7, 1, "Days after which a hold ends that the issuer closed without a capture"),
  HOLD_TRAVEL_DAYS: wholeNumber(31, 1, "The same at hotels, car rentals and cruises"),
};

type MoneyEnvironment = Values<typeof moneyEnvironment>;

export const readMoney = (e: MoneyEnvironment): MoneyPolicy => ({
  treasuryAddress: e.TREASURY_ADDRESS,
  settlementAddress: e.SETTLEMENT_ADDRESS,
  unpaidCentsMax: BigInt(e.UNPAID_CENTS_MAX),
  issuerCallsPerSecond: e.ISSUER_CALLS_PER_SECOND,
  issuerBalanceCentsMin: BigInt(e.ISSUER_BALANCE_CENTS_MIN),
  partialApprovalCentsMin: BigInt(e.PARTIAL_APPROVAL_CENTS_MIN),
  decisionMsMax: e.DECISION_MS,
  standIn:
    e.STAND_IN === "decline"
      ? null
      : { paymentCentsMax: BigInt(e.STAND_IN_CENTS_MAX), dayCentsMax: BigInt(e.STAND_IN_DAY_CENTS_MAX) },
  disputeCredit: e.DISPUTE_CREDIT,
  disputeAdvanceCentsMax: BigInt(e.DISPUTE_ADVANCE_CENTS_MAX),
  disputeSubmission: e.DISPUTE_SUBMISSION,
  unauthorizedCreditCentsMax: BigInt(e.UNAUTHORIZED_CREDIT_CENTS_MAX),
  overCapture: {
    percent: BigInt(e.OVER_CAPTURE_PERCENT),
    tipPercent: BigInt(e.OVER_CAPTURE_TIP_PERCENT),
    travelPercent: BigInt(e.OVER_CAPTURE_TRAVEL_PERCENT),
    currencyPercent: BigInt(e.OVER_CAPTURE_CURRENCY_PERCENT),
    fuelCentsMax: BigInt(e.OVER_CAPTURE_FUEL_CENTS_MAX),
    aloneCentsMax: BigInt(e.CAPTURE_ALONE_CENTS_MAX),
  },
  creditAloneCentsMax: BigInt(e.CREDIT_ALONE_CENTS_MAX),
  holdDays: e.HOLD_DAYS,
  holdTravelDays: e.HOLD_TRAVEL_DAYS,
});

/** A spend's transfer to the settlement account must not count as the payment of an order. */
export const listMoneyFaults = ({ TREASURY_ADDRESS, SETTLEMENT_ADDRESS }: MoneyEnvironment): string[] =>
  TREASURY_ADDRESS.toLowerCase() === SETTLEMENT_ADDRESS.toLowerCase()
    ? ["TREASURY_ADDRESS: must not be SETTLEMENT_ADDRESS, or a card payment would pay a card order"]
    : [];
