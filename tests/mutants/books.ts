/** Mutants of what the books post, and of how a day is closed. */
import { mutantsOf } from "./mutant.ts";

const rules = ["tests/unit/books.test.ts"];

export const bookMutants = [
  ...mutantsOf(
    "packages/domain/src/books/closes/closeDay.ts",
    ["tests/long/restored-payments.test.ts"],
    [["a day is closed over rows that a restore lost", "await requireRows(ctx, null);", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/books/closes/closes.ts",
    ["tests/long/books.test.ts"],
    [["a close by a server ends where its node is slow for a decision", "chain: ctx.patientChain", "chain: ctx.chain"]],
  ),
  ...mutantsOf(
    "packages/domain/src/books/closes/announceClose.ts",
    ["tests/long/restored-payments.test.ts"],
    [["a close that was made again looks known", "_${digest.slice(0, idDigits)}", ""]],
  ),
  ...mutantsOf("packages/domain/src/spending/payments/clearingSums.ts", rules, [
    ["a capture gives money", "  capture: 1n,", "  capture: -1n,"],
    ["a refund takes money", "  refund: -1n,", "  refund: 1n,"],
    ["the reversal of a capture takes money", "capture_reversal: -1n", "capture_reversal: 1n"],
    ["the reversal of a refund gives money", "refund_reversal: 1n", "refund_reversal: -1n"],
  ]),
  ...mutantsOf("packages/domain/src/cards/orders/orderPrice.ts", rules, [
    [
      "a coupon of nearly the whole price leaves nothing to pay",
      "discountEurCents < totalEurCents ?",
      "discountEurCents < 0n ?",
    ],
  ]),
  ...mutantsOf("packages/domain/src/books/postings/rules.ts", rules, [
    ["a hold takes nothing from the Safe", "safes: safe,", "safes: -safe,"],
    ["a hold is not held", "holds: held,", "holds: -held,"],
    ["a gift by hand is a merchant's refund", "goodwill: gift,", "goodwill: 0n,"],
    ["a dispute's credit is a merchant's refund", `"provisional-credits": credit,`, `"provisional-credits": 0n,`],
    ["a credit is booked whole each time", "row.credited - row.bookedCredit,", "row.credited,"],
    ["a gift by hand is booked whole each time", "row.byHand - row.bookedByHand]", "row.byHand]"],
    ["tokens that arrive are not booked", "      settlement,\n", "      settlement: 0n,\n"],
    ["a debt has no debtor", `"customer-debts": owed,`, `"customer-debts": -owed,`],
    ["a write-off is no loss", `"credit-losses": writtenOff,`, `"credit-losses": -writtenOff,`],
    ["a return is called a spend", `return "return";`, `return "spend";`],
    ["a write-off is called a debt", `return "write-off";`, `return "debt";`],
    ["a spend has no reference", "settlement: entry.hash ?? entry.transferId", ""],
    ["a clearing has no reference", "{ prefund: id });", "{});"],
    ["an order that ended has income", "const isUsed = !hasEnded && paid >= due;", "const isUsed = paid >= due;"],
    ["an order's tax is income", "    vat: -vat,\n", "    vat: 0n,\n"],
    ["an order's coupon is booked nowhere", "    coupons,\n", "    coupons: 0n,\n"],
    ["an order's payment is booked as due", "    treasury: paid,\n", "    treasury: due,\n"],
    ["an order that ended keeps its tax", "vat: -vat, coupons: -coupons, payable }", "coupons: -coupons, payable }"],
    ["an order that ended has income still", `{ "order-income": -income,`, "{"],
    ["a return takes income first", "const payable = amount < owed ? amount : owed;", "const payable = 0n;"],
    ["a return leaves the tax", `{ treasury: -amount, payable, vat, `, `{ treasury: -amount, payable, vat: 0n, `],
    ["a dispute is booked whole each time", "reinstated - prefund,", "reinstated,"],
    ["a loss is booked before the dispute is closed", "isClosed && credit > reinstated ?", "credit > reinstated ?"],
    ["a lost dispute is no loss", `"dispute-losses": loss,`, `"dispute-losses": -loss,`],
    ["gas is income", "{ gas: amount,", "{ gas: -amount,"],
    ["a mint takes money", `kind === "issue" ? units : -units`, `kind === "issue" ? -units : units`],
    [
      "a sweep brings tokens to the settlement account",
      "sweep: linesOf(fiat, { settlement: -amount",
      "sweep: linesOf(fiat, { settlement: amount",
    ],
    [
      "a contribution comes from nowhere",
      "contribute: linesOf(fiat, { treasury: -amount",
      "contribute: linesOf(fiat, { treasury: 0n",
    ],
    ["redeemed money is at the bank at once", `isLinked ? "transit" : "bank"`, `"bank"`],
    ["money that was given up is at the issuer", `[isGivenUp ? "bank" : "prefund"]`, `["prefund"]`],
    ["a top-up has no reference", "{ prefund: externalId ?? id }", "{}"],
    ["an explanation leaves the suspense", "{ suspense: -amount, [account]: amount }", "{ [account]: 0n }"],
    ["a credit forgets its dispute", `"provisional-credits": disputeId`, `"provisional-credits": paymentId`],
    ["a suspense is doubled instead of ended", "({ ...line, amount: -line.amount })", "({ ...line })"],
  ]),
  ...mutantsOf("packages/domain/src/books/postings/witnessRules.ts", rules, [
    ["a fee is a top-up", `against: "issuer-fees"`, `against: "bank"`],
    [
      "what is missing at the beginning is a withdrawal",
      "kind === opening.type && amount > 0n",
      "kind === opening.type",
    ],
    ["unannounced money is the operator's", `against: "suspense"`, `against: "capital"`],
  ]),
  ...mutantsOf(
    "packages/db/src/queries/books/postings.ts",
    ["tests/long/books.test.ts"],
    [["a proof lacks the card money of an archived month", "thread_id in ${among(threadIds)}", "false"]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/books/reports.ts",
    ["tests/long/books.test.ts"],
    [["a top-up that is announced late counts twice", `"treasury", "unannounced-end"`, `"treasury"`]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/books/closes.ts",
    ["tests/long/books.test.ts"],
    [["a rejected order stays an item", "o.state = 'rejected'", "false"]],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/exports/records.ts",
    ["tests/long/order-books.test.ts"],
    [["an order that ended has tax in the export", "endedStatuses.includes(order.status) ? 0n : ", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/books/postings/followInstitution.ts",
    ["tests/long/books.test.ts"],
    [
      [
        "one customer's Safe stops the comparison of all",
        `await call(userId, () => readDifferences(ctx, { address, kind: "safes" }))`,
        `await readDifferences(ctx, { address, kind: "safes" })`,
      ],
      [
        "the comparison of Safes begins again at the same one",
        "withTotals(found ?? []), userId)",
        "withTotals(found ?? []), null)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/settlePaid.ts",
    ["tests/long/order-books.test.ts"],
    [
      [
        "one payment is kept for each order that names it",
        " || (await isOfOtherOrder(tx, { orderId: order.id, hash }))",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/books/cardSources.ts",
    ["tests/long/disputes.test.ts"],
    [
      [
        "what the law returned is no loss where the issuer takes no dispute",
        "${within(sql`d.updated_at`, span)} and ",
        "${within(sql`d.updated_at`, span)} and d.issuer_dispute_id is not null and ",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/books/cardSources.ts",
    ["tests/flows/card-money.test.ts", "tests/long/debts.test.ts"],
    [
      [
        "what an operator gave stays given where the merchant refunds it too",
        "least(c.returned, greatest(p.target, 0) - n.credited) as by_hand",
        "c.returned as by_hand",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/disputes/advanceDispute.ts",
    ["tests/long/disputes.test.ts"],
    [
      ["a dispute that goes on is a loss already", "nextAt, closedAt: null }", "nextAt }"],
      ["the dispute of a verification waits for ever", ', "CREDITED", "CLEARED"]', ', "CREDITED"]'],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/disputes/mailDispute.ts",
    ["tests/long/disputes.test.ts"],
    [
      [
        "a dispute of what was not captured is about nothing",
        "payment.capturedCents > 0n ?",
        "payment.capturedCents >= 0n ?",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/books/reversedPostings.ts",
    ["tests/long/order-books.test.ts"],
    [
      ["a payment that its order lost stays booked", "o.paid_at is null", "false"],
      ["what is payable of a lost payment stays so", "u.type in ('order', 'order-unused')", "u.type = 'order'"],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/books/reversedPostings.ts",
    ["tests/long/books.test.ts"],
    [
      [
        "an event that is known late ends no suspense",
        "where ${within(sql`p.booked_at`, span)}",
        "where ${within(sql`seen.booked_at`, span)}",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/books/reversedPostings.ts",
    ["tests/long/unexplained-money.test.ts"],
    [
      [
        "an order explains what others moved in its transaction",
        "abs(coalesce(seen.before, 0)) < abs(seen.excess)",
        "true",
      ],
      ["what another moved is explained anew with each order", "own.amount = e.excess desc, s.id", "s.id"],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/books/witnessSources.ts",
    ["tests/long/unexplained-money.test.ts"],
    [
      [
        "what others moved in the transaction of an order is booked nowhere",
        "where w.amount <> b.amount and",
        "where false and",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/books/sources.ts",
    ["tests/long/books.test.ts"],
    [
      [
        "an order of the institution that is reported late is not booked",
        "sql`coalesce(o.updated_at, o.reported_at)`",
        "sql`o.processed_at`",
      ],
      [
        "an order that a comparison found is booked in 1970",
        "case when o.reported_at >= o.placed_at then",
        "case when true then",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/reconciliations/reconcileOrders.ts",
    ["tests/long/iban-reconciliation.test.ts"],
    [
      ["silent neighbours hold up a comparison", "createRowCalls(ctx, skip, silentMax)", "createRowCalls(ctx, skip)"],
      ["orders of an institution that answers none are skipped", "skip, silentMax)", "skip, Infinity)"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/reconciliations/reconcileOrders.ts",
    ["tests/long/books.test.ts"],
    [["an order is booked on the day of its last callback", "known && !isUndated ?", "known ?"]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/users/ibanOrders.ts",
    ["tests/long/books.test.ts"],
    [["how an order ended that a comparison finds is never written", "excluded.state = 'processed' and", "false and"]],
  ),
  ...mutantsOf("packages/domain/src/core/splitTax.ts", rules, [
    ["tax is taken on top of the price", "(2n * (whole + rate))", "(2n * whole)"],
  ]),
  ...mutantsOf("packages/domain/src/books/closes/merkle.ts", rules, [
    ["a node has a leaf's hash", "Buffer.from([1])", "Buffer.from([0])"],
    [
      "subtrees are joined in the other order",
      "hashNode(stack.pop() ?? node, node)",
      "hashNode(node, stack.pop() ?? node)",
    ],
    ["the last subtrees are on the left", "hashNode(left, right)),", "hashNode(right, left)),"],
    ["a chunk forgets the leaves before it", "let size = count;", "let size = 0n;"],
  ]),
  ...mutantsOf("packages/domain/src/books/closes/carryOver.ts", rules, [
    ["an item forgets the days before", "(earlier?.amount ?? 0n) + net.amount", "net.amount"],
    ["an item is as old as its last change", "earlier?.firstDay ?? day", "day"],
    ["an item never ends", "if (amount !== 0n) items", "if (amount !== 1n) items"],
  ]),
  ...mutantsOf(
    "packages/domain/src/books/closes/closeDocument.ts",
    ["tests/unit/books.test.ts", "tests/long/verifier.test.ts"],
    [
      ["a close forgets the difference of the days before", "BigInt(earlier.get(name)?.difference ?? 0)", "0n"],
      ["an account begins each day with nothing", "BigInt(opening.get(account)?.closing ?? 0)", "0n"],
      ["a close does not name the one before", "previous?.digest ?? null", "null"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/books/closes/closeDay.ts",
    ["tests/long/books.test.ts"],
    [
      ["what a worker wrote that is behind is never posted", "isStopped, readAgainMs)", "isStopped)"],
      ["the books begin with any day of the past", "begin !== null && begin <= day", "begin !== null || day <= last"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/books/postings/postBooks.ts",
    ["tests/long/books.test.ts"],
    [
      [
        "a worker that is ahead passes over what others write",
        "const until = await readEarlierTime(ctx);",
        "const until = await ctx.clock.now(ctx.db);",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/books/postings/followWitnesses.ts",
    ["tests/long/books.test.ts"],
    [
      [
        "a worker that is ahead passes over what the issuer has",
        "const now = await readEarlierTime(ctx);",
        "const now = await ctx.clock.now(ctx.db);",
      ],
    ],
  ),
];
