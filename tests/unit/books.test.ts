import { describe, expect, test } from "bun:test";
import { addLeaves, digestOf, emptyFrontier, findPath, hashLeaf, rootOf } from "@cardkeep/domain/books/closes/merkle";
import { carryOver } from "@cardkeep/domain/books/closes/carryOver";
import {
  type Posting,
  postClearing,
  postCredit,
  postDispute,
  postEntry,
  postExplanation,
  postExplained,
  postGas,
  postIbanOrder,
  postMove,
  postOrder,
  postReturn,
  postUnused,
} from "@cardkeep/domain/books/postings/rules";
import { postWitnessEntry } from "@cardkeep/domain/books/postings/witnessRules";
import { splitTax } from "@cardkeep/domain/core/splitTax";
import fc from "fast-check";
import { closeDays } from "../support/bookYears.ts";
import { filled } from "../support/filled.ts";

const at = new Date("2026-11-30T10:00:00Z");
const cent = 10n ** 16n;

/** The amounts of a posting in cents, by the kind of account. */
const centsOf = (posting: Posting | null) =>
  Object.fromEntries((posting?.lines ?? []).map(({ account, amount }) => [account, Number(amount / cent)]));

const entry = {
  id: "e",
  paymentId: "p",
  token: "EURe",
  safe: 0n,
  held: 0n,
  settlement: 0n,
  owed: 0n,
  writtenOff: 0n,
  transferId: "p:0",
  hash: "0x1",
  at,
} as const;
const clearing = { id: "ipi_1", paymentId: "p", cents: 500n, currency: "EUR", at } as const;
const credit = {
  paymentId: "p",
  disputeId: null,
  currency: "EUR",
  credited: 0n,
  byHand: 0n,
  postings: 0,
  bookedCredit: 0n,
  bookedByHand: 0n,
  at,
} as const;
const prices = { totalEurCents: 3_000n, discountEurCents: 1_000n, totalCents: 3_000n };
const order = {
  id: "o",
  currency: "EUR",
  ...prices,
  paid: 2_100n * cent,
  hasEnded: false,
  postings: 0,
  hash: "0x2",
  at,
} as const;
const dispute = {
  id: "d",
  issuerDisputeId: "idp_1",
  currency: "EUR",
  token: "EURe",
  reinstatedCents: 0n,
  credit: 0n,
  isClosed: false,
  at,
  postings: 0,
  prefund: 0n,
  losses: 0n,
} as const;
const orderReturn = { id: "r", orderId: "o", currency: "EUR", amount: 100n * cent, hash: "0x3", at } as const;

