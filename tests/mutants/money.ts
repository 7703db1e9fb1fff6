/** Mutants of what a payment moves, owes and returns, and of what a decision approves. */
import { mutantsOf } from "./mutant.ts";

const restored = ["tests/long/restored-payments.test.ts"];

export const moneyMutants = [
  ...mutantsOf(
    "packages/domain/src/cards/orders/readyOrders.ts",
    ["tests/api/orders.test.ts"],
    [["a free order never gets the address that came later", "if (isNews) await", "if (false) await"]],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/confirmPayment.ts",
    ["tests/api/orders.test.ts"],
    [["a free order is confirmed without the address that is known by now", "...completeOrder(order, user), ", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/orderReturns.ts",
    ["tests/long/order-payment.test.ts"],
    [
      [
        "a return that grew since the request is paid",
        "requireSame(ctx, { amount: describeAmount(amount, order) });",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/releaseHold.ts",
    ["tests/api/card-transactions.test.ts"],
    [
      [
        "a hold that grew since the request is released",
        "requireSame(ctx, { amount: describeHeld(payment, safe) });",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/cases/listCases.ts",
    ["tests/api/card-transactions.test.ts"],
    [["a case that grew since the request is accepted", "requireSame(ctx, { amount: describeAmount(accepted) });", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/recordUnmatched.ts",
    ["tests/api/card-transactions.test.ts"],
    [
      ["a refund of an accepted capture is taken for a second capture", "hasNewCapture(report, known) && ", ""],
      [
        "a cent less than was paid beside a hold is another capture",
        ".capturedCents <= beside",
        ".capturedCents === beside",
      ],
      ["a credit grows after it was booked", " || now.amountCents !== amountCents", ""],
      ["a booked capture turns into a credit", "now.kind !== kind || ", ""],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/creditBound.ts",
    ["tests/api/card-transactions.test.ts"],
    [
      ["many credits without a payment are paid, each up to the limit", "sum + each", "sum"],
      ["credits count after their span", "now.getTime() - spanMs", "0"],
      ["credits that operators accepted count against the person", "atLeastZero(acceptedCents ?? 0n)", "0n"],
      ["what an accepted credit grew by does not count", "acceptedCents === null", "acceptedCents !== undefined"],
      ["a credit that waits for operators is paid once others are old", ` || kept?.reason === "credit"`, ""],
      [
        "a credit that operators refused is paid after an answer with a fault",
        "if (await isThreadRefused(tx, report.threadId)) return true;",
        "",
      ],
      ["what a merchant takes back of a great credit waits", " || cents <= bookedCents", ""],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/spending/creditsAlone.ts",
    ["tests/api/card-transactions.test.ts"],
    [["what operators accepted after a refusal stays refused", `last?.verb === "cases.close"`, "last !== undefined"]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/applyReport.ts",
    ["tests/api/card-transactions.test.ts"],
    [
      [
        "clearings that come to nothing together are not recorded",
        " || (await hasNewClearing(work, before, report))",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/keepUnbookedHold.ts",
    ["tests/long/unbooked-threads.test.ts"],
    [
      [
        "a released hold whose thread is not booked stays held",
        "await applyReport(ctx, work, safe, payment, ended ? { ...booked, authorization: ended } : booked);",
        "",
      ],
      ["a hold whose thread is not booked goes back by itself", "holdEndedAt === null && ended === null", "false"],
      [
        "a hold whose thread is not booked stays although the issuer let it go",
        "return sumWaitingCaptures(report, payment) > 0n ? null : authorization;",
        "return null;",
      ],
      ["a hold goes back while a capture of it waits", "sumWaitingCaptures(report, payment) > 0n ?", "false ?"],
      ["a hold that operators have to release is not seen", 'report.authorization?.status !== "pending"', "false"],
      [
        "a hold whose thread is not booked is asked about without end",
        "return updatePayment(work.tx, payment, { updatedAt: work.now });",
        "return payment;",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/holdEnd.ts",
    ["tests/api/card-transactions.test.ts"],
    [["holds beside captures end without a bound", "sumUnpaidCents(standing) + cents < policy.unpaidCentsMax", "true"]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/holdEnd.ts",
    ["tests/long/unbooked-threads.test.ts"],
    [
      [
        "what a capture left of a hold cannot be released",
        "(payment.capturedCents === 0n || computeHeldCents(payment, tokenSymbol) > 0n)",
        "payment.capturedCents === 0n",
      ],
      ["what was captured counts as held", " - capturedCents + refundedCents", ""],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/spending/creditsAlone.ts",
    ["tests/long/unbooked-threads.test.ts"],
    [
      [
        "a case that was closed for another reason refuses later credits",
        "coalesce(a.before ->> 'unbooked', 'credit') = 'credit'",
        "true",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/settleThread.ts",
    ["tests/api/card-transactions.test.ts"],
    [
      [
        "credits that come at the same moment are not added up",
        "if (isHeld || sumSigned(report) < 0n) await lockUser(work.tx, userId);",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/lostThread.ts",
    ["tests/long/unbooked-threads.test.ts"],
    [["a released hold takes back a refund", `kind === "reversal" ? [] : [{ ...clearing, kind }]`, "[]"]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/recordUnmatched.ts",
    ["tests/long/unbooked-threads.test.ts"],
    [
      [
        "a booked clearing that is missing moves money",
        "reported.get(id);",
        "reported.get(id) ?? { kind, amountCents };",
      ],
      ["a use of which all is missing counts with its approval", ` || reason === "sign";`, ";"],
      ["money after a closed case waits without one", "const isChanged = isOther ||", "const isChanged ="],
      ["a case keeps what was held", " || isMoved || hold?.", " || hold?."],
      [
        "money for a person counts against it",
        `reason === "duplicate" && unbookedCents >= 0n`,
        `reason === "duplicate"`,
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/spending/refunds.ts",
    ["tests/long/unbooked-threads.test.ts", "tests/api/card-transactions.test.ts"],
    [
      [
        "an answer that cannot be read undoes the refusal of a credit",
        `...(row.reason === "unreadable" && { setWhere: eq(unmatchedThreads.reason, "unreadable") }),`,
        "",
      ],
      [
        "an answer that cannot be read undoes a decision about a capture",
        `eq(unmatchedThreads.reason, "unreadable")`,
        "sql`${unmatchedThreads.reason} <> 'credit'`",
      ],
      [
        "what operators accepted counts as settled before it is booked",
        "${unmatchedThreads.acceptedAt} is null and ",
        "",
      ],
      ["an acceptance is lost", "case when ${isSame} then ${unmatchedThreads.acceptedAt} end", "null"],
      [
        "an acceptance counts for another amount",
        "case when ${isSame} then ${unmatchedThreads.acceptedAt} end",
        "${unmatchedThreads.acceptedAt}",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/refundPayment.ts",
    ["tests/api/card-transactions.test.ts"],
    [["each way to write an amount is a refund", "amount: toDecimal(amount, token) },", "amount: given },"]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/refundRequest.ts",
    ["tests/long/support.test.ts"],
    [
      ["a part of what support asked for closes its request", "if (paid < asked) return null;", ""],
      ["what was returned before does not count", "(await sumPaidFor(tx, request, transfers)) + amount", "amount"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/disputes/beginDispute.ts",
    ["tests/long/support.test.ts"],
    [["a payment that was returned by hand is disputed", " && !isReturnedByHand(payment, transfers)", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/debtAmounts.ts",
    ["tests/unit/payment-bounds.test.ts", "tests/unit/debts.test.ts"],
    [
      ["a return counts as money moved", "sum + amount : sum - amount", "sum + amount : sum + amount"],
      ["a failed refund by hand counts", `isByHand && status !== "FAILED"`, "isByHand"],
      ["a refund by hand raises the target", "target - setOff - least", "target - setOff + least"],
      ["what was set off is moved too", "target - setOff - least", "target - least"],
      [
        "what was written off is collected",
        "owedOf(payment, transfers) - computeWrittenOff(payment, transfers)",
        "owedOf(payment, transfers)",
      ],
      [
        "a refund pays out what was written off",
        "least(payment.writtenOff, atLeastZero(owedOf(payment, transfers) - sumTransfers(transfers)))",
        "payment.writtenOff",
      ],
      [
        "what a collection brings is written off",
        "atLeastZero(least(computeOwed(target, transfers), target - sumTransfers(transfers)))",
        "computeOwed(target, transfers)",
      ],
      [
        "credit and refund by hand exceed the payment",
        "least(sumByHand(transfers) + credit, atLeastZero(target))",
        "(sumByHand(transfers) + credit)",
      ],
      [
        "a refund by hand while a transfer is open",
        `status === "PLANNED" || status === "SIGNED"`,
        `status === "PLANNED"`,
      ],
      [
        "a refund by hand beyond what was moved",
        "atLeastZero(least(sumProved(transfers), target - credit - sumByHand(transfers)))",
        "atLeastZero(target - credit - sumByHand(transfers))",
      ],
      ["a refund by hand forgets the ones before it", "target - credit - sumByHand(transfers)))", "target - credit))"],
      [
        "a failed transfer counts as on its way",
        `sumSigned(transfers.filter(({ status }) => status !== "FAILED"))`,
        "sumSigned(transfers)",
      ],
      [
        "a signed transfer counts as proved",
        `sumSigned(transfers.filter(({ status }) => status === "DONE"))`,
        `sumSigned(transfers.filter(({ status }) => status !== "FAILED"))`,
      ],
      [
        "a debt without a failed spend",
        "missing > 0n && hasFailedSpend(transfers) ? missing",
        "missing > 0n ? missing",
      ],
      [
        "no debt after a failed spend",
        "hasFailedSpend(transfers) ? missing : 0n",
        "hasFailedSpend(transfers) ? 0n : 0n",
      ],
      ["too much moved is not returned", "if (missing < 0n) return", "if (missing > 0n) return"],
      [
        "a failed spend is planned again at once",
        "missing === 0n || hasFailedSpend(transfers) ? null",
        "missing === 0n ? null",
      ],
      ["a collection beyond what the Safe has", "missing < available ? missing : available", "missing"],
      ["tiny parts of a debt are collected", "missing < partMin ? missing : partMin", "0n"],
      [
        "a payment without a debt is collected",
        "missing <= 0n || computeOwed(target, transfers) === 0n",
        "missing <= 0n",
      ],
      ["failed collections go on each minute", "minuteMs * 4 **", "minuteMs * 1 **"],
      ["failed collections wait for weeks", "Math.min(dayMs, minuteMs", "Math.max(dayMs, minuteMs"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/deriveThreadState.ts",
    ["tests/unit/thread-state.test.ts", "tests/unit/card-money.test.ts"],
    [
      [
        "refunds do not lower what should leave the Safe",
        "capturedCents - refundedCents + heldCents",
        "capturedCents + heldCents",
      ],
      [
        "a capture holds its authorization again",
        "standingCents + unrecordedCents - onceCaptured",
        "standingCents + unrecordedCents",
      ],
      ["a declined authorization holds money", "isApproved && isAwaited", "isAwaited"],
      ["a hold that ended is held again", "isAwaited && !isEndedHere", "isAwaited"],
      [
        "a part that is captured after its hold ended here is no payment",
        `status === "pending" && !isEndedHere`,
        `status === "pending"`,
      ],
      [
        "an authorization given up is not reversed",
        `status === "reversed" || status === "expired";`,
        `status === "expired";`,
      ],
      ["a reversal is forgotten by a later report", "greatest(keptCents, reversed)", "reversed"],
      ["a declined request counts among approved ones", "isAnyApproved && !isApproved", "false"],
      ["an answer the issuer did not take lowers the amount", `own && decidedBy === "service"`, "own"],
      ["an approval the issuer has not recorded holds nothing", "recordedCents + unrecordedCents;", "recordedCents;"],
      [
        "a captured payment stays authorized",
        `return "CLEARED";\n  if (!isApproved)`,
        `return "AUTHORIZED";\n  if (!isApproved)`,
      ],
      ["an expired authorization stays open", `if (status === "expired") return "EXPIRED";`, ""],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/captureLimit.ts",
    ["tests/unit/thread-state.test.ts"],
    [
      ["a capture without authorization is usual without end", "return policy.aloneCentsMax", "return 10n ** 18n"],
      ["a capture after a decline is usual", `if (status === "DECLINED") return 0n;`, ""],
      [
        "an expired authorization counts without what expired",
        `status === "EXPIRED" ? authorizedCents`,
        `status === "EXPIRED" ? 0n`,
      ],
      ["a reversal does not lower the usual capture", "authorizedCents - reversedCents;", "authorizedCents;"],
      ["travel counts as a tip", "isTravel(mcc) ? policy.travelPercent", "isTravel(mcc) ? policy.tipPercent"],
      [
        "another currency allows nothing more",
        "merchantCurrency === billingCurrency ? 0n",
        "merchantCurrency !== billingCurrency ? 0n",
      ],
      ["any merchant may capture as a petrol station", "fuel.has(mcc) && most", "most"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/decision/decide.ts",
    ["tests/unit/decide.test.ts", "tests/unit/card-money.test.ts"],
    [
      [
        "a Safe's own cooldown says nothing of how long the chain may be silent",
        "oldestHoldAt }, safe)",
        "oldestHoldAt }, { cooldownSeconds: 180 })",
      ],
      ["a server that is behind decides by a stale chain", "now.getTime() + behindMs", "now.getTime()"],
      ["a stopped service approves", `if (card.isStopped) return declineFor("payments_stopped");`, ""],
      [
        "a frozen card pays",
        `if (card.statusCode !== cardStatusCodes.active) return declineFor("card_not_active");`,
        "",
      ],
      ["a card that was not activated pays", `if (!card.isActivated) return declineFor("card_not_activated");`, ""],
      ["a deactivated user pays", `if (!card.isUserActive) return declineFor("user_deactivated");`, ""],
      ["a user whose KYC was rejected pays", `if (!card.isKycApproved) return declineFor("kyc_not_approved");`, ""],
      ["a changed account pays", `if (card.isChanged) return declineFor("account_changed");`, ""],
      ["a user who owes pays", `if (card.owes) return declineFor("account_owes");`, ""],
      ["a paused account pays", `return card.isPaused ? declineFor("account_paused") : null`, "return null"],
      ["another currency is paid as the token's", "request.currency !== token.fiat", "request.currency === null"],
      [
        "a wrong security code pays",
        `if (request.hasWrongSecurityCode) return declineFor("incorrect_security_code");`,
        "",
      ],
      ["a negative amount is approved", `if (request.amountCents < 0n) return declineFor("invalid_amount");`, ""],
      ["what changed behind the lock is not seen", "const { card } = behind ?? facts;", "const { card } = facts;"],
      ["rules are left out", "blocked ?? declineByRule(hits) ??", "blocked ??"],
      ["a silent chain approves", "(behind ? checkSilence(facts, behind) : null)", "null"],
      [
        "a declined authorization grows",
        `if (payment.status === "DECLINED") return declineFor("authorization_unknown");`,
        "",
      ],
      ["an authorization grows after a failed spend", "isOpen && !hasFailedSpend(transfers)", "isOpen"],
      ["an authorization grows whose hold was released", "holdEndedAt === null && payment.safeId", "payment.safeId"],
      ["the window after a new contact has no end", "if (contactSettlesAtMs <= now.getTime()) return null;", ""],
      ["a code to a new contact pays", "verification.threeDSecure !== null || isTokenNew", "isTokenNew"],
      ["a wallet token of a thief pays", ">= contactChangedAtMs", "< contactChangedAtMs"],
      [
        "a wallet token without a row pays",
        `if (tokenMadeAt === "unknown") return declineFor("contact_changed");`,
        `if (tokenMadeAt === "unknown") return null;`,
      ],
      [
        "an increment waits for the contact",
        "contactSettlesAtMs === null || ordinal > 0",
        "contactSettlesAtMs === null",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardholders/contactWindow.ts",
    ["tests/unit/contact-window.test.ts"],
    [
      ["the window is never open", "contactSettlesAt !== null && contactSettlesAt > now", "false"],
      [
        "an unproven number reaches the issuer",
        "(!contact.isPhoneValidated || isContactNew(contact, now))",
        "isContactNew(contact, now)",
      ],
      [
        "a thief's number reaches the issuer",
        "(!contact.isPhoneValidated || isContactNew(contact, now))",
        "!contact.isPhoneValidated",
      ],
      [
        "a second change forgets the owner's number",
        "before.isPhoneValidated && !isContactNew(before, now)",
        "before.isPhoneValidated",
      ],
      [
        "an unproven number counts as the former one",
        "before.isPhoneValidated && !isContactNew(before, now)",
        "!isContactNew(before, now)",
      ],
      ["the owner cannot close the window", "isContactNew(contact, now) ? { contactSettlesAt: now } : {}", "{}"],
      ["a second change forgets what was made after the first", "mayHideToken ? begunAt : now", "now"],
      ["the window is a moment", "policy.contactWindowHours * hourMs", "policy.contactWindowHours"],
      [
        "what a thief made is forgotten by the owner's repair",
        "Math.max(settlesAt?.getTime() ?? 0, changedAt.getTime() + contactWindowHours * hourMs)",
        "(settlesAt?.getTime() ?? 0)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardholders/mirrorCardholders.ts",
    ["tests/unit/blocked-people.test.ts"],
    [["everybody is synced without a pause", "Math.max(0, rateMs - tookMs)", "0"]],
  ),
  ...mutantsOf(
    "packages/domain/src/chain/guards/findOwnTransfer.ts",
    ["tests/long/restored-database.test.ts"],
    [
      [
        "a return whose transaction the node lacks is paid again",
        "await findLoggedCall(ctx, log.transactionHash)",
        "await ctx.chain.findTransaction(log.transactionHash)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/reconciliations/readLostEnqueue.ts",
    ["tests/long/restored-database.test.ts"],
    [
      [
        "an entry whose receipt the node lacks is its owner's own",
        `throw new ChainUnavailable("The node lacks the receipt of an enqueue");`,
        "return null;",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/reconciliations/readLostTransfers.ts",
    ["tests/flows/card-money.test.ts"],
    [
      [
        "a lost transfer whose transaction the node lacks is another program's",
        "await findLoggedCall(ctx, hash)",
        "await ctx.chain.findTransaction(hash)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/reconciliations/reconcileTransfers.ts",
    ["tests/flows/card-money.test.ts", "tests/long/restored-database.test.ts"],
    [
      [
        "a payment waits for operators because the issuer did not answer",
        "if (sinceMs < silentMs) throw first.error;",
        "",
      ],
      [
        "a payment waits for operators because a worker's clock is ahead",
        "(await readEarlierTime(ctx)).getTime()",
        "(await ctx.clock.now(ctx.db)).getTime()",
      ],
      [
        "a payment waits for operators because the issuer is away",
        "await ctx.issuer.listThreads(reconciliation.startedAt);",
        "",
      ],
      [
        "a payment stays held whose transfers were restored",
        "if (await resolveDiscrepancy(work.tx, { ...done, resolvedAt: work.now })) return;",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/sync/reconciliations.ts",
    ["tests/long/iban-reconciliation.test.ts"],
    [["a discrepancy that ended once is found no more", "${action} = ${done} or not ${known} @>", "not ${known} @>"]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/sync/reconciliations.ts",
    ["tests/flows/card-money.test.ts"],
    [
      [
        "a payment that operators settled once is held no more",
        "(${action} = ${done} or not ${known} @> excluded.details)",
        "${action} = ${done}",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/balances/publishBalance.ts",
    ["tests/flows/card-money.test.ts"],
    [["a balance of a node that lags is published", "newest !== null && block < newest.blockNumber", "block < 0n"]],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/reconciliations/readLostTransfers.ts",
    ["tests/long/iban-reconciliation.test.ts"],
    [
      [
        "the issuer's threads are hashed again for each Safe",
        "!isKept.has(threadId))), keptPlaces]",
        "!isKept.has(threadId))), namePlaces([...new Set(kept)])]",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/reconciliations/readLostTransfers.ts",
    ["tests/long/restored-payments.test.ts"],
    [
      [
        "what went to a newer Safe stays without its row",
        "listNewestThreads(ctx.db, safe.userId)",
        "listNewestThreads(ctx.db, safe.id)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/orderReturns.ts",
    ["tests/long/order-payment.test.ts"],
    [
      [
        "a payment goes back and pays another order",
        "if (!(await keepPaymentHash(tx, order, now)))",
        "if (await keepPaymentHash(tx, order, now).then(() => false))",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/decision/checkFreshness.ts",
    ["tests/unit/decide.test.ts", "tests/unit/payment-bounds.test.ts"],
    [
      ["a stale chain decides", "now.getTime() - oldestMs >", "oldestMs - now.getTime() >"],
      ["the chain may be silent for a whole cooldown", "cooldownSeconds / 3, 5", "cooldownSeconds, 5"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/decision/decideAmount.ts",
    ["tests/unit/decide.test.ts", "tests/unit/card-money.test.ts", "tests/unit/payment-bounds.test.ts"],
    [
      ["a changed setup decides", "!isWhole || !allowance", "!allowance"],
      ["a queued entry does not pause", "if (queueNonce > txNonce) return paused;", ""],
      ["an entry that nobody checked does not pause", "if (queueNonce > checkedEntries) return paused;", ""],
      ["held money is spent twice", "balance - held < amount", "balance < amount"],
      [
        "held money does not count to the limit",
        "accrueAllowance(allowance, timestamp) - held",
        "accrueAllowance(allowance, timestamp)",
      ],
      ["a part beyond the limit", "balance < allowed ? balance : allowed", "balance"],
      [
        "a part of money that is held",
        "(balance < allowed ? balance : allowed) - held",
        "(balance < allowed ? balance : allowed)",
      ],
      ["a cash machine gets a part", `transactionType === "00" && cashbackCents`, "cashbackCents"],
      ["a part below the least one", "part > 0n && part >= partMin", "part > 0n"],
      [
        "holds that were planned since are not counted",
        "sumHeld(holds, state.hasRun, now)",
        "sumHeld(holds, state.hasRun, [])",
      ],
    ],
  ),
  ...mutantsOf("packages/domain/src/sync/reconciliations/reconcileTransfers.ts", restored, [
    [
      "money that a lost report of fraud returned is taken back",
      "if (isReturned) await restoreCredit(work, paid, payment, part);",
      "",
    ],
  ]),
  ...mutantsOf("packages/domain/src/sync/reconciliations/reconcileTransfers.ts", restored, [
    [
      "a restore books what waits for operators",
      "await applyReport(ctx, work, paid, payment, part, {",
      "await applyReport(ctx, work, safe, payment, report, {",
    ],
  ]),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/returnSafe.ts",
    ["tests/long/returns-after-hijack.test.ts"],
    [
      ["money is returned to a Safe that was changed and given up", 'paid.status !== "reset"', "true"],
      [
        "money is returned to a changed Safe while there is no other one",
        "(await hasExecutedViolation(on, current.id))) return null;",
        "(await hasExecutedViolation(on, current.id))) return paid;",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/orderReturns.ts",
    ["tests/long/returns-after-hijack.test.ts"],
    [
      [
        "an order's money goes back to a Safe that was changed and given up",
        "if (!safe || !hasCurrency(safe)) return paidBy;",
        "return paidBy;",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/resetSafe.ts",
    ["tests/long/returns-after-hijack.test.ts"],
    [
      ["a Safe is given up while money is on its way to it", "(await hasSignedReturn(on, id)) ||", "false ||"],
      [
        "a Safe is given up while an order's money is on its way to it",
        "|| (await hasSignedOrderReturn(on, address))",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/carryOutTransfer.ts",
    ["tests/long/returns-after-hijack.test.ts"],
    [["a return is signed to a Safe that was given up meanwhile", 'purpose === "card.return" && ', "false && "]],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/moveDeployment.ts",
    ["tests/long/returns-after-hijack.test.ts"],
    [["a return to a former Safe is not looked at when the next one is set up", 'if (status === "ok")', "if (false)"]],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/payment.ts",
    ["tests/long/order-payment.test.ts"],
    [
      [
        "a card order is paid by the operator's own refill",
        "(from !== nativeToken || ctx.policy.mintedPayments) &&",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/openDebtCase.ts",
    ["tests/long/blocked-people.test.ts"],
    [
      [
        "a refund that is taken back and stays unpaid is no case",
        "greatest(greatest(excessCents, lateCents), takenBackCents)",
        "greatest(excessCents, lateCents)",
      ],
    ],
  ),
  ...mutantsOf("packages/domain/src/sync/reconciliations/cutReport.ts", restored, [
    ["a credit is paid by a restore before the person's other ones are known", " && !isCredit(part, booked)", ""],
    ["a credit that operators accepted waits again after a restore", "if (isProved) accepted ??= part;", ""],
    [
      "a restore ends the hold of a capture that waits",
      "if (!isWaiting) return authorization;",
      "return authorization;",
    ],
  ]),
  ...mutantsOf("packages/domain/src/chain/guards/requireSettled.ts", restored, [
    [
      "a return that the node still holds is signed behind another one",
      "BigInt(pending) > next",
      "BigInt(pending) > next + 100n",
    ],
  ]),
  ...mutantsOf("packages/db/src/queries/sync/reconciliations.ts", restored, [
    ["a restore is forgotten at once", "gte(startedAt, since)", "eq(startedAt, since)"],
  ]),
  ...mutantsOf("packages/domain/src/sync/reconciliations/restoreCredit.ts", restored, [
    [
      "a capture in parts after a restore is the person's for nothing",
      "least(standingCents, findFirstCapture(clearings))",
      "least(standingCents, captured)",
    ],
    [
      "a capture of a hold that was reversed in part is the person's for nothing after a restore",
      "const standingCents = payment.authorizedCents - payment.reversedCents;",
      "const standingCents = payment.authorizedCents;",
    ],
    [
      "a capture of a hold that was released is the person's for nothing after a restore",
      "findLost(least(standingCents, report.authorization?.amountCents ?? standingCents))",
      "lost",
    ],
  ]),
  ...mutantsOf("packages/domain/src/sync/reconciliations/reconcileCards.ts", restored, [
    ["an order whose card was lost pays for a second one", "const order = isFor &&", "const order = !isFor &&"],
    ["a card that was given up ends its order", ' && issue?.status !== "refused"', ""],
  ]),
  ...mutantsOf("packages/domain/src/cards/orders/endMadeOrder.ts", restored, [
    ["a free order behind its lost card pays for a second one", "if (isFree(order))", "if (false)"],
    ["an order behind its lost card waits with its payment", "askedAt: now, ", ""],
  ]),
  ...mutantsOf("packages/domain/src/cards/orders/readyOrders.ts", restored, [
    [
      "an order behind its lost card pays for a second one once it is paid",
      "if (await findCardByOrder(tx, id))",
      "if (false)",
    ],
  ]),
  ...mutantsOf("packages/domain/src/cards/orders/reissueCard.ts", restored, [
    ["a card is replaced whose replacement was lost", 'await requireRows(ctx, "cards");', ""],
  ]),
  ...mutantsOf(
    "packages/domain/src/cards/orders/reissueCard.ts",
    ["tests/long/card-quota.test.ts"],
    [["a refused card's order keeps its person from another one", "if (issue.orderId !== null)", "if (false)"]],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/reissueCard.ts",
    ["tests/long/support.test.ts"],
    [["a person who moved gets no card in place of another", " && isAtHome(before, user) ?", " ?"]],
  ),
  ...mutantsOf("packages/domain/src/cards/cards/startCard.ts", restored, [
    ["a card is made again before lost ones are back", 'await requireRows(ctx, "cards");', ""],
  ]),
  ...mutantsOf("packages/domain/src/cards/orders/cancelOrder.ts", restored, [
    [
      "operators cancel an order whose card was lost",
      'await requireRows(ctx, "cards");\n  return ctx.act(',
      "return ctx.act(",
    ],
    [
      "a person cancels an order whose card was lost",
      'await requireRows(ctx, "cards");\n  return async',
      "return async",
    ],
    [
      "a person cancels an order that is behind its card",
      'if (await findCardByOrder(work.tx, id)) fail("orders.wrong_status");',
      "",
    ],
  ]),
  ...mutantsOf("packages/domain/src/spending/decision/readFacts.ts", restored, [
    ["the money of a lost use is approved again", 'if (found.isLacking) return "unavailable";', ""],
  ]),
  ...mutantsOf("packages/db/src/queries/spending/decisionFacts.ts", restored, [
    [
      "the money of a lost use is approved again before that is booked",
      "exists (select from discrepancies d where d.kind = 'thread' and d.resolved_at is null)",
      "false",
    ],
  ]),
  ...mutantsOf("packages/domain/src/sync/reconciliations/beginReconciliation.ts", restored, [
    [
      "a worker whose clock is behind lets the money of a lost use be approved",
      "const startedAt = await readSharedTime(ctx, tx);",
      "const startedAt = now;",
    ],
    ["more days are not compared while fewer are", " && reaches(newest.fromBlock, fromBlock)", ""],
  ]),
  ...mutantsOf("packages/domain/src/spending/payments/planTransfer.ts", restored, [
    ["a restored payment takes a place that is taken", "Math.max(next, ordinal + 1)", "next + 1"],
  ]),
  ...mutantsOf("packages/domain/src/spending/payments/applyReport.ts", restored, [
    ["a lost payment is paid again although it was returned", "isPlanned && ", ""],
  ]),
  ...mutantsOf("packages/domain/src/spending/disputes/adoptDispute.ts", restored, [
    [
      "an adopted report of fraud forgets what it returned",
      "const credit = isCredited ?",
      "const credit = !isCredited ?",
    ],
  ]),
  ...mutantsOf(
    "packages/domain/src/cards/orders/carryOutReturn.ts",
    ["tests/long/restored-database.test.ts"],
    [
      [
        "a return counts as paid by a block that may go",
        "if (!(await findFinalInstant(ctx, paid.block)))",
        "if (false)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/carryOutTransfer.ts",
    ["tests/flows/card-money.test.ts", "tests/long/debts.test.ts"],
    [
      [
        "a refusal ends a spend that another job signed",
        "if (await lockPlannedTransfer(work.tx, transfer)) await write(work);",
        "await write(work);",
      ],
      [
        "a return is signed while an earlier one may be mined",
        'await requireSettled(ctx, transfer.id, "card.return");',
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/spending/liveTransfers.ts",
    ["tests/long/attacks.test.ts"],
    [
      ["a changed account stops the cards of all people", " and v.status <> 'CLEARED'", " and false"],
      ["a payment that is held stops the cards of all people", " and d.resolved_at is null", " and false"],
      ["an account's own hold does not stop its card", "(t.safe_id = ${safeId} or (", "(false or ("],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/decision/authorize.ts",
    ["tests/long/attacks.test.ts"],
    [
      [
        "no hold of another account stops a card",
        "return decide({ ...facts, oldestHoldAt }",
        "return decide({ ...facts, oldestHoldAt: null }",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/endTransfer.ts",
    ["tests/flows/card-money.test.ts", "tests/long/debts.test.ts"],
    [
      ["nothing is planned after a reorganisation", "  await planRest(ctx, work, done, thread);\n", ""],
      ["a return is planned while its spend fails", "  await lockPayment(tx, paymentOf(transfer));\n", ""],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/openCaptureCase.ts",
    ["tests/flows/card-money.test.ts", "tests/long/debts.test.ts"],
    [
      [
        "an answer that the issuer did not take approves a capture",
        "least(before.authorizedCents, after.authorizedCents)",
        "before.authorizedCents",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/movements/followMovements.ts",
    ["tests/flows/card-money.test.ts", "tests/long/debts.test.ts"],
    [["a failed spend that a stranger runs later is not noticed", "await enqueueLateSpends(ctx, work, found);", ""]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/spending/transfers.ts",
    ["tests/flows/card-money.test.ts", "tests/long/debts.test.ts"],
    [["one spend hides another one in its transaction", "found.count > (", "0 = ("]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/settleLateSpends.ts",
    ["tests/flows/card-money.test.ts", "tests/long/debts.test.ts"],
    [["a node that lags behind shows no late spend", "await requireFollowed(ctx)", "await ctx.chain.getBlock()"]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/settleSpend.ts",
    ["tests/flows/card-money.test.ts", "tests/long/debts.test.ts"],
    [
      [
        "a spend that a stranger ran is looked for in the whole history of its Safe",
        "await findCloseBlockSince(ctx, createdAt)",
        "{ fromBlock: 0n, head: await ctx.chain.getBlock() }",
      ],
      ["a spend that ran before its row was restored is not found", " ?? (await findEarlier())", ""],
      ["a node that lags judges a spend", "await requireFollowed(ctx, refusal.block)", "await ctx.chain.getBlock()"],
      ["a node that lacks the block of a refusal judges a spend", "(ctx, refusal.block)", "(ctx)"],
      [
        "another node than the one that named the head knows of a spend",
        "messageHash }, refusedAt.number)",
        "messageHash })",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/planClearings.ts",
    ["tests/flows/card-money.test.ts", "tests/long/debts.test.ts"],
    [
      ["debts that an earlier refund paid are forgotten", "index === 0 ? payment :", "index >= 0 ? payment :"],
      [
        "the refunds of a report share a return",
        "const steps = [rest, ...changed];",
        "const steps = changed.slice(-1);",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/spending/standIns.ts",
    ["tests/flows/card-money.test.ts", "tests/long/debts.test.ts"],
    [["the day's limit counts what we approved", "sum(${aloneCents})", "sum(${cardStandIns.approvedCents})"]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/recordDebt.ts",
    ["tests/long/disputes.test.ts"],
    [["a dispute's case has all that is owed", "disputeId, owed: owed - before", "disputeId, owed"]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/recordDebt.ts",
    ["tests/flows/card-money.test.ts", "tests/long/debts.test.ts"],
    [
      [
        "a refund leaves the loss in the books",
        "if (owed === before && givenUp === 0n) return;",
        "if (owed === before) return;",
      ],
      ["a loss is booked as money that was advanced", "advanced: before - owed - givenUp", "advanced: before - owed"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/deriveStandIn.ts",
    ["tests/unit/card-money.test.ts"],
    [
      [
        "our own approvals count as the issuer's",
        `if (decidedBy !== "stand_in" || !isApproved) return sum;`,
        "if (!isApproved) return sum;",
      ],
      ["what we approved counts as unapproved", "own?.isApproved ? own.approvedCents : 0n", "0n"],
      ["a stand-in decline counts as approved", `approved.length > 0 ? "APPROVED"`, `alone.length > 0 ? "APPROVED"`],
      [
        "a stand-in beyond its payment's limit is allowed",
        "greatest(aloneCents - allowed.paymentCentsMax, ofDay)",
        "ofDay",
      ],
      [
        "a stand-in beyond its day's limit is allowed",
        "greatest(aloneCents - allowed.paymentCentsMax, ofDay)",
        "aloneCents - allowed.paymentCentsMax",
      ],
      [
        "a stand-in is allowed without rules",
        "if (allowed === null) return aloneCents",
        "if (allowed === null) return 0n",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardRules/evaluateRules.ts",
    ["tests/unit/card-rules.test.ts"],
    [
      ["a SHADOW rule declines", `hits.find(({ state }) => state === "ACTIVE")`, "hits.find(() => true)"],
      ["the payment itself does not count", "+ (use.amountCents > 0n ? 1 : 0) > condition.above", "> condition.above"],
      ["the payment itself is not summed", "sumOf(amounts) + amountWithin(use, isWithin) >", "sumOf(amounts) >"],
      ["an increment counts on its payment's day", "isWithin(part.at)", "isWithin(at)"],
      ["another card's payments count to a card's rule", `condition.per === "user" || cardId === use.cardId`, "true"],
      [
        "payments that the rule does not match count",
        "payment.amountCents > 0n && rule.matches(payment)",
        "payment.amountCents > 0n",
      ],
      [
        "a known merchant is new",
        "if (rule.newMerchantPer !== null && history.paidMerchant[rule.newMerchantPer]) return false;",
        "",
      ],
      ["one of two windows is enough", "rule.windows.every(", "rule.windows.some("],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardRules/listUseParts.ts",
    ["tests/unit/card-rules.test.ts"],
    [["the first part is of the newest increments", "atLeastZero(authorizedCents - raised)", "0n"]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/decision/ruleFacts.ts",
    ["tests/api/card-rules.test.ts"],
    [
      [
        "an increment brings its whole payment into the day",
        "amountCents: standingCents + request.amountCents }, cardId), parts };",
        "amountCents: standingCents + request.amountCents }, cardId), parts: [] };",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardRules/compileRule.ts",
    ["tests/unit/card-rules.test.ts"],
    [
      ["one of two conditions is enough", "tests.every(", "tests.some("],
      ["above means from", "amountCents > cents", "amountCents >= cents"],
      ["not_in means in", `operator === "in" ? isIn : (use) => !isIn(use)`, "isIn"],
      ["a range ends before its end", "mcc <= high", "mcc < high"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/disputes/deriveDispute.ts",
    ["tests/unit/disputes.test.ts"],
    [
      ["a dispute that was taken back stays won", "isRescinded && reinstatedCents", "reinstatedCents"],
      ["a lost dispute is credited", `status !== "won" && status !== "submitted"`, `status === "created"`],
      ["an advance has no bound", "least(amountCents, disputeAdvanceCentsMax)", "amountCents"],
      [
        "a dispute is submitted without the person's words",
        `return isComplete && disputeSubmission === "words";`,
        `return disputeSubmission === "words";`,
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/disputes/unauthorizedPayment.ts",
    ["tests/unit/unauthorized-payments.test.ts"],
    [
      ["a debit may be reported for longer", "const reportMonths = 13", "const reportMonths = 14"],
      ["the law of the EEA holds everywhere", `!eea.has(country?.toUpperCase() ?? "") || `, ""],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/businessDays.ts",
    ["tests/unit/unauthorized-payments.test.ts", "tests/unit/issuer-cover.test.ts"],
    [
      ["banks work on Easter Monday", " && fromEaster !== 1", ""],
      ["banks work on Saturdays", "day.getUTCDay() % 6 === 0", "day.getUTCDay() === 0"],
      ["banks work on Good Friday", "fromEaster !== -2", "fromEaster !== -3"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/disputes/decideCredit.ts",
    ["tests/long/disputes.test.ts"],
    [
      ["a credit that grew since the request is paid", "requireSame(ctx, { amount: describeMissing(locked) });", ""],
      ["each report has the whole bound", "outstandingCents + paidCents >", "paidCents >"],
      [
        "what is captured after a report is not returned",
        "creditDecidedAt !== null && creditCents === 0n",
        "creditDecidedAt !== null",
      ],
      ["a report of nothing is decided", "if (paidCents === dispute.creditCents) return dispute;", ""],
      [
        "a late capture is returned beyond the bound",
        "if (paidCents < dispute.creditCents) return lowerCredit(ctx, work, locked);",
        "if (paidCents < dispute.creditCents) return dispute;",
      ],
      ["money that is taken again after a lowered credit stays unasked", "answeredAt <= creditDecidedAt", "false"],
      [
        "what is captured beyond a credit that operators granted stays unasked",
        "answeredAt <= creditDecidedAt",
        "answeredAt < creditDecidedAt",
      ],
      ["a case that was answered stays closed where all is taken again", "creditDecidedAt === null || (", "false || ("],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/watchPayment.ts",
    ["tests/long/order-walk.test.ts"],
    [
      [
        "a reverted payment of a cancelled order rests on no block",
        'if (verdict.kind === "reverted") return restOn(work, verdict.receipt);',
        'if (verdict.kind === "reverted") return;',
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/watchPayment.ts",
    ["tests/long/order-payment.test.ts"],
    [
      [
        "what arrives for a free order is lost where its card is made meanwhile",
        "if (fresh.transactionHash !== hash || fresh.paidAt !== null || !needsNone(fresh)) return;",
        "if (!isSame(fresh, order)) return;",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/settlePaid.ts",
    ["tests/long/order-walk.test.ts"],
    [
      [
        "an order fails by a block that nothing follows",
        "  restOn(work, receipt);\n  if (!(await moveOrder(",
        "  if (!(await moveOrder(",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/disputes/adoptDispute.ts",
    ["tests/long/disputes.test.ts"],
    [
      [
        "a dispute that comes before its payment is left out",
        "if (threadId && !key) return awaitPayment",
        "if (!ctx) return awaitPayment",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/compareThreads.ts",
    ["tests/long/disputes.test.ts"],
    [
      [
        "each hour the look for a dispute's payment begins anew",
        "await enqueueIfAbsent(work.tx",
        "await enqueue(work.tx",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/missingDisputes.ts",
    ["tests/long/disputes.test.ts"],
    [["a new dispute hides those that a restore lost", "since?.getTime() ?? newestMs", "newestMs"]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/disputes/outstandingCredits.ts",
    ["tests/long/disputes.test.ts"],
    [
      ["each dispute has the whole bound", "disputeAdvanceCentsMax - outstandingCents", "disputeAdvanceCentsMax"],
      ["a report that operators decide about is advanced", " || dispute.creditDueAt !== null", ""],
      [
        "an advance that stands is taken back",
        "greatest(disputeAdvanceCentsMax - outstandingCents, heldCents)",
        "atLeastZero(disputeAdvanceCentsMax - outstandingCents)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/disputes/outstandingCredits.ts",
    ["tests/unit/disputes.test.ts"],
    [
      [
        "a credit that came back by itself takes up the bound",
        "least(creditCents, sumPaid({ tokenSymbol }, { target }))",
        "creditCents",
      ],
      [
        "an advance whose payment came back leaves the bound",
        "returned > creditCents ? returned",
        "returned > creditCents ? least(returned, sumPaid({ tokenSymbol }, { target }))",
      ],
      ["a lost advance that is owed leaves the bound", " + baseUnitsToCents(owed, token)", ""],
      ["a paid advance takes up the bound", "atLeastZero(counted - reinstatedCents)", "counted"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/disputes/settleDispute.ts",
    ["tests/long/disputes.test.ts"],
    [
      [
        "disputes of two Safes that are submitted at once pass their person's bound",
        "    await lockUser(work.tx, known.userId);\n",
        "",
      ],
      [
        "a lost dispute whose money came back is returned again by itself",
        ", creditDecidedAt: before.creditDecidedAt ?? now }",
        " }",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/orderReturns.ts",
    ["tests/long/order-payment.test.ts"],
    [
      ["what was returned is returned again", " - sumOf(returns.map(({ amount }) => amount))", ""],
      ["a cancelled order keeps its price", "endedStatuses.includes(order.status) ? 0n : ", ""],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/reconciliations/findUnorderedMints.ts",
    ["tests/long/iban-reconciliation.test.ts"],
    [
      ["a second mint of an order passes in silence", "(mintHash === hash ? mintIndex : null)", "mintIndex"],
      ["a mint of a rejected order passes in silence", ` && state !== "rejected"`, ""],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/resetSafe.ts",
    ["tests/long/iban-provider.test.ts"],
    [["an IBAN goes on paying into a Safe that was given up", "if (iban?.address === safe.address)", "if (!iban)"]],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/requestIban.ts",
    ["tests/long/iban-provider.test.ts"],
    [
      ["an IBAN is asked for a Safe that was reset meanwhile", "?.id !== safe.id)", `?.id === "")`],
      [
        "an IBAN that was left to a former Safe is the next one's",
        "isUnderWay(known) && known.address",
        "isUnderWay(known) || known.address",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/finishConsent.ts",
    ["tests/long/iban-provider.test.ts"],
    [["a consent opens an IBAN for a former Safe", " && row.address === (await", " || row.address === (await"]],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/watchIban.ts",
    ["tests/long/iban-provider.test.ts"],
    [
      [
        "a block takes the case about the IBAN of a former Safe, and its end closes it",
        'kind: "iban_of_former_safe"',
        'kind: "iban_to_close"',
      ],
      ["the case of a former Safe does not name a second one", "stake, note, isChanged: true", "stake, note"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/settleIbanOrder.ts",
    ["tests/long/iban-reconciliation.test.ts"],
    [
      ["an incoming payment is published twice, or after its recall", "!fresh || !isAwaited(fresh) ||", "!fresh ||"],
      ["an order is given up by an older report", " || knownSinceOf(fresh) > knownSinceOf(order)", ""],
      ["a dropped transaction hides the one that paid", "of mints)\n", "of isOneMissing ? [] : mints)\n"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/applyEmoneyCallback.ts",
    ["tests/long/iban-provider.test.ts"],
    [
      ["a recall before the report of its mint is no case", "(order.txHashes ?? []).length > 0", "false"],
      ["an outgoing order that is rejected is a recall", `(order.kind === "issue" && (order`, "(true && (order"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/iban.ts",
    ["tests/long/iban-provider.test.ts"],
    [
      [
        "money by an IBAN that was reset while it was awaited is no user's",
        `(iban === null && row.status !== "PENDING")`,
        "iban === null",
      ],
      ["a closed case stays closed once the IBAN has its name", "await watchIban(work, named.userId);", ""],
      ["an IBAN that is named late pays into a former Safe in silence", "await watchFormerSafe(work, named);", ""],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/openIban.ts",
    ["tests/long/iban-provider.test.ts"],
    [
      [
        "money by an IBAN whose consent ended is no user's",
        'await keepIban(work, fresh);\n      await changeIbanStatus(work, fresh, "PENDING_OAUTH"',
        'await changeIbanStatus(work, fresh, "PENDING_OAUTH"',
      ],
      [
        "money by an IBAN of a person who was turned down is no user's",
        'await keepIban(work, fresh);\n      await changeIbanStatus(work, fresh, "NOTSTARTED"',
        'await changeIbanStatus(work, fresh, "NOTSTARTED"',
      ],
      [
        "money by an IBAN that was given up is no user's",
        "await keepIban(work, fresh);\n    await changeIbanStatus",
        "await changeIbanStatus",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/spending/decisionFacts.ts",
    ["tests/flows/card-money.test.ts", "tests/long/debts.test.ts"],
    [["a lagging node approves money that has moved", "t.status <> 'FAILED'", "t.status not in ('DONE', 'FAILED')"]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/spending/liveTransfers.ts",
    ["tests/regression/ended-transfers.test.ts"],
    [
      [
        "a worker that is behind ends a spend's hold early",
        "greatest(${updatedAt.toISOString()}::timestamptz, clock_timestamp())",
        "${updatedAt.toISOString()}::timestamptz",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/housekeeping/expireCards.ts",
    ["tests/api/cards.test.ts"],
    [
      [
        "a worker whose clock is ahead ends cards too early",
        "await readEarlierTime(ctx)",
        "await ctx.clock.now(ctx.db)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/housekeeping/deleteOldRows.ts",
    ["tests/regression/ended-transfers.test.ts"],
    [
      [
        "a worker that is ahead deletes what is still needed",
        "await readEarlierTime(ctx)",
        "await ctx.clock.now(ctx.db)",
      ],
      ["what has moved is forgotten within the cooldown", "ctx.policy.cooldownSeconds * secondMs", "0"],
    ],
  ),
];
