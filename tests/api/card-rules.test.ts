import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { RuleCondition, RuleState } from "@cardkeep/contract/cards/cardRules";
import { cardDecisions, cardPayments, cardRuleHits, cardRules, cards, users } from "@cardkeep/db/schema/tables";
import {
  lockAnyRule,
  type NewRule,
  writeRule,
  writeState,
  writeVersion,
} from "@cardkeep/domain/cards/ruleChanges/writeRule";
import { createContext } from "@cardkeep/domain/core/context";
import { authorize } from "@cardkeep/domain/spending/decision/authorize";
import { eq, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askCli } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import { retry, until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder, euro, isInTime } from "../support/spending.ts";
import { registerPartner, subscribe } from "../support/webhooks.ts";

let service: Service;
let ada: CardHolder;
/** Another Safe and card of the same user. */
let other: CardHolder;

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const openContext = () => createContext(service.runtime.services, { log: quiet, requestId: "test" });

beforeAll(async () => {
  // A decision that comes too late is refused, and counts for rules nevertheless until the issuer reports its end.
  service = await startService();
  [ada, other] = await Promise.all([becomeCardHolder(service, 500n * euro), becomeCardHolder(service, 500n * euro)]);
});
afterAll(() => service.stop());
beforeEach(async () => {
  const { db } = service.runtime;
  const ctx = openContext();
  for (const { id } of await db.select({ id: cardRules.id }).from(cardRules)) {
    await ctx.commit(async (work) => writeState(work, await lockAnyRule(work, id), { version: 1, state: "INACTIVE" }));
  }
});

const programme = { scope: "programme", subjectId: null, userId: null, owner: "operator", ownerId: null } as const;
const write = (conditions: RuleCondition[], given: Partial<NewRule> = {}) =>
  openContext().commit((work) =>
    writeRule(work, { ...programme, name: "A rule", definition: { conditions }, state: "ACTIVE", ...given }),
  );
const setState = (id: string, version: number, state: RuleState) =>
  openContext().commit(async (work) => writeState(work, await lockAnyRule(work, id), { version, state }));

const newThread = () => ({ threadId: `iauth_${randomUUID()}`, ordinal: 0 });
const decideOnce = (
  { cardToken: issuerCardId }: CardHolder,
  amountCents: bigint,
  { mcc, threadId, ordinal }: { mcc: string; threadId: string; ordinal: number },
) =>
  authorize(openContext(), {
    threadId,
    ordinal,
    issuerCardId,
    amountCents,
    currency: "EUR",
    merchantMinor: amountCents,
    merchantCurrency: "EUR",
    merchant: { networkId: "1", name: "Shop", city: "Berlin", country: "DE", mcc },
    transactionType: "00",
    channel: "online",
    isAmountControllable: false,
    feeCents: 0n,
    cashbackCents: 0n,
    verification: { walletTokenId: null, threeDSecure: null, authenticationExemption: null },
    hasWrongSecurityCode: false,
  });
/** Decides about a use of its own, in time. */
const decide = (holder: CardHolder, amountCents: bigint, mcc = "5411") =>
  retry(() => decideOnce(holder, amountCents, { mcc, ...newThread() }), isInTime);
const reasonsOf = async (uses: Promise<{ reason: string }>[]) => (await Promise.all(uses)).map(({ reason }) => reason);
const hitsOf = (ruleId: string) =>
  service.runtime.db.select().from(cardRuleHits).where(eq(cardRuleHits.ruleId, ruleId));

const isAuthorized = ({ status }: { status: string }) => status === "AUTHORIZED";

test("a rule declines from its change on, and is named with the payment", async () => {
  const { rule } = await write([{ type: "mcc", operator: "in", values: ["7800-7999"] }]);
  expect(await reasonsOf([decide(ada, 100n, "7995"), decide(ada, 100n)])).toEqual(["category_blocked", "approved"]);
  const [hit, ...further] = await hitsOf(rule.id);
  expect(further).toEqual([]);
  expect(hit).toMatchObject({ version: 1, state: "ACTIVE", reason: "category_blocked", amountCents: 100n });
  const [payment] = await service.runtime.db
    .select()
    .from(cardPayments)
    .where(eq(cardPayments.id, hit?.paymentId ?? ""));
  expect(payment).toMatchObject({ status: "DECLINED", declineReason: "category_blocked", channel: "online" });
  await setState(rule.id, 1, "INACTIVE");
  expect(await reasonsOf([decide(ada, 100n, "7995")])).toEqual(["approved"]);
});