describe("a posting of", () => {
  test("a hold moves within the customer's own money alone", () => {
    const posting = postEntry({ ...entry, safe: -5n * cent, held: 5n * cent });
    expect([posting?.type, centsOf(posting)]).toEqual(["hold", { "safes:EUR": -5, "holds:EUR": 5 }]);
  });

  test("a spend brings tokens that are owed to the issuer, under its transaction", () => {
    const posting = postEntry({ ...entry, held: -5n * cent, settlement: 5n * cent });
    const own = { "settlement:EUR": 5, "issuer-clearing:EUR": -5 };
    expect([posting?.type, centsOf(posting)]).toEqual(["spend", { "holds:EUR": -5, "customers:EUR": 5, ...own }]);
    expect(posting?.lines.find(({ account }) => account === "settlement:EUR")?.reference).toBe("0x1");
  });

  test("a return is against the clearing, and what the operator bears of it is a gift by hand, or a dispute's", () => {
    const back = postEntry({ ...entry, safe: 5n * cent, settlement: -5n * cent });
    const own = { "settlement:EUR": -5, "issuer-clearing:EUR": 5 };
    expect([back?.type, centsOf(back)]).toEqual(["return", { "safes:EUR": 5, "customers:EUR": -5, ...own }]);
    expect(centsOf(postCredit({ ...credit, byHand: 5n * cent }))).toEqual({
      "goodwill:EUR": 5,
      "issuer-clearing:EUR": -5,
    });
    expect(centsOf(postCredit({ ...credit, credited: 5n * cent, disputeId: "d" }))).toEqual({
      "provisional-credits:EUR": 5,
      "issuer-clearing:EUR": -5,
    });
  });

  test("what the operator bears books what changed of it, once, also where it ends", () => {
    const booked = { ...credit, disputeId: "d", bookedCredit: 7n * cent, bookedByHand: 2n * cent, postings: 1 };
    expect(postCredit({ ...booked, credited: 7n * cent, byHand: 2n * cent })).toBeNull();
    const ended = postCredit({ ...booked, credited: 3n * cent });
    expect([ended?.type, ended?.externalId, ended?.cause]).toEqual(["credit", "p:1", "p"]);
    expect(centsOf(ended)).toEqual({ "provisional-credits:EUR": -4, "goodwill:EUR": -2, "issuer-clearing:EUR": 6 });
  });

  test("a debt is the customer's, and one that was written off is the operator's loss", () => {
    expect(centsOf(postEntry({ ...entry, owed: 5n * cent }))).toEqual({
      "customer-debts:EUR": 5,
      "issuer-clearing:EUR": -5,
    });
    const given = postEntry({ ...entry, owed: -5n * cent, writtenOff: 5n * cent });
    expect([given?.type, centsOf(given)]).toEqual(["write-off", { "customer-debts:EUR": -5, "credit-losses:EUR": 5 }]);
  });

  test.each([
    ["capture", -500],
    ["refund", 500],
    ["capture_reversal", 500],
    ["refund_reversal", -500],
  ] as const)("a %s takes from the balance at the issuer by its sign: %s cents", (kind, cents) => {
    const posting = postClearing({ ...clearing, kind });
    expect(centsOf(posting)).toEqual({ "prefund:EUR": cents, "issuer-clearing:EUR": -cents });
    expect(posting?.lines.find(({ account }) => account === "prefund:EUR")?.reference).toBe("ipi_1");
  });

  test("what two persons explain leaves the suspense for the account that they name", () => {
    const posting = postExplanation({ id: "i", token: "EURe", amount: 7n * cent, account: "fraud-losses", at });
    expect(centsOf(posting)).toEqual({ "suspense:EUR": -7, "fraud-losses:EUR": 7 });
    expect([posting.type, posting.externalId]).toEqual(["explanation", "i"]);
  });

  test("what a dispute gave, and what came back of it, have its name as reference", () => {
    const given = postCredit({ ...credit, credited: 5n * cent, disputeId: "d" });
    const returned = postDispute({ ...dispute, reinstatedCents: 500n });
    for (const posting of [given, returned])
      expect(posting?.lines.find(({ account }) => account === "provisional-credits:EUR")?.reference).toBe("d");
  });

  test("an order has income without tax, the coupon, and what was paid beyond", () => {
    expect(centsOf(postOrder(order, "19"))).toEqual({
      "treasury:EUR": 2_100,
      "coupons:EUR": 1_000,
      "order-income:EUR": -(3_000 - 319),
      "vat:EUR": -319,
      "payable:EUR": -100,
    });
    expect(centsOf(postOrder({ ...order, hasEnded: true }, "19"))).toEqual({
      "treasury:EUR": 2_100,
      "payable:EUR": -2_100,
    });
  });

  test("a coupon of nearly the whole EUR price leaves a cent of a lower price, which is income", () => {
    const nearly = { totalEurCents: 3_023n, discountEurCents: 3_022n, totalCents: 1_000n, paid: cent };
    expect(centsOf(postOrder({ ...order, ...nearly }, null))).toEqual({
      "treasury:EUR": 1,
      "coupons:EUR": 999,
      "order-income:EUR": -1_000,
    });
  });

  test("a payment that comes after one was taken back has a posting of its own", () => {
    const ids = [0, 1].map((postings) => postOrder({ ...order, postings }, "19")?.externalId);
    expect(ids).toEqual(["o", "o:1"]);
  });

  test("an order that ended owes what the books have left of its income, tax and coupon, and nothing twice", () => {
    const booked = { orderId: "o", currency: "EUR", postings: 1, at } as const;
    const left = { income: -2_681n * cent, vat: -319n * cent, coupons: 1_000n * cent };
    const posting = postUnused({ ...booked, ...left });
    expect([posting?.type, posting?.externalId, posting?.cause]).toEqual(["order-unused", "o:1", "o"]);
    expect(centsOf(posting)).toEqual({
      "order-income:EUR": 2_681,
      "vat:EUR": 319,
      "coupons:EUR": -1_000,
      "payable:EUR": -2_000,
    });
    expect(postUnused({ ...booked, income: 0n, vat: 0n, coupons: 0n })).toBeNull();
  });

  test("a return of an order's money takes first what the order did not use, then income with its tax", () => {
    const posting = postReturn({ ...orderReturn, payable: -40n * cent, vat: -319n * cent }, "19");
    const rest = Number((splitTax(60n * cent, "19").tax ?? 0n) / cent);
    expect(centsOf(posting)["payable:EUR"]).toBe(40);
    expect(centsOf(posting)["vat:EUR"]).toBe(rest);
    expect(centsOf(posting)["treasury:EUR"]).toBe(-100);
  });

  test("a dispute books what changed at the issuer, and once it is closed the loss of what was not given back", () => {
    const won = postDispute({ ...dispute, reinstatedCents: 500n, credit: 500n * cent, isClosed: true });
    expect(centsOf(won)).toEqual({ "prefund:EUR": 500, "provisional-credits:EUR": -500 });
    const lost = postDispute({ ...dispute, credit: 500n * cent, isClosed: true });
    expect(centsOf(lost)).toEqual({ "dispute-losses:EUR": 500, "provisional-credits:EUR": -500 });
    expect(postDispute({ ...dispute, reinstatedCents: 500n, prefund: 500n * cent })).toBeNull();
    expect(postDispute({ ...dispute, credit: 500n * cent })).toBeNull();
    const taken = postDispute({ ...dispute, prefund: 500n * cent, postings: 1 });
    expect([taken?.externalId, centsOf(taken)]).toEqual([
      "d:1",
      { "prefund:EUR": -500, "provisional-credits:EUR": 500 },
    ]);
  });

  test("money by an IBAN is a memo; gas is an expense; the issuer's fee and unannounced money have their accounts", () => {
    const iban = { id: "i", currency: "eur", amount: "12.500", hash: "0x4", at } as const;
    expect(centsOf(postIbanOrder({ ...iban, kind: "issue" }))).toEqual({ "safes:EUR": 1_250, "customers:EUR": -1_250 });
    expect(centsOf(postIbanOrder({ ...iban, kind: "redeem" }))).toEqual({
      "safes:EUR": -1_250,
      "customers:EUR": 1_250,
    });
    expect(centsOf(postGas({ id: "g", amount: cent, hash: "0x5", at }))).toEqual({
      "gas:XDAI": 1,
      "gas-funds:XDAI": -1,
    });
    const seen = { reference: "x", ordinal: 0, currency: "EUR", amount: -3n * cent, at };
    const fee = postWitnessEntry({ ...seen, witness: "issuer", account: "prefund:EUR", kind: "stripe_fee" });
    expect([fee?.type, centsOf(fee)]).toEqual(["issuer-fee", { "prefund:EUR": -3, "issuer-fees:EUR": 3 }]);
    const moved = postWitnessEntry({ ...seen, witness: "chain", account: "settlement:EUR", kind: "transfer" });
    expect([moved?.type, centsOf(moved)]).toEqual(["unannounced", { "settlement:EUR": -3, "suspense:EUR": 3 }]);
    const before = { ...seen, witness: "chain", account: "settlement:EUR", kind: "opening" };
    const held = postWitnessEntry({ ...before, amount: 3n * cent });
    expect([held?.type, centsOf(held)]).toEqual(["opening", { "settlement:EUR": 3, "capital:EUR": -3 }]);
    expect(postWitnessEntry(before)?.type).toBe("unannounced");
  });

  test("a move of the treasury is between the operator's own accounts, each with its witness's reference", () => {
    const move = {
      id: "m",
      token: "EURe",
      amount: 7n * cent,
      hash: "0x6",
      externalId: "txn_1",
      isGivenUp: false,
      at,
    } as const;
    const own = (kind: "sweep" | "contribute" | "redeem" | "fund", isLinked = true) =>
      centsOf(postMove({ ...move, kind, isLinked }));
    expect(own("sweep")).toEqual({ "settlement:EUR": -7, "treasury:EUR": 7 });
    expect(own("contribute")).toEqual({ "treasury:EUR": -7, "settlement:EUR": 7 });
    expect(own("redeem")).toEqual({ "treasury:EUR": -7, "transit:EUR": 7 });
    expect(own("redeem", false)).toEqual({ "treasury:EUR": -7, "bank:EUR": 7 });
    expect(own("fund")).toEqual({ "transit:EUR": -7, "prefund:EUR": 7 });
    expect(own("fund", false)).toEqual({ "bank:EUR": -7, "prefund:EUR": 7 });
    const givenUp = postMove({ ...move, kind: "fund", isLinked: true, isGivenUp: true });
    expect(centsOf(givenUp)).toEqual({ "transit:EUR": -7, "bank:EUR": 7 });
    const references = (kind: "sweep" | "fund") =>
      (postMove({ ...move, kind, isLinked: true })?.lines ?? []).map(({ reference }) => reference);
    expect([references("sweep"), references("fund")]).toEqual([
      ["0x6", "0x6"],
      [null, "txn_1"],
    ]);
  });

  test("what ends a suspense is the same with the other sign, and names it", () => {
    const lines = [{ account: "settlement:EUR", currency: "EUR", amount: 5n, reference: "0x7" }];
    const end = postExplained({ postingId: "9", cause: "0x7", lines, at });
    expect([end.reverses, end.externalId, end.lines[0]?.amount, end.lines[0]?.reference]).toEqual([
      "9",
      "9",
      -5n,
      "0x7",
    ]);
  });

  const amount = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
  const money = fc.bigInt({ min: 0n, max: 10n ** 9n });

  test("anything sums to zero in each currency, and its memo accounts do so among themselves", () => {
    const facts = fc.record({ safe: amount, held: amount, settlement: amount, owed: amount, writtenOff: amount });
    const borne = fc.record({ credited: amount, byHand: amount, bookedCredit: amount, bookedByHand: amount });
    const built = fc.oneof(
      facts.map((sums) => postEntry({ ...entry, ...sums })),
      fc
        .tuple(borne, fc.option(fc.constant("d")))
        .map(([sums, disputeId]) => postCredit({ ...credit, ...sums, disputeId })),
      fc.tuple(money, money, money, fc.boolean(), fc.nat(10_000)).map(([total, discount, beyond, hasEnded, basis]) => {
        const totalCents = total + discount;
        const own = { totalEurCents: totalCents, discountEurCents: discount, totalCents };
        return postOrder({ ...order, ...own, paid: (total + beyond) * cent, hasEnded }, String(basis / 100));
      }),
      fc
        .tuple(money, money, money)
        .map(([sum, payable, vat]) => postReturn({ ...orderReturn, amount: sum, payable: -payable, vat: -vat }, "19")),
      fc
        .tuple(money, amount, amount, amount, fc.boolean())
        .map(([reinstatedCents, credit, prefund, losses, isClosed]) =>
          postDispute({ ...dispute, reinstatedCents, credit, prefund, losses, isClosed }),
        ),
    );
    fc.assert(
      fc.property(built, (posting) => {
        const lines = posting?.lines ?? [];
        const sum = (kinds: RegExp) =>
          lines.reduce((total, { account, amount: value }) => (kinds.test(account) ? total + value : total), 0n);
        expect([sum(/./), sum(/^(safes|holds|customers):/)]).toEqual([0n, 0n]);
        expect(lines.every(({ amount: value }) => value !== 0n)).toBe(true);
      }),
    );
  });
});

