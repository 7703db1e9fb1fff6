import { describe, expect, test } from "bun:test";
import { type EvidenceField, listMissingEvidence } from "@cardkeep/contract/spending/disputeEvidence";
import { disputeMachine } from "@cardkeep/contract/spending/disputes";
import { canMove, listStates } from "@cardkeep/contract/core/machine";
import {
  computeCredit,
  deriveDisputeStatus,
  deriveIssuerReason,
  isToBeSubmitted,
  isUnauthorized,
} from "@cardkeep/domain/spending/disputes/deriveDispute";
import { sumOutstanding } from "@cardkeep/domain/spending/disputes/outstandingCredits";
import { disputeCredits } from "@cardkeep/domain/core/policy";
import {
  chainTargetOf,
  computeCollection,
  computeMove,
  sumProved,
} from "@cardkeep/domain/spending/payments/debtAmounts";
import fc from "fast-check";
import { filled } from "../support/filled.ts";

const cents = fc.bigInt({ min: 0n, max: 1_000n });
const report = fc.record({
  status: fc.constantFrom(
    "unsubmitted" as const,
    "submitted" as const,
    "won" as const,
    "lost" as const,
    "expired" as const,
  ),
  amountCents: fc.bigInt({ min: 1n, max: 1_000n }),
  reinstatedCents: cents,
  isRescinded: fc.boolean(),
});
const rules = fc.record({ disputeCredit: fc.constantFrom(...disputeCredits), disputeAdvanceCentsMax: cents });

type Rules = Parameters<typeof computeCredit>[0];
type Shown = Parameters<typeof deriveDisputeStatus>[0] & { amountCents: bigint };

/** The credit that follows from a report. */
const creditOf = (given: Rules, shown: Shown): bigint =>
  computeCredit(given, { ...shown, status: deriveDisputeStatus(shown) ?? "created" });

/** A payment of 1,000 cents that the chain carries out at once; `available` is what its Safe holds. */
class Payment {
  transfers: { direction: "spend" | "return"; amount: bigint; status: "DONE" | "FAILED"; isByHand: boolean }[] = [];
  credit = 0n;
  target = 1_000n;
  available = 5_000n;

  /** Plans and carries out what is missing; a spend that the Safe does not cover fails, and is collected in parts. */
  settle(): void {
    const aim = chainTargetOf({ target: this.target, setOff: 0n, credit: this.credit, writtenOff: 0n }, this.transfers);
    const move = computeMove(aim, this.transfers);
    const part = computeCollection(aim, this.transfers, { available: this.available, partMin: 1n });
    const next = move ?? (part === null ? null : { direction: "spend" as const, amount: part });
    if (!next) return;
    const isDone = next.direction === "return" || next.amount <= this.available;
    this.transfers.push({ ...next, status: isDone ? "DONE" : "FAILED", isByHand: false });
    if (isDone) this.available += next.direction === "return" ? next.amount : -next.amount;
    this.settle();
  }
}