test("SHADOW records what it would decline, and declines nothing", async () => {
  const { rule } = await write([{ type: "amount", operator: "above", cents: 0 }], { state: "SHADOW" });
  const { rule: counting } = await write([{ type: "count", window: "always", per: "card", above: 0 }], {
    state: "SHADOW",
  });
  expect(await reasonsOf([decide(ada, 100n)])).toEqual(["approved"]);
  for (const { id } of [rule, counting]) expect(await hitsOf(id)).toMatchObject([{ state: "SHADOW" }]);
});

test("a new version decides from its activation on, and the former one no more", async () => {
  const { rule } = await write([{ type: "mcc", operator: "in", values: ["7995"] }]);
  await openContext().commit(async (work) =>
    writeVersion(work, await lockAnyRule(work, rule.id), {
      conditions: [{ type: "mcc", operator: "in", values: ["5411"] }],
    }),
  );
  const use = () => reasonsOf([decide(ada, 100n, "7995"), decide(ada, 100n, "5411")]);
  expect(await use()).toEqual(["category_blocked", "approved"]);
  await setState(rule.id, 2, "ACTIVE");
  expect(await use()).toEqual(["approved", "category_blocked"]);
  await setState(rule.id, 2, "INACTIVE");
  expect(await use()).toEqual(["approved", "approved"]);
});

test("an increment counts as one payment with the grown amount", async () => {
  await write([
    { type: "mcc", operator: "in", values: ["7011"] },
    { type: "count", window: "day", per: "card", above: 1 },
  ]);
  await write([
    { type: "mcc", operator: "in", values: ["7011"] },
    { type: "sum", window: "day", per: "card", aboveCents: 500 },
  ]);
  let thread = newThread();
  const use = (amountCents: bigint) => decideOnce(ada, amountCents, { mcc: "7011", ...thread });
  const open = (amountCents: bigint) => {
    thread = newThread();
    return use(amountCents);
  };
  const grow = (amountCents: bigint) => {
    thread.ordinal++;
    return use(amountCents);
  };
  const answers = [
    await retry(() => open(200n), isInTime),
    await retry(() => grow(300n), isInTime),
    await retry(() => grow(1n), isInTime),
  ];
  expect(answers.map(({ reason }) => reason)).toEqual(["approved", "approved", "sum_exceeded"]);
  expect((await decide(ada, 100n, "7011")).reason).toBe("count_exceeded");
});

test("a day's sum counts an increment on its own day, and not what its payment held before", async () => {
  const isHotel: RuleCondition = { type: "mcc", operator: "in", values: ["7012"] };
  await write([isHotel, { type: "sum", window: "day", per: "card", aboveCents: 200 }]);
  const holdSinceYesterday = async (amountCents: bigint) => {
    const thread = newThread();
    const { reason } = await retry(() => decideOnce(ada, amountCents, { mcc: "7012", ...thread }), isInTime);
    expect(reason).toBe("approved");
    const { db } = service.runtime;
    const yesterday = (column: PgColumn) => ({ createdAt: sql`${column} - interval '1 day'` });
    const ofThread = eq(cardPayments.threadId, thread.threadId);
    const [payment] = await db.update(cardPayments).set(yesterday(cardPayments.createdAt)).where(ofThread).returning();
    await db
      .update(cardDecisions)
      .set(yesterday(cardDecisions.createdAt))
      .where(eq(cardDecisions.paymentId, payment?.id ?? ""));
    return (cents: bigint) => {
      thread.ordinal++;
      return retry(() => decideOnce(ada, cents, { mcc: "7012", ...thread }), isInTime);
    };
  };
  const grow = await holdSinceYesterday(150n);
  const growOther = await holdSinceYesterday(1n);
  const answers = [await grow(100n), await growOther(99n), await grow(2n)];
  answers.push(await decide(ada, 2n, "7012"), await decide(ada, 1n, "7012"), await growOther(1n));
  const [yes, no] = ["approved", "sum_exceeded"];
  expect(answers.map(({ reason }) => reason)).toEqual([yes, yes, no, no, yes, no]);
});