describe("a Merkle tree", () => {
  test("has the root of RFC 6962's own definition, in chunks of any size, and a path for each leaf", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 40 }), fc.nat(40), (leaves, cut) => {
        const whole = addLeaves(emptyFrontier, leaves);
        const chunked = addLeaves(addLeaves(emptyFrontier, leaves.slice(0, cut)), leaves.slice(cut));
        expect(chunked).toEqual(whole);
        const hashes = leaves.map(hashLeaf);
        expect(rootOf(whole)).toBe(treeOf(hashes));
        const lengths = hashes.map((_, index) => findPath(hashes, index).length);
        expect(lengths.every((length) => length <= Math.ceil(Math.log2(Math.max(leaves.length, 1))))).toBe(true);
      }),
    );
    // The empty tree of the RFC.
    expect(rootOf(emptyFrontier)).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });

  /** MTH of the RFC, as it is written there. */
  function treeOf(hashes: readonly Buffer[]): string {
    const hash = (...parts: readonly Uint8Array[]) =>
      parts.reduce((hasher, part) => hasher.update(part), new Bun.CryptoHasher("sha256")).digest();
    const of = (part: readonly Buffer[]): Buffer => {
      const [only] = part;
      if (part.length === 1 && only) return only;
      let split = 1;
      while (split * 2 < part.length) split *= 2;
      return hash(Uint8Array.of(1), of(part.slice(0, split)), of(part.slice(split))) as Buffer;
    };
    return hashes.length === 0 ? digestOf("") : of(hashes).toString("hex");
  }
});