describe("a dispute's credit", () => {
  test("ends the same for every order and repetition of reports about dispute and clearing, and never exceeds what was paid", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("dispute" as const), shown: report }),
      fc.record({ kind: fc.constant("clearing" as const), target: cents }),
    );
    fc.assert(
      fc.property(
        rules,
        fc.array(step, { minLength: 1, maxLength: 12 }),
        report,
        cents,
        fc.boolean(),
        (given, steps, last, end, isSwapped) => {
          const payment = new Payment();
          payment.settle();
          const apply = [() => (payment.credit = creditOf(given, last)), () => (payment.target = end)];
          for (const each of filled(steps)) {
            if (each.kind === "dispute") payment.credit = creditOf(given, each.shown);
            else payment.target = each.target;
            payment.settle();
            const paid = sumProved(payment.transfers);
            expect(paid >= 0n && paid + payment.available === 5_000n).toBe(true);
          }
          for (const write of isSwapped ? apply.toReversed() : apply) {
            write();
            payment.settle();
            payment.settle();
          }
          const credit = creditOf(given, last);
          expect(sumProved(payment.transfers)).toBe(end - (credit < end ? credit : end));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("is what the issuer paid once it is won, an advance up to the bound before that where the settings say so, and else nothing", () => {
    fc.assert(
      fc.property(rules, report, (given, shown) => {
        const credit = creditOf(given, shown);
        const status = deriveDisputeStatus(shown);
        const most =
          shown.amountCents < given.disputeAdvanceCentsMax ? shown.amountCents : given.disputeAdvanceCentsMax;
        const advance = given.disputeCredit === "provisional" ? most : 0n;
        if (given.disputeCredit === "none" || (status !== "won" && status !== "submitted")) expect(credit).toBe(0n);
        else if (status === "won" && shown.reinstatedCents > 0n) expect(credit).toBe(shown.reinstatedCents);
        else expect(credit).toBe(advance);
      }),
      { numRuns: 300 },
    );
  });
});

describe("what a dispute takes up of its person's bound", () => {
  const unit = { EURe: 10n ** 16n, USDCe: 10n ** 4n };
  const of = (
    given: { returned: bigint; law?: bigint; paid?: bigint; moved?: bigint; owed?: bigint },
    symbol: keyof typeof unit,
  ) =>
    sumOutstanding({
      creditCents: given.law ?? 0n,
      reinstatedCents: given.paid ?? 0n,
      target: (given.moved ?? 1_000n) * unit[symbol],
      credit: given.returned * unit[symbol],
      owed: (given.owed ?? 0n) * unit[symbol],
      tokenSymbol: symbol,
    });
  test.each([
    ["an advance, in full, also while the merchant returned the payment", { returned: 700n, moved: 0n }, 700n],
    ["the law's credit, as far as its payment moves money", { returned: 700n, law: 700n, moved: 300n }, 300n],
    ["what the issuer has not paid of it", { returned: 700n, law: 700n, paid: 500n }, 200n],
    ["nothing of what the issuer paid", { returned: 700n, paid: 700n }, 0n],
    ["what is owed since it was taken back", { returned: 0n, owed: 400n }, 400n],
  ])("%s", (_, given, cents) => {
    expect([of(given, "EURe"), of(given, "USDCe")]).toEqual([cents, cents]);
  });

  test("the law's credit of an archived payment, as far as the issuer has not paid for it", () => {
    const archived = { target: null, credit: null, owed: null, tokenSymbol: null };
    expect(sumOutstanding({ creditCents: 700n, reinstatedCents: 500n, ...archived })).toBe(200n);
  });
});

test("a won dispute is taken back once the issuer reports that it is rescinded and has paid nothing", () => {
  const won = { status: "won" as const, isRescinded: true, reinstatedCents: 0n };
  expect(deriveDisputeStatus(won)).toBe("taken_back");
  expect(deriveDisputeStatus({ ...won, isRescinded: false })).toBe("won");
  expect(deriveDisputeStatus({ ...won, reinstatedCents: 1n })).toBe("won");
});

test("every status that the issuer reports can follow every other one that is not final, but for its beginning", () => {
  const reported = ["submitted", "won", "lost", "taken_back"] as const;
  for (const from of reported)
    for (const to of filled(reported.filter((each) => each !== "submitted" && each !== from)))
      expect([from, to, canMove(disputeMachine, from, to)]).toEqual([from, to, true]);
  expect(listStates(disputeMachine)).toContain("withdrawn");
});

test("evidence is complete with the person's words, and with one piece of each kind that the reason needs", () => {
  const text = (...fields: EvidenceField[]) => ({ slot: "text" as const, fields: ["explanation" as const, ...fields] });
  const product = "problem_with_the_product_chargeback_";
  expect(listMissingEvidence("wrong_value", [])).toEqual(["explanation"]);
  expect(listMissingEvidence("wrong_value", [text()])).toEqual([]);
  expect(listMissingEvidence("charged_more_than_once", [text()])).toEqual(["originalThreadId"]);
  expect(listMissingEvidence("charged_more_than_once", [text(), { slot: "checkImage", fields: [] }])).toEqual([]);
  expect(listMissingEvidence("charged_more_than_once", [text("originalThreadId")])).toEqual([]);
  expect(listMissingEvidence("purchase_cancelled_but_no_refund_received", [text("canceledAt")])).toEqual([
    "cancellationPolicyProvided",
    "expectedAt",
    "productType",
  ]);
  expect(listMissingEvidence(product, [text()])).toEqual(["receivedAt", "returnStatus", "returnDescription"]);
  expect(listMissingEvidence(product, [text("expectedAt")])).toEqual(["productDescription", "productType"]);
  expect(listMissingEvidence(product, [text("expectedAt", "receivedAt")])).toEqual([
    "returnStatus",
    "returnDescription",
  ]);
});

describe("a dispute is submitted", () => {
  const submitBy = new Date("2026-04-21T00:00:00Z");
  const before = new Date("2026-04-19T23:59:59Z");
  const lastDay = new Date("2026-04-20T00:00:00Z");
  test.each([
    ["words", false, before, false],
    ["words", true, before, true],
    ["words", false, lastDay, true],
    ["review", true, before, false],
    ["review", true, lastDay, true],
  ] as const)("%s, complete %p, at %p: %p", (disputeSubmission, isComplete, now, expected) => {
    const given = { isComplete, submitBy, now };
    expect(isToBeSubmitted({ disputeSubmission }, { ...given, isForced: false })).toBe(expected);
    expect(isToBeSubmitted({ disputeSubmission }, { ...given, isForced: true })).toBe(true);
  });

  test("with a reason that fits the capture: nothing of it approved, or captured later than a hold lasts", () => {
    const rules = { holdDays: 7, holdTravelDays: 31 };
    const at = (day: number) => new Date(Date.UTC(2026, 0, day));
    const of = (excessCents: bigint, mcc = "5411", expiredAt: Date | null = null) => ({
      capturedCents: 500n,
      excessCents,
      mcc,
      createdAt: at(1),
      expiredAt,
    });
    expect(isUnauthorized(of(0n), { postedAt: at(8) }, rules)).toBe(false);
    expect(isUnauthorized(of(100n), { postedAt: at(2) }, rules)).toBe(false);
    expect(isUnauthorized(of(500n), { postedAt: at(2) }, rules)).toBe(true);
    expect(isUnauthorized(of(0n), { postedAt: at(9) }, rules)).toBe(true);
    expect(isUnauthorized(of(0n, "7011"), { postedAt: at(9) }, rules)).toBe(false);
    // Where the issuer's date of the expiry is known, it decides, before or after the days of the settings.
    expect(isUnauthorized(of(0n, "5411", at(3)), { postedAt: at(4) }, rules)).toBe(true);
    expect(isUnauthorized(of(0n, "5411", at(3)), { postedAt: at(3) }, rules)).toBe(false);
    expect(isUnauthorized(of(0n, "5411", at(12)), { postedAt: at(11) }, rules)).toBe(false);
    const late = { isNotReceived: false, isUnauthorized: true };
    expect(deriveIssuerReason("wrong_value", late)).toBe("no_valid_authorization");
    expect(deriveIssuerReason("charged_more_than_once", late)).toBe("duplicate");
  });
});
