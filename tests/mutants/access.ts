/** Mutants of who may do or read something: signatures, secrets, codes, callbacks, deliveries. */
import { mutantsOf } from "./mutant.ts";

export const accessMutants = [
  ...mutantsOf(
    "apps/cli/src/keys/changeKeys.ts",
    ["tests/long/keys.test.ts"],
    [
      [
        "a removed key comes back with another command",
        'if (present.replace(/[\\r\\n]+$/, "") === before) return text;',
        "return text;",
      ],
      ["a secret is written that production refuses", "checkSetting(setting, text, settings);", ""],
    ],
  ),
  ...mutantsOf(
    "apps/cli/src/mcp.ts",
    ["tests/long/assistant.test.ts"],
    [
      ["an assistant goes on after its operator's session ended", ", ...createCliOperator(cli.load)", ""],
      ["an assistant goes on as its machine after a sign-out", "if (ctx.actor.id !== id)", "if (false)"],
    ],
  ),
  ...mutantsOf(
    "apps/cli/src/mcp/buildTool.ts",
    ["tests/long/assistant.test.ts"],
    [["a tool leaves out what it has no name for", "!Object.hasOwn(properties, name) ||", ""]],
  ),
  ...mutantsOf(
    "apps/server/src/admission.ts",
    ["tests/long/webhooks.test.ts"],
    [["a wrong token counts as none", "takesToken && isWrongToken(authenticated) ? authenticated : null", "null"]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/codes/reserveCode.ts",
    ["tests/api/phone.test.ts"],
    [
      ["a refused send voids the code before it", "if (isUnsent) await withdrawCode(tx, id);", ""],
      ["an outage uses up a person's codes", "if (isOutage && isUnsent) return deleteCode(tx, id);", ""],
      ["a code that may have left counts no more", "!isOutage || cause.isWithoutEffect", "true"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/partners/webhooks/subscribe.ts",
    ["tests/long/webhooks.test.ts"],
    [
      [
        "a first subscription leaves out a balance that was published to no one",
        'if (await enqueueQuietly(tx, "balance.publish", funded)) wake("jobs");',
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/chain/followState.ts",
    ["tests/long/webhooks.test.ts"],
    [
      [
        "money that moved before any subscription is reported to no partner",
        "or exists (select from users where partner_id is not null)",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/runtime/src/keyCheck.ts",
    ["tests/unit/key-overlap.test.ts"],
    [["one right key of a list makes up for wrong ones", "parts.every(isExpected)", "parts.some(isExpected)"]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardholders/contactWindow.ts",
    ["tests/api/contact-changes.test.ts"],
    [
      [
        "another person gets the link at a number that they proved since",
        "holder !== null && holder.id !== id",
        "false",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/verification/phone/settlePhone.ts",
    ["tests/api/contact-changes.test.ts"],
    [["the unchanged number ends the window of a changed mail address", "isHeld ? {} : opened", "opened"]],
  ),
  ...mutantsOf(
    "packages/domain/src/partners/webhooks/reportAttempts.ts",
    ["tests/long/webhooks.test.ts"],
    [["days without an event disable an endpoint", "hours.findLast(isGap) ?? 0", "0"]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/messages/leaveOutRefused.ts",
    ["tests/long/mail.test.ts"],
    [["a mailbox that is gone fails its jobs", "if (!(error instanceof ProviderRefused)) throw", "throw"]],
  ),
  ...mutantsOf(
    "packages/domain/src/users/messages/sendMessages.ts",
    ["tests/api/messages.test.ts"],
    [["a gateway that is away uses up the texts of warnings", "if (isUnsent && quota", "if (false && quota"]],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/alerts/findAlerts.ts",
    ["tests/long/doctor.test.ts"],
    [["a fault that stands hides the next one of its check", "`doctor:${check}:${part}`", "`doctor:${check}`"]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/restartEndpoint.ts",
    ["tests/long/webhooks.test.ts"],
    [
      [
        "what failed at an endpoint stays unsent once it is enabled",
        "if (failingSince !== null)",
        "if (!failingSince)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/operators/stops/setStop.ts",
    ["tests/long/webhooks.test.ts"],
    [["a stop of deliveries disables endpoints", `name === "deliveries" && before !== null`, "false"]],
  ),
  ...mutantsOf(
    "packages/domain/src/partners/partners/changePartner.ts",
    ["tests/long/webhooks.test.ts"],
    [["a stop of a partner disables its endpoint", "before.status !== status && ", "false && "]],
  ),
  ...mutantsOf(
    "apps/server/src/operator.ts",
    ["tests/long/operator.test.ts"],
    [["a form that is sent twice acts twice", "...(alongside && { alongside })", ""]],
  ),
  ...mutantsOf(
    "apps/server/src/operator/page/table.ts",
    ["tests/unit/operator-tables.test.ts"],
    [["a CSV of the first rows looks whole", "isCut ? formatCut", "false ? formatCut"]],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/people/readAccount.ts",
    ["tests/long/operator-people.test.ts"],
    [["a chart has balances of a Safe before", "safe.createdAt.getTime());", "0);"]],
  ),
  ...mutantsOf(
    "packages/domain/src/partners/partners/askedChange.ts",
    ["tests/long/operator.test.ts", "tests/api/operator-approvals.test.ts"],
    [
      ["an address that a partner has already enables its endpoint", " && webhookUrl !== present.webhookUrl", ""],
      ["an approved change overwrites a newer one", "changed === undefined", "true"],
    ],
  ),
  ...mutantsOf(
    "apps/server/src/operator/deskForms.ts",
    ["tests/long/operator.test.ts"],
    [["a form sends what nobody changed in it", " || word === form.get(begunOf(name))?.trim()", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/partners/webhooks/subscribe.ts",
    ["tests/long/webhooks.test.ts"],
    [
      [
        "a partner gets events from before its subscription",
        "await enqueueDeliveries(tx, await fanOutEventsOf(tx, { userId, now }));",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/executors/decideApproval.ts",
    ["tests/api/operator-approvals.test.ts"],
    [
      [
        "a viewer reads the whole address that a request asks for",
        " || !hasRole(ctx.actor, verb)) return null",
        ") return null",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/ruleChanges/partnerRules.ts",
    ["tests/api/card-rules.test.ts"],
    [["a partner reads payments of people who let it receive nothing", "areSubscribed: true", "areSubscribed: false"]],
  ),
  ...mutantsOf(
    "packages/domain/src/users/auth/verifyChallenge.ts",
    ["tests/long/sign-in-wallets.test.ts"],
    [
      ["a first sign-in is recorded without its message", "proveSignInWallet(work.tx, ", "proveSignInWallet(ctx.db, "],
      [
        "a wallet signs in that was removed meanwhile",
        "(await recordFirstSignIn(ctx, found))",
        "((await recordFirstSignIn(ctx, found)) || true)",
      ],
      ["the second of two first sign-ins is another warning", "if (isFirst) await notify", "await notify"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/signInWallets/addWallet.ts",
    ["tests/long/sign-in-wallets.test.ts"],
    [["a thief removes the owner's wallet in silence", "    await notifyOfRemoval(work, removed);\n", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/lockActor.ts",
    ["tests/api/ended-rights.test.ts"],
    [
      ["a request that waits behind the end of its sign-in makes another", "  await holdActor(tx, actor);\n", ""],
      ["a request that waits behind a deactivation is carried out", `user.status === "DEACTIVATED"`, "false"],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/users/users.ts",
    ["tests/api/ended-rights.test.ts"],
    [["a wallet acts after its removal", "sql`${isThisUser} and ${isOfWallet} for key", "sql`${isThisUser} for key"]],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/finishConsent.ts",
    ["tests/long/iban-provider.test.ts"],
    [["a consent outlives the reset of its IBAN", "(before?.updatedAt ?? now)", "row.updatedAt"]],
  ),
  ...mutantsOf(
    "apps/server/src/operator/api/sessions.ts",
    ["tests/long/operator-sign-in.test.ts"],
    [
      [
        "a sign-in of a device keeps the secrets of the start",
        "export function mountSessions(app: Elysia, runtime: Runtime): void {\n",
        "export function mountSessions(app: Elysia, present: Runtime): void {\n  const runtime = { ...present };\n",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardholders/mirrorCardholders.ts",
    ["tests/flows/card-money.test.ts"],
    [
      [
        "a stop that is lifted waits for the end of the one before",
        "!== wasStopped) return;",
        "!== wasStopped) void 0;",
      ],
    ],
  ),
  ...mutantsOf(
    "apps/server/src/readAdmitted.ts",
    ["tests/api/ended-rights.test.ts"],
    [["a body held back keeps a right that ended", "await admit();", ";"]],
  ),
  ...mutantsOf(
    "apps/server/src/caller.ts",
    ["tests/api/ended-rights.test.ts"],
    [
      [
        "a proof counts as long as its request lasts",
        "found === null || nowMs - found.atMs > proofMs",
        "found === null",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/tokens/tokens.ts",
    ["tests/long/sign-in-wallets.test.ts"],
    [
      [
        "a thief makes a token for programs in silence",
        `await notify(work, { userId, what: "token"`,
        `void ({ userId, what: "token"`,
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/users/users.ts",
    ["tests/long/sign-in-wallets.test.ts"],
    [
      ["a warning is lost with the wallet that it is about", "    await keepWarning(tx, gone);\n", ""],
      ["wallets that never signed in fill every server", "if (gone?.provenAt === null) return false;", ""],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/users/warnings.ts",
    ["tests/long/sign-in-wallets.test.ts"],
    [["new tokens drop the warning of a thief's wallet", `what === "token" ? sql`, `what !== null ? sql`]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardholders/compareCardholders.ts",
    ["tests/long/blocked-people.test.ts"],
    [
      [
        "an old list of the issuer's hides that a blocked person is active there",
        "updateCardholder(tx, userId, { issuerCallEndsAt: now })",
        `updateCardholder(tx, userId, { issuerSyncedStatus: "inactive" })`,
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardholders/syncCardholder.ts",
    ["tests/long/blocked-people.test.ts"],
    [["new details hide that a person's status at the issuer is not known", " || row.issuerCallEndsAt !== null", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/users/signInWallets/changeWalletsFor.ts",
    ["tests/api/operator-approvals.test.ts"],
    [
      ["one operator alone gives an account away", "await requireApproval(ctx, verb, {", "void ({"],
      ["a role that may not approve reads whose wallet it is", " || !hasRole(ctx.actor, asked)", ""],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/cardholders/syncCardholder.ts",
    ["tests/long/personal-data.test.ts"],
    [["a late answer brings a digest of an erased person back", "user?.erasedAt != null && erased", "false"]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/core/personalData/holdings.ts",
    ["tests/long/personal-data.test.ts"],
    [
      [
        "a digest of a person outlives the erasure",
        "{ issuerDetails: null, issuerSyncedDetails: null, issuerRefusedDetails: null }",
        "{}",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/reissueCard.ts",
    ["tests/long/support.test.ts"],
    [["a card is replaced twice, once by its holder", " || made !== null", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/messages/mailNews.ts",
    ["tests/long/disputes.test.ts"],
    [
      ["a stranger reads what another person disputes", "user.emailProvenAt === null", "false"],
      ["a stranger gets a mail for each dispute", "isDiscreet ? await takeUnprovenMail(ctx, userId) : 0", "0"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/messages/sendMessages.ts",
    ["tests/api/messages.test.ts"],
    [
      [
        "a thief switches the warnings off",
        `(isWarning(row) || choices[row.kind] !== "none")`,
        `choices[row.kind] !== "none"`,
      ],
      ["new tokens hide the first sign-in of a thief's wallet", "weigh(one) - weigh(other)", "0"],
      ["a stranger gets a mail a minute", "isDiscreet ? await takeUnprovenMail(ctx, userId) : 0", "0"],
      ["a stranger reads what another person buys", `way === "mail" && user.emailProvenAt === null`, "false"],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/core/retention.ts",
    ["tests/long/sign-in-wallets.test.ts"],
    [
      ["a token that works is deleted by a clock that is ahead", ", unless: isLongExpired", ""],
      ["a token that its user ended stays for ever", "isNotNull(userTokens.end), ", ""],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/codes/reserveCode.ts",
    ["tests/api/idempotency.test.ts"],
    [["a request that is under way sends a second code", "await requireAlone(tx, ctx.requestKey, now);", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/codes/reserveCode.ts",
    ["tests/api/phone.test.ts"],
    [["an earlier code of a server that is ahead counts", "(sends[0]?.getTime() ?? 0) + 1", "0"]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/codes/reserveCode.ts",
    ["tests/api/idempotency.test.ts"],
    [
      [
        "a code that did not leave keeps its request waiting",
        "if (id === ctx.requestKey) await renameCode(tx, id, generateId());",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/auth/signUp.ts",
    ["tests/api/auth.test.ts"],
    [
      [
        "a stranger keeps an address that they never proved",
        "if (holder !== null) await releaseEmail(",
        "if (holder === undefined) await releaseEmail(",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/users/releaseEmail.ts",
    ["tests/api/auth.test.ts"],
    [
      [
        "an address is taken from the holder who proved it",
        "user?.emailProvenAt !== null || user.email",
        "user === null || user.email",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/verification/contacts/agreeToChange.ts",
    ["tests/api/contact-changes.test.ts"],
    [
      [
        "a stranger keeps an address that another proves by a change",
        "if (holder !== null && holder.id !== user.id) await releaseEmail(",
        "if (holder === undefined) await releaseEmail(",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/runtime/src/providers.ts",
    ["tests/api/auth.test.ts"],
    [["a released address gets mail", "isPlaceholderEmail(mail.to) ? undefined : ", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/executors/decideApproval.ts",
    ["tests/api/operator-approvals.test.ts"],
    [["a repeated approval is refused as ended", 'ran === verb ? alongside(work, "approvals.approve") : ', ""]],
  ),
  ...mutantsOf(
    "apps/server/src/operator/access/signIn.ts",
    ["tests/long/operator-sign-in.test.ts"],
    [
      [
        "a neighbour locks the shared key out of the pages",
        `answer.headers.append("Set-Cookie", cookies.keepKnown(secret));
        return`,
        "return",
      ],
    ],
  ),
  ...mutantsOf(
    "apps/server/src/operator/api/api.ts",
    ["tests/long/issuer-events.test.ts"],
    [["a suspension that the issuer never got is answered as done", "!act.endsAfterCommit && ", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/verification/sourceOfFunds/setRisk.ts",
    ["tests/api/operator-approvals.test.ts"],
    [
      [
        "a risk is approved of answers that no second person was shown",
        "if (isBetter(risk, user.sourceOfFundsRisk)) requireSame(ctx, await describeRisk(tx, user));",
        "",
      ],
      [
        "a user's answers hold off a worse risk",
        "if (isBetter(risk, user.sourceOfFundsRisk)) requireSame",
        "requireSame",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/cards/changeCardFor.ts",
    ["tests/api/operator-approvals.test.ts"],
    [["an old approval ends a later freeze", "if (describe) requireSame(ctx, await describe(work.tx, card));", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/operators/stops/setStop.ts",
    ["tests/api/operator-approvals.test.ts"],
    [["an old approval ends a later stop", "if (!isStopped) requireSame(ctx, describeStop(before));", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/partners/partners/keys.ts",
    ["tests/api/operator-approvals.test.ts"],
    [
      [
        "one person gets a partner's key alone",
        `await requireApproval(ctx, "partners.rotate", { input, subject: { kind: "partner", id } });`,
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/verification/kyc/applyVerdict.ts",
    ["tests/long/kyc-rotation.test.ts"],
    [
      ["each daily answer about a person leaves a row", "if (!callback && isNews)", "if (!callback)"],
      ["an answer that changed a person leaves no row", "if (!callback && isNews)", "if (!callback && !isNews)"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/watchIban.ts",
    ["tests/long/blocked-people.test.ts"],
    [
      [
        "a new review of a rejected person closes the case about the IBAN",
        "if (user && profiles.length > 0 && !canHaveIban(user)) return;",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/finishConsent.ts",
    ["tests/long/iban-provider.test.ts"],
    [["a consent links a person who was rejected while it was exchanged", "!canHaveIban(locked) ||", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/openIban.ts",
    ["tests/long/iban-provider.test.ts"],
    [
      ["a later job opens the IBAN of a rejected person", "user && canHaveIban(user) ? step", "user ? step"],
      ["no case watches what the institution opens", "await watchIban(work, row.userId);", ""],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/requestIban.ts",
    ["tests/long/iban-provider.test.ts"],
    [["an IBAN is asked for while its person is rejected", `if (!canHaveIban(user)) fail("ibans.unavailable");`, ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/cards/issueCard.ts",
    ["tests/long/contacts.test.ts"],
    [["a card is shipped with an unproven number", "phone: details.phone", 'phone: "+4915199000005"']],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/cards/issueCard.ts",
    ["tests/long/blocked-people.test.ts"],
    [
      [
        "a later job makes the card of a rejected person",
        `if (user.kycStatus !== "approved") fail("cards.kyc_required");`,
        "",
      ],
      [
        "a later job makes the card of a person who is rated red",
        `if (user.sourceOfFundsRisk === "red") fail("cards.risk_incompatible");`,
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/deployModules.ts",
    ["tests/long/account.test.ts"],
    [
      [
        "the older way takes the Safe of a rejected person into service",
        `if (user.kycStatus !== "approved") fail("safes.kyc_required");`,
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/cards/compareCallbacks.ts",
    ["tests/long/kyc-rotation.test.ts"],
    [["a lost callback about a card is never applied", "!known.has(id)", "known.has(id)"]],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/cards/readWalletToken.ts",
    ["tests/long/kyc-rotation.test.ts"],
    [["a thief's wallet token stays where the window closed first", "createdAt < user.contactSettlesAt", "false"]],
  ),
  ...mutantsOf(
    "packages/providers/src/issuer/stripe.ts",
    ["tests/long/issuer-events.test.ts"],
    [["any signature is the issuer's", "if (!isGenuine(stripe, { rawBody, signature, secret })) continue;", ""]],
  ),
  ...mutantsOf(
    "apps/server/src/inbound.ts",
    ["tests/long/issuer-events.test.ts"],
    [
      [
        "a genuine callback of the issuer raises the alarm of a forgery",
        `refuseSenseless(runtime, ctx, "issuer", null)`,
        `refuseForged(runtime, ctx, "issuer")`,
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/callbackOutcome.ts",
    ["tests/api/kyc.test.ts"],
    [
      [
        "a verdict behind the last date counts for ever",
        "!(at.getTime() - now.getTime() <= partnerSkewMs)",
        "at.getTime() - now.getTime() > partnerSkewMs",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/partners/partners.ts",
    ["tests/long/user-tokens.test.ts"],
    [
      [
        "a key takes the scopes of an older one than the last",
        "eq(partnerKeys.kind, kind)))\n    .orderBy(desc(partnerKeys.createdAt), desc(partnerKeys.id))\n    .limit(1)",
        "eq(partnerKeys.kind, kind)))\n    .orderBy(partnerKeys.createdAt, partnerKeys.id)\n    .limit(1)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/orders/order.ts",
    ["tests/long/support.test.ts"],
    [["a viewer reads where an order goes to", "maySeePeople(actor)\n", "(maySeePeople(actor) || true)\n"]],
  ),
  ...mutantsOf(
    "packages/domain/src/users/users/listUsers.ts",
    ["tests/long/support.test.ts"],
    [["a viewer reads the name on a card", "maySeePeople(actor) ? row", "true ? row"]],
  ),
  ...mutantsOf(
    "packages/contract/src/core/instantOrDate.ts",
    ["tests/unit/monerium.test.ts"],
    [
      ["an instant before the year 1 is taken", "Date.parse(text) >= firstMs && ", ""],
      ["an instant behind the year 9999 is taken", " && Date.parse(text) <= lastMs", ""],
    ],
  ),
  ...mutantsOf(
    "apps/server/src/admission.ts",
    ["tests/long/user-tokens.test.ts"],
    [
      ["a token changes what its scopes read", `method === "GET" && grant.scopes`, "grant.scopes"],
      ["a token reads everything", "granted === scope))) return", "granted === scope) || true)) return"],
    ],
  ),
  ...mutantsOf(
    "apps/server/src/apiOperation.ts",
    ["tests/long/user-tokens.test.ts"],
    [["a partner's key opens everything", "if (scopes !== null && ", "if (scopes === undefined && "]],
  ),
  ...mutantsOf(
    "apps/server/src/idempotentRequest.ts",
    ["tests/api/idempotency.test.ts"],
    [
      ["an idempotency key means the same for each path", "[digest(ofPath)]", "[]"],
      ["another order of fields is another request", "digest(rawInput, sortFields)", "digest(rawInput)"],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/users/tokens.ts",
    ["tests/long/user-tokens.test.ts"],
    [
      ["a revoked token works", "        isNull(end),\n", ""],
      ["a deactivated user's token works", `        isOneOf(users.status, ["ACTIVE"]),\n`, ""],
      ["tokens are listed in any order", "chosen)))\n    .orderBy(...newestFirst);", "chosen)));"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/secrets/secrets.ts",
    ["tests/unit/secrets.test.ts"],
    [
      [
        "a secret opens for another owner",
        `protectedHeader["owner"] === ownerId`,
        `protectedHeader["owner"] !== undefined`,
      ],
      ["a secret is sealed without its owner", "buildHeader(first.kid, ownerId)", `buildHeader(first.kid, "")`],
      [
        "any key's secrets count as the first key's",
        'JSON.stringify(buildHeader(kid, "")).slice(0, -2)',
        'JSON.stringify(buildHeader(kid, "")).slice(0, 20)',
      ],
    ],
  ),
  ...mutantsOf(
    "packages/providers/src/issuer/stripe.ts",
    ["tests/api/issuer.test.ts"],
    [
      ["any number is that of a physical card", "return number.endsWith(card.last4);", "return true;"],
      ["the last digits are enough for a virtual card", "if (card.number === undefined) return", "if (true) return"],
    ],
  ),
  ...mutantsOf(
    "packages/providers/src/issuer/stripeAbsence.ts",
    ["tests/unit/stripe.test.ts"],
    [["a gateway's 404 refuses a card for good", ` && error.code === "resource_missing"`, ""]],
  ),
  ...mutantsOf(
    "packages/providers/src/issuer/stripeHttp.ts",
    ["tests/unit/stripe.test.ts"],
    [
      ["a card that a gateway kept from being stopped is stopped", "status >= 400 &&", "status >= 500 &&"],
      ["a dispute is lost for a text", "replaceIllFormedText(body)", "body"],
    ],
  ),
  ...mutantsOf(
    "packages/providers/src/openid/claims.ts",
    ["tests/long/operator-sign-in.test.ts"],
    [["claims that cannot be stored sign in", "if (illFormed === undefined) return", "if (true) return"]],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/cards/openEnvelope.ts",
    ["tests/unit/key-overlap.test.ts"],
    [["an envelope opens with the first key alone", "if (text !== null) return text;", "return text;"]],
  ),
  ...mutantsOf(
    "packages/domain/src/core/codes/policy.ts",
    ["tests/unit/key-overlap.test.ts"],
    [["a code is stored without its pepper", `createHmac("sha256", pepper)`, `createHmac("sha256", "")`]],
  ),
  ...mutantsOf(
    "packages/providers/src/kyc/sumsub.ts",
    ["tests/unit/sumsub.test.ts"],
    [
      [
        "any digest is right",
        "given.length === expected.length && timingSafeEqual(given, expected)",
        "given.length === expected.length",
      ],
      ["a test's callback in words counts as a real one", `truthy: ["true"]`, `truthy: ["yes"]`],
      ["SHA-1 counts", `["HMAC_SHA256_HEX", "sha256"],`, `["HMAC_SHA256_HEX", "sha256"], ["HMAC_SHA1_HEX", "sha1"],`],
    ],
  ),
  ...mutantsOf(
    "packages/providers/src/sms/twilio.ts",
    ["tests/unit/twilio.test.ts"],
    [
      [
        "refused credentials drop a notice",
        "return new ProviderUnavailable(message, { isWithoutEffect: true })",
        "return new ProviderRefused(status, message)",
      ],
      ["a refused sender drops a notice", "ofReceiver.includes(code)", "code !== undefined"],
    ],
  ),
  ...mutantsOf(
    "packages/providers/src/mail/smtp.ts",
    ["tests/unit/smtp.test.ts"],
    [["a refused sender drops every mail", `["RCPT TO", "DATA"]`, `["MAIL FROM", "RCPT TO", "DATA"]`]],
  ),
  ...mutantsOf(
    "packages/providers/src/kyc/sumsubDocuments.ts",
    ["tests/unit/sumsub.test.ts"],
    [["a proof of address keeps an approval for ever", "identityTypes.includes(idDocType)", "idDocType !== null"]],
  ),
  ...mutantsOf(
    "packages/providers/src/kyc/sumsubReview.ts",
    ["tests/unit/sumsub.test.ts"],
    [
      ["a review of any level verifies", `levelName === configured && type`, `type`],
      ["a company's review verifies", ` && type === "individual"`, ""],
      ["a deactivated applicant stays verified", "if (deleted === true)", "if (deleted === undefined)"],
      ["a final rejection at another level is passed over", `status === "rejected" ? "requiresAction" : null`, "null"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/verification/kyc/webLink.ts",
    ["tests/long/kyc-rotation.test.ts"],
    [["who asks for a late link is never asked about again", "restartKycChecks(tx, {", "void (tx, {"]],
  ),
  ...mutantsOf(
    "packages/domain/src/users/users/terms.ts",
    ["tests/api/terms.test.ts"],
    [
      ["any accepted version counts", " && versionOf(each) === version", ""],
      [
        "a version that is not in force is accepted",
        "if (version !== (await readCurrentVersions(ctx.db))(type))",
        "if (version === type)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/verification/kyc/verdict.ts",
    ["tests/api/kyc-callbacks.test.ts"],
    [
      ["documents that ended still count", "documentsValidUntil < today", `"" > today`],
      ["a late approval undoes the record's rejection", "refusals.includes(status);", "status === null;"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/verification/kyc/applyVerdict.ts",
    ["tests/long/kyc-rotation.test.ts"],
    [
      [
        "a person who begins late is never asked about again",
        "await beginKycChecks(tx, { userId, dueAt: nextCheckAt(ctx.policy, now) });",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/verification/kyc/checkVerdicts.ts",
    ["tests/api/kyc-callbacks.test.ts"],
    [
      [
        "a callback during the question does not count",
        "isStranger(locked, isUnknown, now)",
        "isStranger(user, true, now)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/verification/kyc/checkVerdicts.ts",
    ["tests/long/kyc-provider.test.ts"],
    [
      ["the rotation asks without a quota", `!(await tryTake(ctx.rateLimits, reads, "rotation"))`, "false"],
      ["an absence counts as one read", "known ? 1 : 2", "1"],
      ["a provider that refuses every question has answered all", "!(await hasKycAnswer(ctx.db, since))", "false"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/applyEmoneyCallback.ts",
    ["tests/long/iban-provider.test.ts"],
    [["money of a reset IBAN is that of who has the profile now", "(await findFormer(ctx.db)) ?? ", ""]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/users/ibans.ts",
    ["tests/long/blocked-people.test.ts"],
    [
      [
        "a reset hides an IBAN that is to be closed",
        "[...present, ...kept.map",
        "[...present, ...kept.slice(0, 0).map",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/verification/kyc/webLink.ts",
    ["tests/long/kyc-provider.test.ts"],
    [
      [
        "one person's links use up the identity provider",
        'fail("kyc.already_approved");\n  await countRequest(ctx);',
        'fail("kyc.already_approved");',
      ],
      [
        "one person's shares use up the identity provider",
        '?? fail("kyc.not_approved");\n  await countRequest(ctx);',
        '?? fail("kyc.not_approved");',
      ],
      [
        "a partner copies the identity and is no receiver",
        "await discloseIdentity(ctx, user.id, receiver)",
        "await ctx.clock.now(ctx.db)",
      ],
      ["a refused partner is a receiver", "await withdrawDisclosure(ctx, user.id, { receiver, at })", ""],
      ["a refusal of our own account is a client's", "if (!clientRefusals.includes(cause.status)) throw cause;", ""],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/users/records.ts",
    ["tests/long/kyc-provider.test.ts"],
    [
      [
        "a refusal takes back an earlier disclosure",
        "sql`${disclosedTo} ->> ${receiver} = ${at.toISOString()}`",
        "sql`${at.toISOString()} <> ''`",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/providers/src/emoney/callback.ts",
    ["tests/unit/monerium.test.ts"],
    [
      ["a forged callback counts", "  } catch {\n    return false;", "  } catch {\n    return true;"],
      ["an IBAN of another chain is a person's", "named.data.chain !== chain", `named.data.chain === ""`],
      ["an IBAN with a wrong checksum is read", ".refine(isValidIBAN)", ".refine(() => true)"],
      ["an order over nothing is read", ".refine((text) => Number(text) > 0)", ".refine((text) => Number(text) >= 0)"],
    ],
  ),
  ...mutantsOf(
    "packages/providers/src/http.ts",
    ["tests/unit/partner-answers.test.ts"],
    [
      [
        "a used up limit stops all calls of a partner",
        "if (status === tooMany) throw new ProviderPostponed(",
        "if (status === tooMany) throw new ProviderUnavailable(",
      ],
      ["ill-formed text of one person stops a partner's calls", "error instanceof IllFormedText ?", "!error ?"],
      [
        "an endless answer about one person stops a partner's calls",
        "throw new ProviderUnreadable(`${what} answered ${status} with more",
        "throw new ProviderUnavailable(`${what} answered ${status} with more",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/providers/src/breaker.ts",
    ["tests/unit/breaker.test.ts"],
    [
      ["a partner that is away gets every call", "failures >= failuresMax) {", "failures > 10 ** 9) {"],
      [
        "a refusal is no answer",
        "error instanceof ProviderRefused || error instanceof ProviderUnreadable || error instanceof ProviderPostponed",
        "error instanceof ProviderUnreadable || error instanceof ProviderPostponed",
      ],
      ["all callers try at once after the pause", "      retryAt = now() + openMs;\n    }", "    }"],
    ],
  ),
  ...mutantsOf(
    "packages/providers/src/webhooks/sign.ts",
    ["tests/unit/webhook-signatures.test.ts"],
    [
      ["a delivery is signed without its id", "`${id}.${timestamp}.${body}`", "`${timestamp}.${body}`"],
      ["a delivery is signed without its time", "Buffer.from(`${timestamp}.${body}`)", "Buffer.from(body)"],
    ],
  ),
  ...mutantsOf(
    "packages/client/src/webhooks.ts",
    ["tests/unit/webhook-signatures.test.ts"],
    [
      ["an old delivery is accepted", "> toleranceSeconds)", "> 10 ** 12)"],
      ["a delivery with any secret is accepted", "if (!holds.includes(true)) throw", "if (false) throw"],
      ["a delivery without a key is accepted", "publicKeys.length === 0 && secret === undefined", "false"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/partners/webhooks/retrySchedule.ts",
    ["tests/unit/webhook-signatures.test.ts"],
    [
      [
        "a delivery is retried for ever",
        "if (delayMs === undefined) return null;",
        "if (delayMs === undefined) return minuteMs;",
      ],
      ["a receiver's wish has no bound", "Math.min((seconds ?? 0) * 1000, retryAfterMsMax)", "(seconds ?? 0) * 1000"],
      ["a receiver's wish is ignored", "Math.max(spread, clampRetryAfterMs(retryAfterSeconds))", "spread"],
    ],
  ),
  ...mutantsOf(
    "packages/contract/src/core/primitives.ts",
    ["tests/unit/primitives.test.ts"],
    [
      ["an amount above a uint256 is accepted", ".max(uint256Max, message)", ""],
      ["an amount with leading zeros is accepted", ".regex(/^[1-9][0-9]*$/, message)", ".regex(/^[0-9]*$/, message)"],
    ],
  ),
  ...mutantsOf(
    "packages/runtime/src/settings/limits.ts",
    ["tests/long/kyc-provider.test.ts"],
    [["one person uses up the limit of the identity provider at once", "budget(24,", "budget(26,"]],
  ),
  ...mutantsOf(
    "apps/server/src/apiOperation.ts",
    ["tests/long/limits.test.ts"],
    [["each new token of a person opens another quota", "`tokens:${actor.userId}`", "`token:${actor.grant.tokenId}`"]],
  ),
  ...mutantsOf(
    "apps/server/src/apiOperation.ts",
    ["tests/api/unproven-requests.test.ts"],
    [
      [
        "a refusal counts against no quota",
        "if (refusal !== null) {\n    await countRefusal(operation, caller);",
        "if (refusal !== null) {",
      ],
    ],
  ),
  ...mutantsOf(
    "apps/server/src/admission.ts",
    ["tests/api/unproven-requests.test.ts"],
    [
      [
        "a batch reads its body for any token",
        "return findTokenFault(route, await caller.authenticate()) === null;",
        "return true;",
      ],
      [
        "a wallet without a user opens a body",
        'access === "user" && authenticated.userId === null ? "auth.sign_up_required" : null',
        "null",
      ],
    ],
  ),
  ...mutantsOf(
    "apps/server/src/useInput.ts",
    ["tests/api/unproven-requests.test.ts"],
    [["any number of large bodies is kept at once", "return input.isLarge ? ", "return input === null ? "]],
  ),
  ...mutantsOf(
    "apps/server/src/body.ts",
    ["tests/api/unproven-requests.test.ts"],
    [
      ["JSON of any number of values is parsed", "++values >= valuesMax", "++values >= 10 ** 9"],
      ["a body without its length needs no place", "?? Number.NaN", "?? 0"],
      ["a body arrives for hours", 'if (performance.now() > untilMs) fail("request.too_slow");', ""],
    ],
  ),
  ...mutantsOf(
    "packages/runtime/src/compose.ts",
    ["tests/api/unproven-requests.test.ts"],
    [
      [
        "one person takes all places of large bodies",
        '4, totalMax: 8, limit: "large-bodies"',
        '8, totalMax: 8, limit: "large-bodies"',
      ],
    ],
  ),
  ...mutantsOf(
    "apps/server/src/deadline.ts",
    ["tests/unit/deadline.test.ts"],
    [
      [
        "a large body has ten seconds",
        "const pause: Pause = async (work) => {\n      waiting.delete(entry);",
        "const pause: Pause = async (work) => {",
      ],
      ["a request without an end after its body", "} finally {\n        begin();\n      }", "} finally {\n      }"],
      ["each part of a request has ten seconds", "begin(startedAtMs);", "begin();"],
    ],
  ),
  ...mutantsOf(
    "apps/server/src/observe.ts",
    ["tests/api/hanging-database.test.ts"],
    [["a call has ten seconds behind the look-up of a domain", "(run, what.startedAtMs)", "(run)"]],
  ),
  ...mutantsOf(
    "apps/server/src/cors.ts",
    ["tests/api/hanging-database.test.ts"],
    [["any page reads answers while the database hangs", "knownDomains.has(host) || null", "true"]],
  ),
  ...mutantsOf(
    "apps/server/src/trpc.ts",
    ["tests/api/hanging-database.test.ts"],
    [["a token is looked up for ever", "withDeadline(caller.authenticate, startedAtMs)", "caller.authenticate()"]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/disputes/addEvidence.ts",
    ["tests/long/disputes.test.ts"],
    [["a person's files fill the disk", "+ size > waitingBytesMax", "+ size < 0"]],
  ),
  ...mutantsOf(
    "packages/domain/src/spending/disputes/sendEvidence.ts",
    ["tests/long/disputes.test.ts"],
    [
      [
        "the files of all disputes are in a worker's memory at once",
        "await uploads.take(() => uploadFiles(ctx, dispute, files))",
        "await uploadFiles(ctx, dispute, files)",
      ],
      ["disputes that wait hold every slot of a worker", "waitingMax: 3 }", "waitingMax: 99 }"],
      ["a dispute that was submitted twice is a warning", 'if (present.status === "unsubmitted")', "if (true)"],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/spending/disputeEvidence.ts",
    ["tests/long/disputes.test.ts"],
    [["a file that was replaced is deleted unsent", "and(isAt(key), eq(sealedTag, handedTag))", "isAt(key)"]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/core/personalData/personalData.ts",
    ["tests/long/disputes.test.ts"],
    [
      [
        "a copy of a person's data reads whole files",
        "filter(([name]) => !secret.includes(name))",
        "filter(() => true)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/askInstitution.ts",
    ["tests/long/kyc-provider.test.ts"],
    [
      [
        "one person's IBAN uses up the identity provider",
        "await ctx.rateLimits.take(ctx.policy.quotas.kyc, row.userId);",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/requestIban.ts",
    ["tests/long/kyc-provider.test.ts"],
    [["requests of one person ask the partners at once", "askInstitution(openOnce(", "askInstitution(openProfile("]],
  ),
  ...mutantsOf(
    "packages/domain/src/users/ibans/openIban.ts",
    ["tests/long/kyc-provider.test.ts"],
    [["an IBAN fails where its person asks too often", `error.code === "request.rate_limited"`, "false"]],
  ),
  ...mutantsOf(
    "apps/server/src/trpc.ts",
    ["tests/api/unproven-requests.test.ts"],
    [
      [
        "a stranger's slow body holds up all strangers",
        "const body = await readText(caller, operationsOf);\n      const run = () => answer(caller, procedure, body, headers);",
        "const run = async () => answer(caller, procedure, await readText(caller, operationsOf), headers);",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/cards/cardRules/liveRules.ts",
    ["tests/long/partner-rule-bounds.test.ts"],
    [["any partner's rule raises every stamp", "name = 'partner:' || ${partnerId}", "name like 'partner:%'"]],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/executors/decideApproval.ts",
    ["tests/api/operator-approvals.test.ts"],
    [
      ["a machine's user approves", 'actor.proof !== "oidc" || askedProof', "askedProof"],
      ["a dismissed operator's request is run", "!hasRole(present, verb)", "false"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/operators/approvals/requireApproval.ts",
    ["tests/api/operator-approvals.test.ts"],
    [
      ["a machine's user asks", 'if (ctx.actor.proof !== "oidc")', "if (false)"],
      ["a sealed address stays in the action log", "...withoutSealed(input)", "...input"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/cards/operatorWalletTokens.ts",
    ["tests/long/support.test.ts"],
    [["the issuer moves a wallet token without a record", "await ctx.act(", "if (false) await ctx.act("]],
  ),
  ...mutantsOf(
    "packages/domain/src/operators/idempotency/actOnce.ts",
    ["tests/api/operator-approvals.test.ts"],
    [["a key forgets its request for a second person", "verb !== expected && !isRequest", "verb !== expected"]],
  ),
  ...mutantsOf(
    "packages/domain/src/operators/idempotency/actOnce.ts",
    ["tests/api/operator-api.test.ts"],
    [["a repeated act that makes a row answers none", "{ subjectId: subject.id }", "{}"]],
  ),
  ...mutantsOf(
    "apps/server/src/operator/access/signIn.ts",
    ["tests/long/operator-sign-in.test.ts"],
    [
      [
        "a made-up cookie has quotas of its own",
        "sessionId === null ? networkOf(request)",
        "secret === null ? networkOf(request)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/operators/operatorSessions/sessions.ts",
    ["tests/long/operator-sign-in.test.ts"],
    [
      ["a program counts as a person", 'proof: via === "api" ? "machine" : proof', "proof"],
      ["a program's session outlives its token", "proof.grant.expiresInSeconds * 1000", "Number.POSITIVE_INFINITY"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/operators/operatorSessions/refreshSession.ts",
    ["tests/long/operator-sign-in.test.ts"],
    [["a dismissed person goes on in another session", "if (issuer !== null) await makeRefreshesDue(", "void ("]],
  ),
  ...mutantsOf(
    "packages/domain/src/operators/operatorSessions/findOperator.ts",
    ["tests/long/operator-sign-in.test.ts"],
    [
      [
        "a session that was read before the refusal answers for a dismissed person",
        "const [session] = await listOpenSessionsOf(db, { issuer, subject }, now);",
        "const session = (await listOpenSessionsOf(db, { issuer, subject }, now)).at(-1);",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/providers/src/openid/signedToken.ts",
    ["tests/long/operator-sign-in.test.ts"],
    [["any issuer's tokens count", "...options, issuer,", "...options,"]],
  ),
  ...mutantsOf(
    "packages/providers/src/openid/accessToken.ts",
    ["tests/long/operator-sign-in.test.ts"],
    [
      ["an ID token opens the operator's API", 'typ: "at+jwt", ', ""],
      ["a token for another service opens the operator's API", "{ audience, typ", "{ typ"],
    ],
  ),
  ...mutantsOf(
    "apps/cli/src/remote.ts",
    ["tests/api/operator-api.test.ts"],
    [
      [
        "the key that everybody knows is sent to any server",
        "knownKey !== null && isLoopback(new URL(server).hostname)",
        "knownKey !== null",
      ],
    ],
  ),
  ...mutantsOf(
    "apps/cli/src/remote.ts",
    ["tests/long/operator-sign-in.test.ts"],
    [["a sign-out leaves the known key", "if (isSignedOut(place))", "if (isSignedOut(place) && knownKey === null)"]],
  ),
  ...mutantsOf(
    "apps/cli/src/mcp/deskTools.ts",
    ["tests/long/operator-roles.test.ts"],
    [
      [
        "an assistant sees acts of other roles",
        "!isForPeople(act) && hasRole(operator, act.verb)",
        "!isForPeople(act)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/runtime/src/settings.ts",
    ["tests/long/programs.test.ts"],
    [["a misspelt environment is migrated", "{ NODE_ENV: processEnvironment.NODE_ENV, ...", "{ ..."]],
  ),
  ...mutantsOf(
    "packages/desk/src/isForPeople.ts",
    ["tests/long/assistant.test.ts"],
    [
      [
        "an assistant opens a way out for money",
        `  "treasury.allow",
  "treasury.approve",
`,
        "",
      ],
    ],
  ),
  ...mutantsOf(
    "apps/cli/src/mcp/operationTools.ts",
    ["tests/long/assistant.test.ts"],
    [
      ["an assistant reads the payer's name", `name === "name" ? "person" : around`, "around"],
      ["an assistant reads the name of a statement's holder", "Name|holder|", "Name|"],
      [
        "the words of an entry name the payer",
        `beside.counterpart !== null) return "person"`,
        `beside.counterpart !== null) return "stranger"`,
      ],
      [
        "a statement is shown in a form that is not marked",
        'throw new CommandError("The answer is no JSON',
        'return text; throw new CommandError("The answer is no JSON',
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/users/listUsers.ts",
    ["tests/long/operator-roles.test.ts"],
    [["a viewer reads people's names over the API", ": { ...user, ...hiddenPerson }", ": user"]],
  ),
  ...mutantsOf(
    "packages/desk/src/isForPeople.ts",
    ["tests/long/operator-roles.test.ts"],
    [
      ["an assistant gets a file of people's data", " || file !== undefined", ""],
      ["an assistant erases a person", '  "users.erase",\n', ""],
    ],
  ),
  ...mutantsOf(
    "packages/desk/src/isForPeople.ts",
    ["tests/long/assistant.test.ts"],
    [
      ["an assistant approves", 'verb.startsWith("approvals.") || ', ""],
      ["an assistant gets a partner's keys", " || showsSecret === true", ""],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/partners/deliveries/restoredFeed.ts",
    ["tests/long/restored-database.test.ts", "tests/long/many-rows.test.ts"],
    [
      ["a subscription's numbers go on without a gap", "p.sequence_gaps + is_gap::int", "p.sequence_gaps"],
      ["a feed's numbers go on without a gap", "case when is_gap then ${gapPositions} else 0 end", "0"],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/serviceRole.ts",
    ["tests/regression/service-role.test.ts"],
    [
      [
        "servers may rewrite the ledger",
        'ledger_entries: "select, insert"',
        'ledger_entries: "select, insert, update, delete"',
      ],
      ["a right that was given by hand stays", 'await grantRows(tx, "public", role);', ""],
      ["a sealed day is given another date", ' ("after", postings, lines, roots, closed_at)', ""],
      ["the log's end is taken away", "update (sequence, hash)", "update"],
      ["a thread is forgotten", 'card_threads: "select, insert"', 'card_threads: "select, insert, update, delete"'],
      ["a nonce is free again", 'relay_nonces: "select, insert"', 'relay_nonces: "select, insert, update, delete"'],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/operators/actionLists.ts",
    ["tests/api/operator-actions.test.ts"],
    [
      [
        "a second action of a number stays hidden where a batch ends",
        "(${sequence}, ${id}) > (${end.sequence}, ${end.id})",
        "${sequence} > ${end.sequence}",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/core/accessTokens/removedWallets.ts",
    ["tests/long/sign-in-wallets.test.ts"],
    [
      ["a removed wallet's token works again at its end", " + machineSkewMs", ""],
      ["a removal is never learnt that is committed late", "found.oldestStartMs ?? Number", "Number"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/cards/cards/applyIssuerCallback.ts",
    ["tests/long/issuer-events.test.ts"],
    [
      [
        "a late callback leaves an unfrozen card inactive at the issuer",
        "{ issuerCallEndsAt: work.now }",
        `{ issuerSyncedStatus: "active" }`,
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/users/signInWallets/changeWalletsFor.ts",
    ["tests/api/operator-approvals.test.ts"],
    [
      [
        "a wallet that operators ask for outlives the person's key",
        "const secrets = await openPersonKey(ctx, work, userId);",
        "const { secrets } = ctx;",
      ],
    ],
  ),
];