describe("items of closes", () => {
  test("come to the difference of each witness in every close of a generated year: late, backdated, doubled, missing", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), (seed) => {
        // The document throws where items and difference are apart.
        const { closed } = closeDays(seed, 365);
        expect(closed).toHaveLength(365);
        for (const { document } of filled(closed.slice(-1)))
          for (const { witness, account, difference } of filled(document.comparisons)) {
            const own = document.items.filter((item) => item.witness === witness && item.account === account);
            expect(String(own.reduce((sum, item) => sum + BigInt(item.amount), 0n))).toBe(difference);
          }
      }),
      { numRuns: 2 },
    );
  });

  test("end once both sides are there, and keep their first day until then", () => {
    const net = { witness: "chain", account: "settlement:EUR", currency: "EUR", reference: "0x1", amount: 5n };
    const first = carryOver([], [net], "2026-01-01");
    expect(first.open.map(({ amount, firstDay }) => [amount, firstDay])).toEqual([[5n, "2026-01-01"]]);
    const part = carryOver(first.open, [{ ...net, amount: -2n }], "2026-01-02");
    expect(part.open.map(({ amount, firstDay }) => [amount, firstDay])).toEqual([[3n, "2026-01-01"]]);
    const done = carryOver(part.open, [{ ...net, amount: -3n }], "2026-01-03");
    expect([done.open, done.resolved.map(({ id }) => id)]).toEqual([[], ["chain settlement:EUR 0x1"]]);
  });
});
