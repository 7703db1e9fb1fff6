import { describe, expect, test } from "bun:test";
import {
  deriveThreadState,
  type OwnDecision,
  type ThreadState,
} from "@cardkeep/domain/spending/payments/deriveThreadState";
import { computeCaptureMax } from "@cardkeep/domain/spending/payments/captureLimit";
import { findClearingFault, findRepeatedCapture, sumSigned } from "@cardkeep/domain/spending/payments/clearingSums";
import type { ClearingKind, ThreadReport } from "@cardkeep/providers/issuer/spending";
import { readAuthorization, readTransaction } from "@cardkeep/providers/issuer/stripeSpending";
import { least } from "@cardkeep/domain/core/money";
import fc from "fast-check";
import { z } from "zod";

type Authorization = NonNullable<ThreadReport["authorization"]>;

/** What may happen to a thread. Amounts that are too great for a step are cut. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("ask" as const), cents: fc.nat(9_000), part: fc.nat(9_000) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("capture" as const), cents: fc.integer({ min: 1, max: 9_000 }) }),
  },
  fc.record({ kind: fc.constant("reverse" as const), cents: fc.nat(9_000) }),
  fc.record({ kind: fc.constant("final" as const), cents: fc.nat(9_000) }),
  fc.record({ kind: fc.constant("refund" as const), cents: fc.integer({ min: 1, max: 9_000 }) }),
  fc.record({
    kind: fc.constantFrom("capture_reversal" as const, "refund_reversal" as const),
    cents: fc.integer({ min: 1, max: 9_000 }),
  }),
  fc.record({ kind: fc.constantFrom("decline", "close", "expire", "void"), cents: fc.constant(0) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The issuer's side, kept the plain way: one amount, captures, refunds. */
class Issuer {
  requests: Authorization["requests"][number][] = [];
  clearings: ThreadReport["clearings"][number][] = [];
  decisions: OwnDecision[] = [];
  isApproved = false;
  status: Authorization["status"] = "closed";
  amount = 0n;

  constructor(readonly namesAskedAmount: boolean) {}

  sum = (kind: ClearingKind): bigint =>
    this.clearings.reduce((sum, clearing) => (clearing.kind === kind ? sum + clearing.amountCents : sum), 0n);

  approvedCents = (): bigint => this.decisions.reduce((sum, { approvedCents }) => sum + approvedCents, 0n);

