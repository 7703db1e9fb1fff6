/** What a partner may do with its card rules to itself, and what it cannot do to others. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { fail } from "@cardkeep/contract/core/errors";
import { rulesPerSubjectMax, versionsPerRuleMax } from "@cardkeep/contract/core/ruleErrors";
import { findSpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import { cardRules, cards, users } from "@cardkeep/db/schema/tables";
import { eq, sql } from "drizzle-orm";
import { becomeEligible, createVirtual } from "../support/cards.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";
import { registerPartner } from "../support/webhooks.ts";

const changesPerMinute = 20;
const definition = { conditions: [{ type: "mcc", operator: "in", values: ["5691"] }] };

const open = async (name: string) =>
  Object.assign(new Person(service), { token: (await registerPartner(ada, name)).apiKey });

let service: Service;
let ada: Person;
let shop: Person;
let rival: Person;
let userId: string;
let cardId: string;
beforeAll(async () => {
  service = await startService({ env: { RULE_CHANGES_PER_MINUTE: String(changesPerMinute) } });
  ada = await becomeEligible(new Person(service));
  cardId = await createVirtual(ada);
  [shop, rival] = [await open("shop"), await open("rival")];
  userId = ada.userId ?? "";
  await service.runtime.db.update(users).set({ partnerId: "shop" }).where(eq(users.id, userId));
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.runtime.db.delete(cardRules);
  await shop.sandbox("POST", "/chain/advance", { seconds: 61 });
});

const make = async (partner: Person, fields: object = {}, headers: Record<string, string> = {}) =>
  partner.call("POST", "/partners/card-rules", { scope: "partner", name: "None", definition, ...fields }, headers);
const setState = (partner: Person, id: string, state: string) =>
  partner.call("POST", `/partners/card-rules/${id}/versions/1/state`, { state });
const countRules = async () => (await service.runtime.db.select({ id: cardRules.id }).from(cardRules)).length;

/** What decisions about the card compare, and the compiled rules that they keep. */
async function readShared() {
  const { db, services } = service.runtime;
  const [row] = await db.select().from(cards).where(eq(cards.id, cardId));
  const card = (await findSpendingCard(db, row?.cardToken ?? "")) ?? fail("server.internal");
  return { stamp: card.sharedRuleStamp, rules: await services.sharedRules.list(card.sharedRuleStamp, "shop") };
}

test("a partner's change concerns no decision about another partner's card", async () => {
  const before = await readShared();
  const made = (await make(rival)).body;
  for (const state of ["ACTIVE", "SHADOW", "INACTIVE"])
    expect((await setState(rival, made.id, state)).status).toBe(200);
  await rival.call("DELETE", `/partners/card-rules/${made.id}`);
  const after = await readShared();
  expect(after.stamp).toBe(before.stamp);
  expect(after.rules).toBe(before.rules);
});

test("a partner's own change is seen by the next decision, and a draft changes nothing", async () => {
  const before = await readShared();
  const made = (await make(shop)).body;
  expect((await readShared()).rules).toBe(before.rules);
  await setState(shop, made.id, "ACTIVE");
  const active = await readShared();
  expect(active.stamp).not.toBe(before.stamp);
  expect(active.rules.map(({ ruleId }) => ruleId)).toEqual([made.id]);
  expect((await shop.call("DELETE", `/partners/card-rules/${made.id}`)).body).toEqual({ id: made.id });
  expect((await readShared()).rules).toEqual([]);
  expect((await shop.call("GET", `/partners/card-rules/${made.id}`)).status).toBe(404);
});

test("a partner deletes its own rules alone", async () => {
  const made = (await make(shop)).body;
  expect((await rival.call("DELETE", `/partners/card-rules/${made.id}`)).status).toBe(404);
  expect((await shop.call("GET", `/partners/card-rules/${made.id}`)).status).toBe(200);
});

/** What a bound leaves after rows that are copied. */
const left = 3;
/** Gives a rule copies of its first version, none of which decides. */
const copyVersions = (ruleId: string, upTo: number) =>
  service.runtime.db.execute(sql`insert into card_rule_versions
    select (jsonb_populate_record(v, jsonb_build_object('version', n, 'state', 'INACTIVE'))).*
    from card_rule_versions v, generate_series(2, ${upTo}::int) n where rule_id = ${ruleId} and version = 1`);