describe("uses at once", () => {
  test("of one card never exceed its sum", async () => {
    const { db } = service.runtime;
    const [card] = await db.select().from(cards).where(eq(cards.cardToken, ada.cardToken));
    if (!card) throw new Error("There is no card");
    const spent = await db.select().from(cardPayments).where(eq(cardPayments.cardId, card.id));
    const before = spent.filter(isAuthorized).reduce((sum, { authorizedCents }) => sum + authorizedCents, 0n);
    await write([{ type: "sum", window: "always", per: "card", aboveCents: Number(before) + 3_000 }], {
      scope: "card",
      subjectId: card.id,
      userId: card.userId,
    });
    const countApproved = async () => {
      const rows = await db.select().from(cardPayments).where(eq(cardPayments.cardId, card.id));
      return rows.filter(isAuthorized).length - spent.filter(isAuthorized).length;
    };
    await Promise.all(Array.from({ length: 6 }, () => decide(ada, 1_000n)));
    expect(await countApproved()).toBeLessThanOrEqual(3);
    await until(async () => (await decide(ada, 1_000n)).reason === "sum_exceeded");
    expect(await countApproved()).toBe(3);
    expect(await reasonsOf([decide(other, 1_000n)])).toEqual(["approved"]);
  });

  test("through two Safes of one user never exceed the user's count", async () => {
    const { db } = service.runtime;
    const [card] = await db.select().from(cards).where(eq(cards.cardToken, ada.cardToken));
    const userId = card?.userId ?? "";
    await db.update(cards).set({ userId }).where(eq(cards.cardToken, other.cardToken));
    const counted = { type: "mcc", operator: "in", values: ["5812"] } as const;
    await write(
      [
        { ...counted, values: [...counted.values] },
        { type: "count", window: "day", per: "user", above: 2 },
      ],
      {
        scope: "user",
        subjectId: userId,
        userId,
      },
    );
    const uses = Array.from({ length: 8 }, (_, index) => decide(index % 2 === 0 ? ada : other, 100n, "5812"));
    await Promise.all(uses);
    const countApproved = async () =>
      (await db.select().from(cardPayments).where(eq(cardPayments.mcc, "5812"))).filter(isAuthorized).length;
    // A busy machine decides some of them too late, and so not at all.
    expect(await countApproved()).toBeLessThanOrEqual(2);
    await until(async () => (await decide(other, 100n, "5812")).reason === "count_exceeded");
    expect(await countApproved()).toBe(2);
  });
});

describe("an operator", () => {
  const cli = <T = unknown>(...words: string[]) => askCli<T>(service, ...words);
  const folder = mkdtempSync(join(tmpdir(), "rules-"));
  const file = (name: string, conditions: unknown[]) => {
    writeFileSync(join(folder, name), JSON.stringify({ conditions }));
    return join(folder, name);
  };
  afterAll(() => rmSync(folder, { recursive: true }));

  test("makes a rule, tries it on past payments, lets it decline and ends it", async () => {
    const one = file("one.json", [{ type: "mcc", operator: "in", values: ["5999"] }]);
    await reasonsOf([decide(ada, 700n, "5999"), decide(ada, 300n, "5999")]);
    const { rule } = await cli<{ rule: { id: string } }>("rules", "create", one, "--name", "No shops");
    const tried = await cli<Record<string, unknown>>("rules", "backtest", rule.id, "1", "--days", "1");
    expect(tried).toMatchObject({ declined: 2, isComplete: true, reason: "category_blocked" });
    expect(tried["declinedAmounts"]).toEqual([{ currency: "EUR", cents: "1000" }]);
    expect(tried["samples"]).toHaveLength(2);
    await cli("rules", "activate", rule.id, "1");
    expect(await reasonsOf([decide(ada, 100n, "5999")])).toEqual(["category_blocked"]);
    await cli("rules", "draft", rule.id, one);
    await cli("rules", "activate", rule.id, "2");
    const shown = await cli<{ versions: { state: string }[]; hits: object[] }>("rules", "show", rule.id);
    expect(shown.versions.map(({ state }) => state)).toEqual(["INACTIVE", "ACTIVE"]);
    expect(shown.hits).toMatchObject([{ state: "ACTIVE", version: 1 }]);
    await cli("rules", "deactivate", rule.id, "2");
    expect(await reasonsOf([decide(ada, 100n, "5999")])).toEqual(["approved"]);
    const actions = await cli<{ verb: string }[]>("actions", "list", "--subject", rule.id);
    expect(actions.map(({ verb }) => verb)).toEqual([
      "rules.deactivate",
      "rules.activate",
      "rules.draft",
      "rules.activate",
      "rules.create",
    ]);
  });
});