  /** A request and our answer; the issuer keeps what was asked for, or what was approved of it. */
  #decide(asked: bigint, approved: bigint | null): void {
    const isFirst = this.requests.length === 0;
    if (!isFirst && this.status !== "pending") return;
    const isApproved = approved !== null;
    this.decisions.push({ ordinal: this.requests.length, isApproved, approvedCents: approved ?? 0n });
    const amountCents = isApproved && !this.namesAskedAmount ? approved : asked;
    const parts = { merchantMinor: amountCents, feeCents: 0n, cashbackCents: 0n, reason: null };
    const by = { decidedBy: "service", decidedAt: new Date(0) } as const;
    this.requests.push({ isApproved, amountCents, ...parts, ...by });
    if (isFirst) [this.isApproved, this.status] = [isApproved, isApproved ? "pending" : "closed"];
    this.amount += approved ?? (isFirst ? asked : 0n);
  }

  play({ kind, cents, ...rest }: Step): void {
    const amount = BigInt(cents);
    const isOpen = this.isApproved && this.status === "pending";
    const part = "part" in rest ? BigInt(rest.part) : amount;
    if (kind === "ask") this.#decide(amount, part < amount ? part : amount);
    if (kind === "decline") this.#decide(100n, null);
    const id = `ipi_${this.clearings.length}`;
    const unsaid = { postedAt: new Date(0), processedOn: null, networkReference: null, feeCents: 0n };
    const post = (posted: ClearingKind, amountCents: bigint) =>
      this.clearings.push({ id, kind: posted, amountCents, merchantMinor: amountCents, ...unsaid });
    if (kind === "capture" || kind === "refund") post(kind, amount);
    // No more is taken back than there was.
    if (kind === "capture_reversal") post(kind, least(amount, this.sum("capture") - this.sum(kind)));
    if (kind === "refund_reversal") post(kind, least(amount, this.sum("refund") - this.sum(kind)));
    if (!isOpen) return;
    const left = this.amount - this.sum("capture");
    if (kind === "reverse") this.amount -= left > 0n ? (amount < left ? amount : left) : 0n;
    if (kind === "final") this.amount = amount;
    if (kind === "close") this.status = "closed";
    if (kind === "expire" || kind === "void") {
      this.status = kind === "expire" ? "expired" : "reversed";
      this.amount = 0n;
    }
  }

  report(): { report: ThreadReport; decisions: OwnDecision[] } {
    const { isApproved, status, amount: amountCents, requests, clearings } = this;
    const merchant = { name: null, city: null, country: null, mcc: "7011", networkId: null };
    const names = { threadId: "iauth_1", issuerCardId: "ic_1", currency: "EUR", merchantCurrency: "EUR", merchant };
    return {
      decisions: [...this.decisions],
      report: {
        ...names,
        authorization: { isApproved, status, amountCents, requests: [...requests], reason: null },
        merchantMinor: amountCents,
        transactionType: "00",
        verification: { walletTokenId: null, threeDSecure: null, authenticationExemption: null },
        channel: null,
        clearings: [...clearings],
        faults: [],
      },
    };
  }

  /** What the issuer takes from us: what was captured and not refunded, and what it holds. */
  expectedTarget(): bigint {
    const [captured, back] = [this.sum("capture"), this.sum("capture_reversal")];
    const refunded = this.sum("refund") - this.sum("refund_reversal");
    const isHeld = this.isApproved && (this.status === "pending" || (this.status === "closed" && captured === 0n));
    const held = isHeld && this.amount > captured ? this.amount - captured : 0n;
    return captured - back - refunded + held;
  }
}

type Told = ReturnType<Issuer["report"]>;
const fold = (told: readonly Told[]): ThreadState | null =>
  told.reduce<ThreadState | null>((known, { report, decisions }) => deriveThreadState(report, known, decisions), null);