test("rules about one subject, and versions of one rule, have a bound, also for many requests at once", async () => {
  const { id } = (await make(shop)).body;
  await service.runtime.db.execute(sql`insert into card_rules
    select (jsonb_populate_record(r, jsonb_build_object('id', 'copy-' || n))).*
    from card_rules r, generate_series(2, ${rulesPerSubjectMax - left}::int) n`);
  const made = await Promise.all(Array.from({ length: left + 5 }, () => make(shop)));
  const refused = made.filter(({ status }) => status === 409);
  expect(refused).toHaveLength(5);
  expect(refused[0]?.headers.get("x-error-code")).toBe("rules.too_many");
  expect(await countRules()).toBe(rulesPerSubjectMax);
  expect((await make(shop, { scope: "user", subjectId: userId })).status).toBe(201);
  await copyVersions(id, versionsPerRuleMax - left);
  const add = () => shop.call("POST", `/partners/card-rules/${id}/versions`, { definition });
  const added = await Promise.all(Array.from({ length: left + 2 }, add));
  expect(added.filter(({ status }) => status === 201)).toHaveLength(left);
  expect(added.find(({ status }) => status === 409)?.headers.get("x-error-code")).toBe("rules.too_many_versions");
});

test("a cardholder changes controls as often as wanted, and keeps as many versions of a rule", async () => {
  const { db } = service.runtime;
  const controls = (await ada.call("GET", `/cards/${cardId}/controls`)).body;
  const change = async (category: string) => {
    const changed = { ...controls, blockedCategories: [category] };
    expect((await ada.call("PUT", `/cards/${cardId}/controls`, changed)).status).toBe(200);
  };
  await change("7995");
  const [rule] = await db.select().from(cardRules);
  await copyVersions(rule?.id ?? "", versionsPerRuleMax - left);
  for (let turn = 0; turn < left + 3; turn++) await change(turn % 2 === 0 ? "5813" : "7995");
  const [kept] = await db.execute<{ versions: number; newest: number }>(sql`
    select count(*)::int as versions, max(version) as newest from card_rule_versions`);
  expect(kept).toEqual({ versions: versionsPerRuleMax, newest: versionsPerRuleMax + 3 });
});

test("a request with an idempotency key is carried out once", async () => {
  const key = { "Idempotency-Key": "rule-1" };
  const [first, again] = [await make(shop, {}, key), await make(shop, {}, key)];
  expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
  expect(await countRules()).toBe(1);
  expect((await make(shop, { name: "Another" }, key)).headers.get("x-error-code")).toBe("idempotency.mismatch");
  expect((await make(rival, {}, key)).body.id).not.toBe(first.body.id);
  const path = `/partners/card-rules/${first.body.id}/versions`;
  const added = await Promise.all(
    [1, 2, 3].map(() => shop.call("POST", path, { definition }, { "Idempotency-Key": "v" })),
  );
  expect(added.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  expect((await shop.call("GET", `/partners/card-rules/${first.body.id}`)).body.versions).toHaveLength(2);
});

test("a partner runs one back-test at a time, and another partner's waits for none of its own", async () => {
  const [made, others] = [(await make(shop)).body, (await make(rival)).body];
  const run = (partner: Person, { id }: { id: string }) =>
    partner.call("POST", `/partners/card-rules/${id}/versions/1/backtest`, {});
  const place = service.runtime.services.backtests.enter("shop");
  expect("fault" in place).toBe(false);
  const refused = await run(shop, made);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await run(rival, others)).status).toBe(200);
  if ("leave" in place) place.leave();
  expect((await run(shop, made)).status).toBe(200);
  expect((await run(shop, made)).status).toBe(200);
});

test("changes of one partner have a quota, which counts no other partner", async () => {
  // Tests before this one used a part of the other partners' quotas.
  const busy = await open("busy");
  const made = (await make(busy)).body;
  // All change one row, and many more at once would wait for it beyond a request's time.
  const states = Array.from({ length: changesPerMinute + 10 }, (_, turn) => (turn % 2 ? "ACTIVE" : "SHADOW"));
  const answers = await Promise.all(states.map((state) => setState(busy, made.id, state)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(changesPerMinute - 1);
  expect(answers.find(({ status }) => status === 429)?.headers.get("ratelimit-policy")).toBe(
    `"rule-changes";q=${changesPerMinute};w=60`,
  );
  expect((await make(rival)).status).toBe(201);
});