describe("a partner", () => {
  const definition = { conditions: [{ type: "mcc", operator: "in", values: ["5691"] }] };
  let shop: Person;
  let rival: Person;
  let userId: string;
  beforeAll(async () => {
    const [ofShop, ofRival] = [await registerPartner(ada.person, "shop"), await registerPartner(ada.person, "rival")];
    [shop, rival] = [new Person(service), new Person(service)];
    [shop.token, rival.token] = [ofShop.apiKey, ofRival.apiKey];
    const { db } = service.runtime;
    const [card] = await db.select().from(cards).where(eq(cards.cardToken, ada.cardToken));
    userId = card?.userId ?? "";
    await db.update(users).set({ partnerId: "shop" }).where(eq(users.id, userId));
  });

  test("makes rules about its own users and their cards, which decline the same users alone", async () => {
    const made = await shop.call("POST", "/partners/card-rules", { scope: "partner", name: "No clothes", definition });
    expect(made).toMatchObject({
      status: 201,
      body: { scope: "partner", versions: [{ version: 1, state: "INACTIVE" }] },
    });
    const path = `/partners/card-rules/${made.body.id}`;
    expect(await reasonsOf([decide(ada, 100n, "5691")])).toEqual(["approved"]);
    const tried = async () => (await shop.call("POST", `${path}/versions/1/backtest`, {})).body;
    // Figures of one user who let it receive nothing would name each payment.
    const none = { isComplete: true, payments: 0, declined: 0, declinedAmounts: [], samples: [] };
    expect(await tried()).toMatchObject(none);
    await subscribe(ada.person, "shop");
    expect(await tried()).toMatchObject({ isComplete: true, declined: 1, samples: [{ userId }] });
    expect((await ada.person.call("DELETE", "/webhooks/subscription/shop")).status).toBe(200);
    expect(await tried()).toMatchObject(none);
    expect((await shop.call("POST", `${path}/versions/1/state`, { state: "ACTIVE" })).status).toBe(200);
    expect(await reasonsOf([decide(ada, 100n, "5691")])).toEqual(["category_blocked"]);
    await service.runtime.db.update(users).set({ partnerId: "rival" }).where(eq(users.id, userId));
    expect(await reasonsOf([decide(ada, 100n, "5691")])).toEqual(["approved"]);
    await service.runtime.db.update(users).set({ partnerId: "shop" }).where(eq(users.id, userId));
    const added = await shop.call("POST", `${path}/versions`, { definition });
    expect(added.body.versions.map(({ state }: { state: string }) => state)).toEqual(["ACTIVE", "INACTIVE"]);
    expect((await shop.call("GET", "/partners/card-rules")).body.rules).toHaveLength(1);
  });

  test("finds neither users, cards nor rules of others", async () => {
    const [card] = await service.runtime.db.select().from(cards).where(eq(cards.cardToken, ada.cardToken));
    const of = (scope: string, subjectId: string) => ({ scope, subjectId, name: "Mine", definition });
    const subjects = [of("user", userId), of("card", card?.id ?? "")];
    const made = await Promise.all(subjects.map((body) => shop.call("POST", "/partners/card-rules", body)));
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    const own = made[0]?.body.id;
    // Figures of one user who let it receive nothing would tell each payment.
    for (const { body } of filled(made)) {
      const tried = await shop.call("POST", `/partners/card-rules/${body.id}/versions/1/backtest`, {});
      expect([tried.status, tried.headers.get("x-error-code")]).toEqual([403, "rules.not_subscribed"]);
    }
    const operators = await write([{ type: "amount", operator: "below", cents: 0 }]);
    const asked = [
      ...subjects.map((body) => rival.call("POST", "/partners/card-rules", body)),
      ...[own, operators.rule.id, "unknown"].flatMap((id) => [
        rival.call("GET", `/partners/card-rules/${id}`),
        rival.call("POST", `/partners/card-rules/${id}/versions`, { definition }),
        rival.call("POST", `/partners/card-rules/${id}/versions/1/state`, { state: "ACTIVE" }),
        rival.call("POST", `/partners/card-rules/${id}/versions/1/backtest`, {}),
      ]),
      shop.call("POST", `/partners/card-rules/${own}/versions/2/state`, { state: "ACTIVE" }),
    ];
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([404]));
    expect((await rival.call("GET", "/partners/card-rules")).body).toEqual({ rules: [] });
    expect((await ada.person.call("GET", "/partners/card-rules")).status).toBe(401);
    const wrong = await shop.call("POST", "/partners/card-rules", {
      ...of("user", userId),
      definition: { conditions: [] },
    });
    expect(wrong.status).toBe(422);
  });
});
