/** Mutants of what is recorded once, taken back with its block, and erased with its person. */
import { mutantsOf } from "./mutant.ts";

export const recordMutants = [
  ...mutantsOf(
    "packages/db/src/archives/families.ts",
    ["tests/long/archives.test.ts"],
    [
      ["a payment is archived while it may be reported as fraud", "monthsMin: 14", "monthsMin: 2"],
      ["a dispute is archived that the books have not read", ", 'disputes']", "]"],
      ["a late debit is archived while it may be reported", "now() - interval '13 months'", "now()"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/housekeeping/chores.ts",
    ["tests/long/chores.test.ts"],
    [
      [
        "a job that the whole service needs fails unseen",
        "Object.hasOwn(watched, age.name)",
        "Object.hasOwn(chores, age.name)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/housekeeping/chores.ts",
    ["tests/unit/chore-turns.test.ts"],
    [
      ["a chore with very much to do is overdue", "(limitOf(name) * 1000) / 2", "limitOf(name) * 1000"],
      [
        "a close of the books begins anew with each turn",
        `"isWhole" in chores[name] ? null :`,
        "name === null ? null :",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/partners/webhooks/fanOut.ts",
    ["tests/long/webhooks.test.ts"],
    [["a turn hands out all events, however many", "!ctx.stopping.aborted && (await", "(await"]],
  ),
  ...mutantsOf(
    "apps/worker/src/tasks.ts",
    ["tests/long/chores.test.ts"],
    [
      ["no success of an endless job is recorded", "if (Object.hasOwn(endlessJobs, task))", "if (task === undefined)"],
      [
        "a failed job counts as done",
        "if (!isUnavailable(error)) throw error;",
        "if (!isUnavailable(error)) return await recordSuccess(task);",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/health/checkTreasury.ts",
    ["tests/long/doctor.test.ts"],
    [["an old balance at the issuer counts as new", "now.getTime() - readAtMs >= staleMs", "readAtMs < 0"]],
  ),
  ...mutantsOf(
    "packages/db/src/openSession.ts",
    ["tests/regression/lost-connection.test.ts"],
    [
      ["a session loses its lock after half an hour", "max_lifetime: null", "idle_timeout: 0"],
      ["a lost session goes on without its lock", "void client.end({ timeout: 0 });", ""],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/applyMigrations.ts",
    ["tests/long/online-migrations.test.ts"],
    [["two runs record one file", " where (select count(*) from ${history}) = ${index}", ""]],
  ),
  ...mutantsOf(
    "packages/db/src/archives/takeTables.ts",
    ["tests/long/archives.test.ts"],
    [["each lock of a try has a time of its own", "Math.round(endMs - performance.now())", "lockMsMax"]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/core/retention.ts",
    ["tests/long/personal-data.test.ts"],
    [
      ["a change of a contact is deleted under a legal hold", ", unless: () => isNotHeld(contactChanges.userId)", ""],
      ["events are deleted under a legal hold", "notExists(delivery), isNotHeld(events.userId)", "notExists(delivery)"],
    ],
  ),
  ...mutantsOf(
    "apps/server/src/operator.ts",
    ["tests/long/operator-people.test.ts"],
    [["the action log keeps the mail address of a person whose table was taken", "page.path ?? path", "path"]],
  ),
  ...mutantsOf(
    "packages/domain/src/users/users/setUserStatus.ts",
    ["tests/long/personal-data.test.ts"],
    [["an erased person is active again, and the closed case opens", " || user.erasedAt !== null", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/verification/sourceOfFunds/setRisk.ts",
    ["tests/long/personal-data.test.ts"],
    [["an erased person is judged, and the closed case opens", " || user.erasedAt !== null", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/users/messages/sendMessages.ts",
    ["tests/api/messages.test.ts"],
    [
      ["a mail is sent again with each attempt of a text message", "await remove(ctx, chosen);", ""],
      ["text messages wait for the mail server", "failures.push(error);", "throw error;"],
      [
        "a person gets any number of text messages",
        "isTextWanted && (await tryTake(ctx.rateLimits, textsPerDay, user.id))",
        "isTextWanted",
      ],
      ["messages go to a number that is not proven", "user.isPhoneValidated ? user.phone : null", "user.phone"],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queue/missing.ts",
    ["tests/api/messages.test.ts"],
    [
      [
        "people whose messages wait hold up everybody behind them",
        "having (select true from ${jobsTable} j where j.key = ${key}) is null\n      limit 500) idle",
        "limit 500) idle where (select true from ${jobsTable} j where j.key = ${key}) is null",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/schema/users/ibans.ts",
    ["tests/long/personal-data.test.ts"],
    [
      [
        "a person is erased while the institution holds an order",
        `openIbanOrderStates = ["placed", "pending"]`,
        `openIbanOrderStates = ["pending"]`,
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/users/ibanOrders.ts",
    ["tests/long/personal-data.test.ts"],
    [
      ["a person is erased although a comparison reads how the order ends", "and ${isOwnProfile}", "and false"],
      ["a person is erased before a repeated report of an order comes", ">= ${lostBefore.toISOString()}", "is null"],
      [
        "an order of a consent whose report is lost holds up the erasure for ever",
        "isOneOf(state, openIbanOrderStates), canEnd ?? undefined",
        "isOneOf(state, openIbanOrderStates)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/payments/settleThread.ts",
    ["tests/long/personal-data.test.ts"],
    [
      [
        "a late capture brings the payee of an erased person",
        "(await holdUser(work.tx, userId)) ? report : withoutPayee(report)",
        "report",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/decision/recordFirst.ts",
    ["tests/long/personal-data.test.ts"],
    [
      [
        "a late use brings the payee of an erased person",
        "(await isErased(work, card)) ? withoutPayee(request) : request",
        "request",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/cards/readWalletToken.ts",
    ["tests/long/personal-data.test.ts"],
    [
      [
        "a late callback brings the phone of an erased person",
        "if (!(await holdUser(work.tx, known.userId))) return;",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/cards/walletTokens.ts",
    ["tests/long/personal-data.test.ts"],
    [
      [
        "an answer that comes after the erasure brings the phone of an erased person",
        `if (!(await holdUser(work.tx, userId))) fail("walletTokens.not_found");`,
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/watchIban.ts",
    ["tests/long/personal-data.test.ts"],
    [["a case from before the erasure does not name the orders", "isChanged: isErased", "isChanged: false"]],
  ),
  ...mutantsOf(
    "packages/db/src/schema/users/ibans.ts",
    ["tests/long/personal-data.test.ts"],
    [
      [
        "a consent that was never given holds up the erasure",
        "(${table.status} = 'NOTSTARTED' and ${table.attempt} is not null)",
        "${table.attempt} is not null",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/core/personalData/holdings.ts",
    ["tests/long/iban-provider.test.ts"],
    [
      ["an erased person keeps the profile from who comes back", "      linkedProfileId: null,\n", ""],
      ["a case about a former Safe holds up the erasure", `, "iban_of_former_safe"])`, "])"],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/users/ibans.ts",
    ["tests/long/iban-provider.test.ts"],
    [
      [
        "money of who came back is an erased person's",
        ".orderBy(sql`${ibans.profileId} = ${profileId}`)",
        ".orderBy(sql`${ibans.profileId} <> ${profileId}`)",
      ],
      ["an erased person's IBAN is named again", "    eq(archivedIbans.iban, awaitedIban),\n", ""],
      [
        "a second reset forgets the IBAN of the first",
        "set: iban === null ? { archivedAt } : { iban, bic, archivedAt }",
        "set: { iban: iban ?? awaitedIban, bic, archivedAt }",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/core/personalData/holding.ts",
    ["tests/long/personal-data.test.ts"],
    [
      [
        "who paid by an IBAN is known after the erasure",
        `counterpart: { details: {}, identifier: { standard: "erased" } },`,
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/users/eraseUser.ts",
    ["tests/long/personal-data.test.ts"],
    [
      ["a command's erasure is in no log", "ctx.erasureLog.info(", "ctx.log.info("],
      ["an erasure leaves the IBAN open in silence", "await watchIban(work, id)", ""],
      ["a repeated erasure opens a closed case", "if (user.erasedAt === null) await watchIban", "await watchIban"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/users/eraseUser.ts",
    ["tests/long/iban-reconciliation.test.ts"],
    [["money by the IBAN of an erased person passes in silence", "await keepIban(work, iban)", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/records/recordClasses.ts",
    ["tests/long/personal-data.test.ts"],
    [["payees of card payments are not kept", `, "card_payments"]`, "]"]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/privacy/keptHours.ts",
    ["tests/long/books.test.ts"],
    [
      [
        "an erasure takes money by an IBAN out of the books",
        `iban_orders: "An amount that came or went by an IBAN, and its date, by the law of accounting"`,
        "iban_orders: null",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/performOnce.ts",
    ["tests/api/idempotency.test.ts"],
    [
      ["a request under way keeps no other one out", "!(await lockKey(work.tx, request.scope, request.key))", "false"],
      ["an update ends the keys of the day before", " && stored.bodyHash !== request.formerBodyHash", ""],
      ["a refusal is not stored", "if (!first) await insertReply(tx, {", "if (!first) void ({"],
      ["a refusal is stored beside a request under way", "!(await lockKey(tx, request.scope, request.key))", "false"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/performOnce.ts",
    ["tests/long/webhooks.test.ts"],
    [["a deactivated person's refusal is stored for a day", '  "users.deactivated",\n', ""]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/core/retention.ts",
    ["tests/regression/database-rules.test.ts"],
    [["the PIN of a card to be is dropped", ", unless: isOfNoCardToBe", ""]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/core/retention.ts",
    ["tests/long/unbooked-threads.test.ts"],
    [["a thread is dropped beside its open case", `, notExists(among("OPEN"))`, ""]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/spending/disputes.ts",
    ["tests/regression/database-rules.test.ts"],
    [["urgent disputes are paged by their ids", "dueBefore ? isLessUrgent(after) : lt(", "lt("]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/privacy/keptHours.ts",
    ["tests/api/idempotency.test.ts"],
    [["replies are kept for 100 days", "idempotency_keys: dayHours", "idempotency_keys: 100 * dayHours"]],
  ),
  ...mutantsOf(
    "packages/domain/src/chain/guards/reorgGuard.ts",
    ["tests/chaos/reorganisation.test.ts"],
    [
      [
        "a decision from before a reorganisation is written",
        "(await holdReorganisations(work.tx, { chainId, isAlone })) !== begun",
        "false",
      ],
      [
        "one commit rests on two blocks of a height",
        "other !== undefined && other.blockHash !== blockHash",
        "other === null",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/cards/orderRollBacks.ts",
    ["tests/long/order-reorganisation.test.ts"],
    [
      [
        "a cancelled order keeps a payment that is gone",
        `or(isOneOf(orders.status, ["CANCELLED"]), not(isProven))`,
        "not(isProven)",
      ],
      ["money that is gone is returned", "isNull(signedAt), isNull(paidAt)", "isNull(signedAt), isNotNull(paidAt)"],
      [
        "what a free order's transaction brings in another block is no case",
        `isNoneOf(orders.status, ["PENDINGTRANSACTION"])`,
        `isOneOf(orders.status, ["FAILEDTRANSACTION", "CANCELLED"])`,
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/rollBackPayments.ts",
    ["tests/long/order-reorganisation.test.ts"],
    [
      [
        "a dropped return leaves its case closed",
        "await openReturnCase(work, order, { isChanged: true });",
        "void order;",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/spending/cases.ts",
    ["tests/long/order-reorganisation.test.ts"],
    [["a payment that comes back is no case", "${eq(cardCases.closedBy, closedByService)}", "false"]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/commitEnd.ts",
    ["tests/chaos/reorganisation.test.ts"],
    [
      [
        "rows rest on a block that another one replaced",
        "!(await insertSeenBlocks(tx, [...blocks.values()], oldest))",
        "(await insertSeenBlocks(tx, [...blocks.values()], oldest)) === null",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/partners/deliveries/due.ts",
    ["tests/long/webhooks.test.ts"],
    [["a last attempt gives a delivery up that is sent again", "(r.becomes <> 'DELIVERED' and d", "(false and d"]],
  ),
  ...mutantsOf(
    "packages/domain/src/partners/webhooks/reportAttempts.ts",
    ["tests/long/lock-order.test.ts"],
    [
      [
        "a failed attempt locks its delivery before its partner",
        "const partner = mayChange ? await lockPartner(tx, id) : null;\n  await recordAttempts(tx, id, results);",
        "await recordAttempts(tx, id, results);\n  const partner = mayChange ? await lockPartner(tx, id) : null;",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/partners/deliveries/feed.ts",
    ["tests/long/webhooks.test.ts"],
    [["a pull has what a subscription's end cancelled", `isNoneOf(deliveries.status, ["CANCELLED"])`, "undefined"]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/partners/deliveries/log.ts",
    ["tests/long/many-rows.test.ts"],
    [["an endpoint begins anew by one statement", "const partMax = 5_000;", "const partMax = 5_000_000;"]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/partners/deliveries/fanOut.ts",
    ["tests/long/many-rows.test.ts"],
    [["all past events are handed out at once", "const pastMax = 5_000;", "const pastMax = 5_000_000;"]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/restartEndpoint.ts",
    ["tests/long/webhooks.test.ts"],
    [["a last attempt at a former address gives a delivery up", "await restartRetries(tx, partnerId, now);", ";"]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardholders/issuerCall.ts",
    ["tests/long/issuer-calls.test.ts"],
    [["a lost call leaves the card free", "mayArrive ? new Date(work.now.getTime() + lateMs) : asBefore", "asBefore"]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardholders/issuerCall.ts",
    ["tests/flows/card-money.test.ts"],
    [
      [
        "a call without effect hides that a status is not known",
        "row.issuerCallEndsAt === null ? null : work.now",
        "null",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardholders/syncCardholder.ts",
    ["tests/flows/card-money.test.ts"],
    [["the end of a window puts off a block", "await enqueueIfNone(tx", "await enqueue(tx"]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/privacy/keptHours.ts",
    ["tests/long/personal-data.test.ts"],
    [["evidence is kept after an erasure", "dispute_evidence: null", 'dispute_evidence: "kept"']],
  ),
  ...mutantsOf(
    "packages/db/src/queries/core/personalData/holdings.ts",
    ["tests/long/personal-data.test.ts"],
    [
      ["the wallet of a subscription is kept after an erasure", "walletAddress: nativeToken", ""],
      ["an IBAN is kept after an erasure", "      iban: null,\n", ""],
      ["an IBAN that was reset is kept after an erasure", `iban: "erased", `, ""],
      [
        "a case to close the IBAN holds up the erasure",
        `["erasure_request", "iban_to_close", `,
        `["erasure_request", `,
      ],
      ["a BIC is kept after an erasure", "      bic: null,\n", ""],
      ["a consent is kept after an erasure", "      sealedToken: null,\n", ""],
      [
        "a card keeps its embossed name after an erasure",
        "endedCardStatuses),\n    blank: () => ({ embossedName: null }),",
        "endedCardStatuses),",
      ],
      [
        "an issue keeps its embossed name after an erasure",
        `["open"]),\n    blank: () => ({ embossedName: null }),`,
        `["open"]),`,
      ],
    ],
  ),
];
