import { describe, expect, test } from "bun:test";
import type { CardTransfer } from "@cardkeep/db/queries/spending/transfers";
import {
  backOffMs,
  chainTargetOf,
  computeCollection,
  computeMove,
  computeOwed,
  computeRefundMax,
  computeWriteOffMax,
  computeWrittenOff,
  hasFailedSpend,
  sumProved,
  sumTransfers,
} from "@cardkeep/domain/spending/payments/debtAmounts";
import { deriveThreadState } from "@cardkeep/domain/spending/payments/deriveThreadState";
import fc from "fast-check";
import { filled } from "../support/filled.ts";

type Movement = Pick<CardTransfer, "direction" | "amount" | "status" | "isByHand">;

const partMin = 100n;

/** One payment's life, driven by the issuer and the chain. */
class Thread {
  /** What the issuer claims. */
  claimed = 0n;
  /** What a dispute returns. */
  credit = 0n;
  /** What operators gave up. */
  writtenOff = 0n;
  transfers: Movement[] = [];

  private get aims() {
    return { target: this.claimed, setOff: 0n, credit: this.credit, writtenOff: this.writtenOff };
  }

  get target(): bigint {
    return chainTargetOf(this.aims, this.transfers);
  }

  /** The target without what was given up. */
  get claim(): bigint {
    return chainTargetOf({ ...this.aims, writtenOff: 0n }, this.transfers);
  }

  /** What the operator bears now of what was given up. */
  get loss(): bigint {
    return computeWrittenOff(this.aims, this.transfers);
  }

  private get open(): Movement | undefined {
    return this.transfers.find(({ status }) => status === "PLANNED");
  }

  private plan(): void {
    const move = computeMove(this.target, this.transfers);
    if (move) this.transfers.push({ ...move, status: "PLANNED", isByHand: false });
  }

  aim(target: bigint): void {
    this.claimed = target;
    this.plan();
  }

  /** A dispute's credit changes. */
  dispute(credit: bigint): void {
    this.credit = credit;
    this.plan();
  }

  /** The chain executes the next transfer. */
  complete(): void {
    if (!this.open) return;
    this.open.status = "DONE";
    if (!this.open && sumTransfers(this.transfers) > this.target) this.plan();
  }

  /** The chain rejects the next spend; later transfers end with it. */
  fail(): void {
    if (this.open?.direction !== "spend") return;
    for (const movement of this.transfers) if (movement.status === "PLANNED") movement.status = "FAILED";
    this.plan();
  }

  collect(available: bigint): bigint | null {
    const amount = computeCollection(this.target, this.transfers, { available, partMin });
    if (amount !== null) this.transfers.push({ direction: "spend", amount, status: "PLANNED", isByHand: false });
    return amount;
  }

  /** An operator gives up as much as may be, up to `wanted`. */
  writeOff(wanted: bigint): void {
    const most = computeWriteOffMax(this.target, this.transfers);
    this.writtenOff += wanted < most ? wanted : most;
  }

  /** An operator returns as much as may be, up to `wanted`; nothing while the payment is in debt. */
  refund(wanted: bigint): void {
    const most = computeRefundMax({ target: this.claimed, credit: this.credit }, this.transfers) ?? 0n;
    const amount = wanted < most ? wanted : most;
    if (amount === 0n || computeOwed(this.target, this.transfers) > 0n) return;
    this.transfers.push({ direction: "return", amount, status: "PLANNED", isByHand: true });
  }
}

const amount = fc.bigInt({ min: 0n, max: 1_000n });
const act = fc.oneof(
  amount.map((target) => (thread: Thread) => thread.aim(target)),
  fc.constant((thread: Thread) => thread.complete()),
  fc.constant((thread: Thread) => thread.fail()),
  amount.map((available) => (thread: Thread) => void thread.collect(available)),
  amount.map((wanted) => (thread: Thread) => thread.refund(wanted)),
  amount.map((credit) => (thread: Thread) => thread.dispute(credit)),
  amount.map((wanted) => (thread: Thread) => thread.writeOff(wanted)),
);