describe("a thread of increments, parts, reversals, captures and refunds in any order", () => {
  const life = fc.record({
    first: fc.record({
      kind: fc.constant("ask" as const),
      cents: fc.integer({ min: 1, max: 9_000 }),
      part: fc.nat(9_000),
    }),
    steps: fc.array(step, { maxLength: 8 }),
    namesAskedAmount: fc.boolean(),
  });
  const playLife = ({ first, steps, namesAskedAmount }: typeof life extends fc.Arbitrary<infer T> ? T : never) => {
    const issuer = new Issuer(namesAskedAmount);
    const told = [first, ...steps].map((each) => {
      issuer.play(each);
      return issuer.report();
    });
    return { issuer, told };
  };

  test("takes from the Safe what the issuer takes from us, after every step", () => {
    fc.assert(
      fc.property(life, (lived) => {
        const issuer = new Issuer(lived.namesAskedAmount);
        let known: ThreadState | null = null;
        for (const each of [lived.first, ...lived.steps]) {
          issuer.play(each);
          const { report, decisions } = issuer.report();
          known = deriveThreadState(report, known, decisions);
          if (issuer.isApproved && lived.steps.every(({ kind }) => kind !== "final"))
            expect(known.authorizedCents).toBe(issuer.approvedCents());
          // A closed authorization of nothing is about to be captured for what was approved.
          if (issuer.status === "closed" && issuer.amount === 0n) continue;
          expect(known.targetCents).toBe(issuer.expectedTarget());
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("ends in the same state, whichever reports came before the last, how often and in which order", () => {
    fc.assert(
      fc.property(life, fc.array(fc.nat(8), { maxLength: 12 }), (lived, order) => {
        const { told } = playLife(lived);
        const last = told.at(-1);
        if (!last) return;
        const seen = order.flatMap((index) => told[index] ?? []);
        const [some, all] = [fold([...seen, last]), fold([last])];
        const shown = (state: ThreadState | null) =>
          state && { ...state, reversedCents: null, excessCents: null, ...(isHidden(last) && { targetCents: null }) };
        expect(shown(some)).toEqual(shown(all));
        expect(fold([...seen, last, last])).toEqual(some);
      }),
      { numRuns: 1_000 },
    );
  });

  /** A closed authorization without its amount: how much of it was reversed is known from earlier reports alone. */
  const isHidden = ({ report: { authorization } }: Told): boolean =>
    authorization?.status === "closed" && authorization.amountCents === 0n;

  test("holds an increment that we approved before the issuer has recorded it, and drops one that it never records", () => {
    const issuer = new Issuer(true);
    issuer.play({ kind: "ask", cents: 5_000, part: 5_000 });
    const { report, decisions } = issuer.report();
    const raised = [...decisions, { ordinal: 1, isApproved: true, approvedCents: 2_000n }];
    const amounts = { authorizedCents: 7_000n, targetCents: 7_000n, reversedCents: 0n };
    expect(deriveThreadState(report, null, raised)).toMatchObject(amounts);
    issuer.play({ kind: "decline", cents: 0 });
    const late = deriveThreadState(issuer.report().report, null, raised);
    expect(late).toMatchObject({
      status: "AUTHORIZED",
      authorizedCents: 5_000n,
      targetCents: 5_000n,
      reversedCents: 0n,
    });
  });

  test("keeps a reversal that a later report without an amount does not name", () => {
    const issuer = new Issuer(false);
    issuer.play({ kind: "ask", cents: 5_000, part: 5_000 });
    issuer.play({ kind: "reverse", cents: 2_000 });
    const known = fold([issuer.report()]);
    expect(known).toMatchObject({ reversedCents: 2_000n, targetCents: 3_000n });
    issuer.play({ kind: "final", cents: 0 });
    issuer.play({ kind: "close", cents: 0 });
    const closed = deriveThreadState(issuer.report().report, known);
    expect(closed).toMatchObject({ reversedCents: 2_000n, targetCents: 3_000n });
  });

  test("is not held again once its hold ended here, also where a part is captured and the issuer keeps it open", () => {
    const issuer = new Issuer(true);
    issuer.play({ kind: "ask", cents: 5_000, part: 5_000 });
    const ended = { status: "EXPIRED" as const, reversedCents: 5_000n, isHoldEnded: true };
    expect(deriveThreadState(issuer.report().report, ended)).toMatchObject({ status: "EXPIRED", targetCents: 0n });
    issuer.play({ kind: "capture", cents: 2_000 });
    expect(deriveThreadState(issuer.report().report, ended)).toMatchObject({ targetCents: 2_000n, excessCents: 0n });
    issuer.play({ kind: "capture_reversal", cents: 2_000 });
    expect(deriveThreadState(issuer.report().report, ended)).toMatchObject({ targetCents: 0n });
  });

  test("is cleared by a part that is captured after its hold ended here, although the issuer keeps it open", () => {
    const issuer = new Issuer(true);
    issuer.play({ kind: "ask", cents: 5_000, part: 5_000 });
    issuer.play({ kind: "capture", cents: 2_000 });
    const { report } = issuer.report();
    expect(deriveThreadState(report, null)).toMatchObject({ status: "AUTHORIZED", targetCents: 5_000n });
    for (const known of [
      { status: "EXPIRED" as const, reversedCents: 5_000n },
      { status: "AUTHORIZED" as const, reversedCents: 0n },
    ])
      expect(deriveThreadState(report, { ...known, isHoldEnded: true })).toMatchObject({
        status: "CLEARED",
        targetCents: 2_000n,
      });
  });

  test("of nothing is done when the issuer closes it", () => {
    const issuer = new Issuer(true);
    issuer.play({ kind: "ask", cents: 0, part: 0 });
    expect(fold([issuer.report()])).toMatchObject({ status: "AUTHORIZED", targetCents: 0n });
    issuer.play({ kind: "close", cents: 0 });
    expect(fold([issuer.report()])).toMatchObject({ status: "CLEARED", targetCents: 0n });
  });
});

describe("captures come to at most, without a case,", () => {
  const rules = {
    percent: 10n,
    tipPercent: 20n,
    travelPercent: 15n,
    currencyPercent: 5n,
    fuelCentsMax: 15_000n,
    aloneCentsMax: 5_000n,
  };
  const payment = {
    status: "AUTHORIZED" as const,
    mcc: "5411",
    authorizedCents: 10_000n,
    reversedCents: 0n,
    merchantCurrency: "EUR",
    billingCurrency: "EUR",
  };

  test.each([
    ["a tenth more at a shop", {}, true, 11_000n],
    ["a fifth more at a restaurant", { mcc: "5812" }, true, 12_000n],
    ["some more at a hotel", { mcc: "7011" }, true, 11_500n],
    ["the same at a hotel of a chain", { mcc: "3501" }, true, 11_500n],
    ["more again in another currency", { merchantCurrency: "CHF" }, true, 11_500n],
    ["150 at a pump that asked for 1", { mcc: "5542", authorizedCents: 100n }, true, 15_000n],
    ["what was not reversed", { reversedCents: 6_000n }, true, 4_400n],
    ["the whole of an expired authorization", { status: "EXPIRED" as const, reversedCents: 10_000n }, true, 11_000n],
    ["nothing of a reversed one", { status: "REVERSED" as const, reversedCents: 10_000n }, true, 0n],
    ["nothing of a declined one", { status: "DECLINED" as const }, true, 0n],
    ["a small amount without an authorization", {}, false, 5_000n],
  ])("%s", (_what, change, hasAuthorization, most) => {
    expect(computeCaptureMax({ ...payment, ...change }, { hasAuthorization }, rules)).toBe(most);
  });
});

describe("the issuer's signed transactions", () => {
  const posted = fc.record({
    type: fc.constantFrom("capture", "capture", "refund", "refund", "fee"),
    amount: fc.integer({ min: -9_000, max: 9_000 }),
    isAgainst: fc.nat(9).map((each) => each === 0),
    day: fc.integer({ min: 1, max: 28 }),
  });
  type Posted = typeof posted extends fc.Arbitrary<infer T> ? T : never;
  const merchant = { category_code: "5411", name: "Shop", city: "Berlin", country: "DE", network_id: "1" };
  const money = { currency: "eur", merchant_currency: "eur", merchant_data: merchant, metadata: {} };
  const buildTransaction = ({ type, amount, isAgainst, day }: Posted, index: number) => ({
    ...money,
    id: `ipi_${index}`,
    object: "issuing.transaction",
    type,
    amount,
    merchant_amount: isAgainst ? -amount : amount,
    amount_details: { atm_fee: 195, cashback_amount: null },
    card: "ic_1",
    authorization: "iauth_1",
    created: 1_800_000_000 + index,
    network_data: { processing_date: `2027-02-${String(day).padStart(2, "0")}`, transaction_id: `ref_${index}` },
  });
  const readThread = (transactions: readonly object[]) =>
    readAuthorization({
      ...money,
      id: "iauth_1",
      object: "issuing.authorization",
      amount: 0,
      merchant_amount: 0,
      approved: true,
      status: "expired",
      card: "ic_1",
      request_history: [{ amount: 5_000, approved: true, reason: "webhook_approved" }],
      transactions,
    });

  test("come to the same in the payment, and what contradicts itself or has an unknown type is never booked", () => {
    fc.assert(
      fc.property(fc.array(posted, { maxLength: 8 }), (all) => {
        const report = readThread(all.map(buildTransaction));
        if (!report) throw new Error("The thread has no report");
        const signed = all.reduce((sum, { amount }) => sum - BigInt(amount), 0n);
        expect(sumSigned(report)).toBe(signed);
        const netOf = (wanted: string) =>
          all.reduce((sum, { type, amount }) => (type === wanted ? sum + amount : sum), 0);
        const isFaulty =
          all.some(({ type, amount, isAgainst }) => type === "fee" || (isAgainst && amount !== 0)) ||
          netOf("capture") > 0 ||
          netOf("refund") < 0;
        expect(findClearingFault(report) !== null).toBe(isFaulty);
        if (!isFaulty) expect(deriveThreadState(report, null).targetCents).toBe(signed);
      }),
      { numRuns: 1_000 },
    );
  });

  test("without an authorization are a capture or a refund by their sign alone, and come to the same", () => {
    fc.assert(
      fc.property(posted, (one) => {
        const report = readTransaction(buildTransaction(one, 0));
        const isFaulty = one.type === "fee" || (one.isAgainst && one.amount !== 0);
        expect(findClearingFault(report) !== null).toBe(isFaulty);
        if (isFaulty) return;
        const { targetCents, status, excessCents } = deriveThreadState(report, null);
        expect(targetCents).toBe(-BigInt(one.amount));
        if (one.amount < 0) expect([status, excessCents]).toEqual(["CLEARED", targetCents]);
        if (one.amount > 0) expect(status).toBe("CREDITED");
      }),
    );
  });

  test("have a date of the calendar, or cannot be read", () => {
    const one = buildTransaction({ type: "capture", amount: -100, isAgainst: false, day: 1 }, 0);
    expect(readTransaction({ ...one, created: 253_402_300_799 }).clearings[0]?.postedAt.getUTCFullYear()).toBe(9999);
    for (const created of [253_402_300_800, Number.MAX_SAFE_INTEGER, -1, 1.5, "now"])
      expect(() => readTransaction({ ...one, created })).toThrow(z.ZodError);
    const processed = (processing_date: string) =>
      readTransaction({ ...one, network_data: { processing_date } }).clearings[0]?.processedOn;
    expect([processed("2027-02-03"), processed("2027-02-30"), processed("yesterday")]).toEqual([
      "2027-02-03",
      null,
      null,
    ]);
  });

  test("keep the issuer's date, the network's day and reference, and the fee", () => {
    const one = { type: "capture" as const, amount: -2_195, isAgainst: false, day: 3 };
    expect(readTransaction(buildTransaction(one, 7)).clearings).toEqual([
      {
        id: "ipi_7",
        kind: "capture",
        amountCents: 2_195n,
        merchantMinor: 2_195n,
        postedAt: new Date(1_800_000_007_000),
        processedOn: "2027-02-03",
        networkReference: "ref_7",
        feeCents: 195n,
      },
    ]);
  });

  test("repeat a capture where amount and reference are equal and no more was approved", () => {
    const twice = (amountCents: bigint, approvedCents: bigint): string | null => {
      const capture = { type: "capture" as const, amount: -Number(amountCents), isAgainst: false, day: 1 };
      const report = readThread([buildTransaction(capture, 0), { ...buildTransaction(capture, 0), id: "ipi_1" }]);
      if (!report?.authorization) throw new Error("The thread has no authorization");
      const authorization = { ...report.authorization, amountCents: approvedCents };
      return findRepeatedCapture({ ...report, authorization }, new Set(["ipi_0"]))?.id ?? null;
    };
    expect(twice(2_000n, 2_000n)).toBe("ipi_1");
    expect(twice(2_000n, 4_000n)).toBeNull();
  });
});