describe("a payment's transfers, for all results of issuer and chain", () => {
  const lives = fc.array(act, { minLength: 1, maxLength: 40 });

  test("never return more than was proved, nor aim above the target", () => {
    fc.assert(
      fc.property(lives, (acts) => {
        const thread = new Thread();
        for (const apply of filled(acts)) {
          apply(thread);
          expect(sumProved(thread.transfers) >= 0n).toBe(true);
          expect(sumTransfers(thread.transfers) <= thread.target).toBe(true);
          if (!hasFailedSpend(thread.transfers)) expect(sumTransfers(thread.transfers)).toBe(thread.target);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("give back by hand and by the issuer's refunds together what was moved, and never more", () => {
    fc.assert(
      fc.property(lives, (acts) => {
        const thread = new Thread();
        for (const apply of acts) apply(thread);
        const settle = () => {
          for (let turns = 100; turns > 0; turns--) {
            thread.complete();
            thread.collect(10_000n);
          }
        };
        settle();
        thread.refund(1_000n);
        settle();
        expect(sumProved(thread.transfers)).toBe(0n);
        for (const claimed of [500n, 0n]) {
          thread.aim(claimed);
          settle();
          expect(sumProved(thread.transfers)).toBe(thread.target);
          expect(thread.target >= 0n && thread.target <= claimed).toBe(true);
        }
        expect(sumProved(thread.transfers)).toBe(0n);
        expect(computeRefundMax({ target: 0n, credit: 0n }, thread.transfers)).toBe(0n);
      }),
      { numRuns: 500 },
    );
  });

  test("leave a debt of the target minus the proved amount after a failure, and none before one", () => {
    fc.assert(
      fc.property(lives, (acts) => {
        const thread = new Thread();
        for (const apply of filled(acts)) {
          apply(thread);
          const missing = thread.target - sumProved(thread.transfers);
          const owed = computeOwed(thread.target, thread.transfers);
          expect(owed).toBe(hasFailedSpend(thread.transfers) && missing > 0n ? missing : 0n);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("leave the operator a loss of at most what was written off, and pay no person from it", () => {
    fc.assert(
      fc.property(lives, amount, (acts, wanted) => {
        const thread = new Thread();
        for (const apply of filled(acts)) {
          apply(thread);
          expect(thread.loss >= 0n && thread.loss <= thread.writtenOff).toBe(true);
          expect(thread.target + thread.loss).toBe(thread.claim);
        }
        const before = sumTransfers(thread.transfers);
        thread.writeOff(wanted);
        thread.dispute(thread.credit);
        expect(sumTransfers(thread.transfers)).toBe(before);
        // The issuer refunds all: the loss is made up for, and the person gets back what the person has paid.
        thread.aim(0n);
        expect([thread.loss, sumTransfers(thread.transfers)]).toEqual([0n, 0n]);
      }),
      { numRuns: 500 },
    );
  });

  test("are collected no more once the debt is written off, and a refund of it pays the person what was paid alone", () => {
    const thread = new Thread();
    thread.aim(1_000n);
    thread.fail();
    thread.collect(600n);
    thread.complete();
    thread.writeOff(1_000n);
    expect([thread.writtenOff, thread.loss, thread.collect(1_000n)]).toEqual([400n, 400n, null]);
    expect(computeOwed(thread.target, thread.transfers)).toBe(0n);
    for (const [claimed, loss, paid] of [
      [700n, 100n, 600n],
      [500n, 0n, 500n],
      [0n, 0n, 0n],
    ] as const) {
      thread.aim(claimed);
      thread.complete();
      expect([thread.loss, sumProved(thread.transfers)]).toEqual([loss, paid]);
    }
    // The merchant takes the refund back: the person owes what came back, the operator bears the rest again.
    thread.aim(1_000n);
    expect([thread.loss, computeOwed(thread.target, thread.transfers)]).toEqual([400n, 600n]);
  });

  test("leave what a collection under way brings to it, and no loss where it arrives", () => {
    const thread = new Thread();
    thread.aim(100n);
    thread.fail();
    expect(thread.collect(100n)).toBe(100n);
    thread.writeOff(1_000n);
    expect(thread.writtenOff).toBe(0n);
    thread.fail();
    thread.collect(100n);
    thread.fail();
    thread.writeOff(30n);
    expect(thread.collect(1_000n)).toBe(70n);
    thread.writeOff(1_000n);
    expect([thread.writtenOff, thread.loss, computeOwed(thread.target, thread.transfers)]).toEqual([30n, 30n, 70n]);
    thread.complete();
    expect([thread.loss, computeOwed(thread.target, thread.transfers)]).toEqual([30n, 0n]);
  });

  test("reach the target exactly once the money is there", () => {
    fc.assert(
      fc.property(lives, (acts) => {
        const thread = new Thread();
        for (const apply of acts) apply(thread);
        for (let turns = 100; turns > 0; turns--) {
          thread.complete();
          thread.collect(10_000n);
        }
        expect(sumProved(thread.transfers)).toBe(thread.target);
        expect(computeOwed(thread.target, thread.transfers)).toBe(0n);
      }),
      { numRuns: 500 },
    );
  });

  test("collect at most the available and the missing amount, and no tiny part of a larger debt", () => {
    const spend = { direction: "spend", isByHand: false } as const;
    const failed: Movement[] = [{ ...spend, amount: 500n, status: "FAILED" }];
    const collect = (available: bigint, transfers = failed, target = 500n) =>
      computeCollection(target, transfers, { available, partMin });
    expect([collect(99n), collect(100n), collect(499n), collect(501n)]).toEqual([null, 100n, 499n, 500n]);
    const rest: Movement[] = [...failed, { ...spend, amount: 450n, status: "DONE" }];
    expect([collect(49n, rest), collect(50n, rest)]).toEqual([null, 50n]);
    expect([collect(500n, []), collect(500n, failed, 0n), collect(-1n)]).toEqual([null, null, null]);
  });
});

test("a Safe whose collections fail waits four times as long each time, up to a day", () => {
  const minutes = [0, 1, 2, 3, 4, 5, 6, 7, 100].map((failures) => backOffMs(failures) / 60_000);
  expect(minutes).toEqual([0, 1, 4, 16, 64, 256, 1_024, 1_440, 1_440]);
});

describe("a capture's excess", () => {
  const excessOf = (capturedCents: bigint, authorization: Parameters<typeof deriveThreadState>[0]["authorization"]) => {
    const clearing = {
      id: "ipi_1",
      kind: "capture" as const,
      amountCents: capturedCents,
      merchantMinor: capturedCents,
      postedAt: new Date(0),
      processedOn: null,
      networkReference: null,
      feeCents: 0n,
    };
    const merchant = { networkId: null, name: "Shop", city: "Berlin", country: "DE", mcc: "5411" };
    const verification = { walletTokenId: null, threeDSecure: null, authenticationExemption: null };
    const report = {
      threadId: "iauth_1",
      issuerCardId: "ic_1",
      currency: "EUR",
      merchant,
      transactionType: "00",
      channel: null,
      verification,
    };
    const amounts = { merchantMinor: 0n, merchantCurrency: "EUR" };
    return deriveThreadState({ ...report, ...amounts, authorization, clearings: [clearing], faults: [] }, null)
      .excessCents;
  };
  const authorization = {
    isApproved: true,
    status: "closed",
    amountCents: 5_000n,
    requests: [
      {
        isApproved: true,
        amountCents: 5_000n,
        merchantMinor: 5_000n,
        feeCents: 0n,
        cashbackCents: 0n,
        decidedBy: "service",
        decidedAt: new Date(0),
        reason: null,
      },
    ],
    reason: null,
  } as const;

  test("is the captured amount above the approved and not reversed one", () => {
    expect(excessOf(5_000n, authorization)).toBe(0n);
    expect(excessOf(6_000n, authorization)).toBe(1_000n);
    expect(excessOf(5_000n, { ...authorization, amountCents: 2_000n })).toBe(3_000n);
    expect(excessOf(2_000n, { ...authorization, status: "reversed", amountCents: 0n })).toBe(0n);
    expect(excessOf(700n, { ...authorization, isApproved: false })).toBe(700n);
    expect(excessOf(700n, null)).toBe(700n);
  });
});
