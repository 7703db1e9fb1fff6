/** What support does for a holder: cards by CLI and page, each with a reason, an action and a mail to the holder. */
import { beforeAll, describe, expect, test } from "bun:test";
import { CardkeepError } from "@cardkeep/contract/core/errors";
import {
  cardCases,
  cardIssues,
  cardPayments,
  liveTransfers,
  operatorActions,
  orders,
  safes,
  unmatchedThreads,
  userMessages,
  users,
} from "@cardkeep/db/schema/tables";
import { getCardDetails } from "@cardkeep/domain/cards/cards/listAllCards";
import { mailSupportAct } from "@cardkeep/domain/cards/cards/mailSupportAct";
import { moveAnyWalletToken } from "@cardkeep/domain/cards/cards/operatorWalletTokens";
import { getPaymentDetails } from "@cardkeep/domain/spending/payments/listAllPayments";
import { development } from "@cardkeep/runtime/development";
import { tokens } from "@cardkeep/chain/tokens";
import { type OperatorRole, sandboxOperator } from "@cardkeep/domain/core/actor";
import { hasRole } from "@cardkeep/domain/core/operators/requireRole";
import type { OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import { buildReissueKey } from "@cardkeep/db/queries/cards/issues";
import { listMessages } from "@cardkeep/db/queries/users/messages";
import { deskNouns } from "@cardkeep/desk/nouns";
import { cases } from "@cardkeep/desk/nouns/cases";
import { createVerbSource } from "@cardkeep/desk/source";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import { ApprovalNeeded } from "@cardkeep/domain/operators/approvals/requireApproval";
import { listDecisionHours } from "@cardkeep/domain/operations/health/listDecisionHours";
import { languageOf } from "@cardkeep/domain/core/messages/composeMessage";
import { describeMessage } from "@cardkeep/domain/users/messages/describeMessage";
import { formatJson } from "@cardkeep/domain/core/wording";
import { openCase } from "@cardkeep/domain/core/openCase";
import { reportAlerts, sendAlerts } from "@cardkeep/domain/operations/alerts/reportAlerts";
import { and, eq, sql } from "drizzle-orm";
import { runCliOn } from "../support/cli.ts";
import { createPhysical } from "../support/cards.ts";
import { holdJob } from "../support/jobs.ts";
import { operatorOf } from "../support/operator.ts";
import { signInWithKey } from "../support/operatorPages.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";
import { createWorkerContext } from "../support/workerContext.ts";
import { becomeCardHolder, type CardHolder, euro, follow, untilSettled, use, useOnce } from "../support/spending.ts";

let service: RunningService;
let ada: CardHolder;
let cardId: string;
beforeAll(async () => {
  service = await shareService();
  ada = await becomeCardHolder(service);
  await markProven(ada);
  cardId = (await ada.person.call("GET", "/cards")).body[0].id;
});

const cli = (...words: string[]) => runCliOn(service.runtime, ...words);
const act = (verb: string, id: string, ...more: string[]) => cli("cards", verb, id, "--reason", "call 4711", ...more);
const cardsOf = async () => (await ada.person.call("GET", "/cards")).body;
const isLivePhysical = (card: { virtual: boolean; statusCode: number }) => !card.virtual && card.statusCode === 1000;
const codeOf = async (id: string) => (await ada.person.call("GET", `/cards/${id}/status`)).body.statusCode;
const mails = async () => {
  const { email } = (await ada.person.call("GET", "/user")).body;
  return (await ada.person.sandbox("GET", `/mailbox?to=${encodeURIComponent(email)}`)).body;
};
const mailed = (text: string) =>
  until(async () => (await mails()).some((mail: { text: string }) => mail.text.includes(text)));
/** What was sent to a person, and what waits for the next mail: there is at most one a minute. */
async function listSaid({ person }: CardHolder): Promise<(string | null)[]> {
  const ctx = createWorkerContext(service.runtime);
  const english = languageOf(ctx, { language: "en" });
  const waiting = await listMessages(ctx.db, person.userId ?? "", 10);
  const { email } = (await person.call("GET", "/user")).body;
  const { body } = await person.sandbox("GET", `/mailbox?to=${encodeURIComponent(email)}`);
  const sent = body.map(({ text }: { text: string }) => text);
  const described = waiting.map((message) => describeMessage(ctx, english, message, { isDiscreet: false }));
  return [...sent, ...(await Promise.all(described))];
}
/** An unproven address gets no amount and no merchant. */
const markProven = ({ person: { userId } }: CardHolder, emailProvenAt: Date | null = new Date()) =>
  service.runtime.db
    .update(users)
    .set({ emailProvenAt })
    .where(eq(users.id, userId ?? ""));
const actionsOf = (id: string) =>
  service.runtime.db
    .select()
    .from(operatorActions)
    .where(eq(operatorActions.subjectId, id))
    .orderBy(operatorActions.sequence);

describe("a card of a holder who calls", () => {
  test("declines as soon as support froze it, and spends again after", async () => {
    expect((await act("freeze", cardId)).code).toBe(0);
    expect(await use(ada, 100)).toMatchObject({ approved: false });
    expect(await codeOf(cardId)).toBe(1005);
    await mailed("Support froze your card");
    expect((await act("freeze", cardId)).err).toContain("Invalid card status transition");
    expect((await act("unfreeze", cardId)).code).toBe(0);
    await until(async () => (await use(ada, 100)).approved === true);
    await mailed("Support made your card");
    const [froze, unfroze] = await actionsOf(cardId);
    expect(froze).toMatchObject({ verb: "cards.freeze", reason: "call 4711", before: { status: "Active" } });
    expect(unfroze).toMatchObject({ verb: "cards.unfreeze", after: { status: "Active" } });
  });

  test("is no stranger's to know of: an unproven address gets no digits and no act, and later mails wait", async () => {
    const said: string[] = [];
    const send = async ({ subject, text }: { subject: string; text: string }) => void said.push(subject, text);
    const ctx = { ...createWorkerContext(service.runtime), mailer: { send } };
    await markProven(ada, null);
    try {
      await mailSupportAct(ctx, { cardId });
      await mailSupportAct(ctx, { cardId });
    } finally {
      await markProven(ada);
    }
    expect(said).toHaveLength(2);
    expect(said.join("\n")).toContain("There is news about one of your cards.");
    expect(said.join("\n")).not.toMatch(/ending in|active|Support/);
    const waiting = await service.runtime.db.execute(sql`
      select key from graphile_worker.jobs where key = ${`card.supportMail:${cardId}`} and run_at > now() + interval '5 seconds'`);
    expect(waiting).toHaveLength(1);
  });

  test("is not touched without a reason, nor where there is none", async () => {
    for (const verb of ["freeze", "unfreeze", "lost", "stolen", "reissue"]) {
      expect((await cli("cards", verb, cardId)).err).toContain("needs a reason");
      expect((await act(verb, "none")).err).toContain("Card not found");
    }
    expect(await codeOf(cardId)).toBe(1000);
  });

  test("is replaced by another of its kind once: twenty orders at once make one", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => act("reissue", cardId, "--json")));
    const made = answers.filter(({ code }) => code === 0);
    expect(made).toHaveLength(1);
    expect(JSON.parse(made[0]?.out ?? "")).toMatchObject({ cardId, virtual: true });
    await until(async () => (await cardsOf()).length === 2);
    const [newer, older] = await cardsOf();
    expect([newer.virtual, newer.statusCode, older.statusCode]).toEqual([true, 1000, 1009]);
    await mailed("Another one is on its way");
    expect((await act("reissue", cardId)).err).toContain("This card was replaced before");
    cardId = newer.id;
  });

  test("ends as lost or stolen for good, and can be replaced after", async () => {
    expect((await act("lost", cardId)).code).toBe(0);
    expect((await act("lost", cardId)).err).toContain("Card is already marked as lost");
    expect((await act("unfreeze", cardId)).code).not.toBe(0);
    expect((await act("reissue", cardId)).code).toBe(0);
    await until(async () => (await cardsOf()).length === 3);
    const [newest] = await cardsOf();
    expect((await act("stolen", newest.id)).code).toBe(0);
    expect(await codeOf(newest.id)).toBe(1043);
    expect(await codeOf(cardId)).toBe(1041);
  });

  test("that is physical is made again for the old address, free, and is not activated", async () => {
    const old = (await createPhysical(ada.person))?.id ?? "";
    expect((await act("reissue", old)).code).toBe(0);
    await until(async () => (await cardsOf()).length === 5);
    const [newest] = await cardsOf();
    expect(newest).toMatchObject({ virtual: false, activatedAt: null, statusCode: 1000 });
    const rows = await service.runtime.db
      .select()
      .from(orders)
      .where(eq(orders.userId, ada.person.userId ?? ""));
    const [first, second] = rows.toSorted((a, b) => Number(a.createdAt) - Number(b.createdAt));
    expect(second).toMatchObject({ status: "CARDCREATED", paidAt: null, address1: first?.address1, city: first?.city });
    expect(second?.discountEurCents).toBe(second?.totalEurCents ?? -1n);
  });

  test("that is physical is made again for the verified address once its holder lives in another country", async () => {
    const { db } = service.runtime;
    const userId = ada.person.userId ?? "";
    const ordersOf = () => db.select().from(orders).where(eq(orders.userId, userId)).orderBy(orders.createdAt);
    const [old] = (await cardsOf()).filter(isLivePhysical);
    const sent = (await ordersOf()).at(-1);
    await db
      .update(orders)
      .set({ address1: "1 Rue de Rivoli", city: "Paris", country: "FR" })
      .where(eq(orders.id, sent?.id ?? ""));
    expect(await act("reissue", old.id)).toMatchObject({ code: 0 });
    await until(async () => (await cardsOf()).length === 6);
    const [home] = await db.select().from(users).where(eq(users.id, userId));
    expect((await ordersOf()).at(-1)).toMatchObject({
      status: "CARDCREATED",
      address1: home?.address1 ?? "",
      city: home?.city ?? "",
      country: home?.country ?? "",
    });
  });

  test("is replaced once where its holder took the order of a refused replacement meanwhile", async () => {
    const { db } = service.runtime;
    const [old] = (await cardsOf()).filter(isLivePhysical);
    const before = (await cardsOf()).length;
    expect((await act("reissue", old.id)).code).toBe(0);
    await until(async () => (await cardsOf()).length === before + 1);
    // As where the issuer refused the card, and the holder made it from the order, which was still ready.
    const requestKey = buildReissueKey(old.id);
    await db
      .update(cardIssues)
      .set({ status: "refused", reason: "The issuer was busy" })
      .where(eq(cardIssues.requestKey, requestKey));
    expect((await act("reissue", old.id)).err).toContain("This card was replaced before");
    expect(await cardsOf()).toHaveLength(before + 1);
  });
});

test("a wallet token that the issuer moved is in the action log, also where the process died at its answer", async () => {
  const una = await becomeCardHolder(service);
  const [card] = (await una.person.call("GET", "/cards")).body;
  const made = await una.person.sandbox("POST", `/issuer/cards/${una.cardToken}/wallet-tokens`, {});
  const id: string = made.body.walletTokenId;
  const statusOf = async () => (await una.person.call("GET", `/cards/${card.id}/wallet-tokens`)).body[0]?.status;
  await until(async () => (await statusOf()) === "active");
  const ctx = operatorOf(service.runtime, "stolen phone");
  const setWalletTokenStatus: typeof ctx.issuer.setWalletTokenStatus = async (...words) => {
    await ctx.issuer.setWalletTokenStatus(...words);
    throw new Error("The process died");
  };
  const dying = { ...ctx, issuer: { ...ctx.issuer, setWalletTokenStatus } };
  await expect(moveAnyWalletToken(dying, { id, status: "suspended" })).rejects.toThrow("The process died");
  await until(async () => (await statusOf()) === "suspended");
  expect(await actionsOf(card.id)).toMatchObject([
    {
      verb: "wallet-tokens.set",
      reason: "stolen phone",
      before: { walletTokenId: id, status: "active" },
      after: { walletTokenId: id, status: "suspended" },
    },
  ]);
  expect(await moveAnyWalletToken(ctx, { id, status: "active" })).toMatchObject({ id, status: "active" });
  await expect(moveAnyWalletToken(ctx, { id, status: "active" })).rejects.toMatchObject({
    code: "walletTokens.wrong_status",
  });
  expect(await actionsOf(card.id)).toHaveLength(2);
});

test("a frozen card's decline, which is the issuer's own, is among the declines of the overview once", async () => {
  const zoe = await becomeCardHolder(service);
  const { body } = await zoe.person.call("GET", "/cards");
  expect((await act("freeze", body[0].id)).code).toBe(0);
  const count = async () =>
    (await listDecisionHours(service.runtime.services, { count: 24 })).declines.find(
      ({ reason }) => reason === "issuer_card_inactive",
    )?.count ?? 0;
  const before = await count();
  // Until the issuer knows of the freeze, the service is asked and declines itself.
  await until(async () => {
    await useOnce(zoe, 100);
    return (await count()) > before;
  });
  await untilSettled(service);
  const { db } = service.runtime;
  const own = await db.$count(
    cardPayments,
    and(eq(cardPayments.userId, zoe.person.userId ?? ""), eq(cardPayments.declineReason, "issuer_card_inactive")),
  );
  expect(await count()).toBe(before + own);
});

test("the card's page has the acts that fit, and a second click freezes", async () => {
  const [{ id }] = (await cardsOf()).filter(
    (card: { virtual: boolean; statusCode: number }) => card.statusCode === 1000,
  );
  await ada.person.call("POST", `/cards/${id}/activate`);
  const cookie = await signInWithKey(service.url);
  const open = async () => (await fetch(`${service.url}/operator/cards/${id}`, { headers: { Cookie: cookie } })).text();
  expect(await open()).toContain("Freeze this card");
  const form = { method: "POST", headers: { Cookie: cookie, Origin: service.url }, redirect: "manual" as const };
  const without = await fetch(`${service.url}/operator/cards/${id}/freeze`, { ...form, body: new URLSearchParams() });
  expect(without.status).toBe(422);
  expect(await without.text()).toContain(`href="/operator/cards/${id}"`);
  const body = new URLSearchParams({ reason: "lost phone" });
  expect((await fetch(`${service.url}/operator/cards/${id}/freeze`, { ...form, body })).status).toBe(303);
  const page = await open();
  expect(page).toContain("Unfreeze this card");
  expect(page).not.toContain("Freeze this card<");
  expect(page).toContain("1005 Frozen");
});

test("a viewer reads no name on a card", async () => {
  const nameFor = async (role: OperatorRole) => {
    const actor = { ...sandboxOperator, roles: [role] };
    return (await getCardDetails({ db: service.runtime.db, actor }, { reference: cardId })).card.embossedName;
  };
  expect([await nameFor("viewer"), await nameFor("support")]).toEqual([null, expect.stringMatching(/\w/)]);
});

test("a viewer reads no name, no phone number and no address in any list or row", async () => {
  await useOnce(ada, 100);
  await createPhysical(ada.person);
  const [user] = await service.runtime.db
    .select()
    .from(users)
    .where(eq(users.id, ada.person.userId ?? ""));
  const personal = [user?.lastName, user?.lastName?.toUpperCase(), user?.phone, user?.birthDate, user?.address1];
  const namedFor = async (role: OperatorRole): Promise<string[]> => {
    const ctx = { ...operatorOf(service.runtime), actor: { ...sandboxOperator, roles: [role] } };
    const source = createVerbSource(async () => ctx);
    // A job may end between the list and its row.
    const showIfThere = (noun: (typeof deskNouns)[number], key: string) =>
      source.show(noun, key).catch((error: unknown) => {
        if (error instanceof CardkeepError && error.code === "jobs.not_found") return null;
        throw error;
      });
    const named: string[] = [];
    for (const noun of deskNouns.filter(({ list }) => hasRole(ctx.actor, list.verb as OperatorVerb))) {
      const rows = await source.list(noun, {}, { after: null, limit: 100 });
      const shown = noun.show === null ? [] : await Promise.all(rows.map(({ key }) => showIfThere(noun, key)));
      const text = formatJson([rows, shown]);
      if (personal.some((word) => word && text.includes(word))) named.push(noun.name);
    }
    return named;
  };
  expect(await namedFor("support")).toEqual(expect.arrayContaining(["users", "cards", "orders"]));
  expect(await namedFor("viewer")).toEqual([]);
});

describe("a payment of a holder who calls", () => {
  let bea: CardHolder;
  let token: string;
  const pay = async (cents = 3_000): Promise<string> => {
    const { threadId } = await use(bea, cents);
    await follow(bea, threadId, "clear");
    await untilSettled(service);
    return threadId;
  };
  const payment = (verb: string, ...words: string[]) => cli("payments", verb, ...words, "--reason", "call 4712");
  const caseOf = async (threadId: string) => {
    const { payment: row } = await getPaymentDetails(operatorOf(service.runtime), { reference: threadId });
    return service.runtime.db.select().from(cardCases).where(eq(cardCases.paymentId, row.id));
  };
  beforeAll(async () => {
    bea = await becomeCardHolder(service, 200n * euro);
    await markProven(bea);
    token = await signInWithKey(service.url);
  });

  test("is disputed once in the holder's words, which no log has, and the holder gets a mail", async () => {
    const threadId = await pay();
    const words = "The shop never sent my blue bicycle";
    const dispute = (reason: string, ...more: string[]) => payment("dispute", threadId, reason, ...more);
    expect((await dispute("wrong_value")).code).not.toBe(0);
    expect((await dispute("no_reason", "--explanation", words)).code).not.toBe(0);
    const asked = await Promise.all(Array.from({ length: 5 }, () => dispute("wrong_value", "--explanation", words)));
    expect(asked.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(asked.find(({ code }) => code !== 0)?.err).toContain("Transaction already disputed");
    const shown = await bea.person.call("GET", `/transactions/${threadId}/dispute`);
    expect(shown.body).toMatchObject({ reason: "wrong_value", evidence: [{ slot: "text", fields: ["explanation"] }] });
    const { body: user } = await bea.person.call("GET", "/user");
    const box = async () => (await bea.person.sandbox("GET", `/mailbox?to=${encodeURIComponent(user.email)}`)).body;
    await until(async () =>
      (await box()).some(({ text }: { text: string }) =>
        text.includes("Support opened a dispute of a card payment of"),
      ),
    );
    const logged = await service.runtime.db
      .select()
      .from(operatorActions)
      .where(eq(operatorActions.verb, "payments.dispute"));
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged[0], (_, value) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
      "bicycle",
    );
  });

  test("gets a case for finance, which no repeated or lesser request doubles, and no money moves", async () => {
    const threadId = await pay();
    const ask = (amount: string) => payment("request-refund", threadId, amount);
    expect((await ask("30.01")).err).toContain("At most 30.00 EURe");
    expect((await ask("0.001")).code).not.toBe(0);
    const asked = await Promise.all(Array.from({ length: 5 }, () => ask("12.50")));
    expect(asked.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(asked.find(({ code }) => code !== 0)?.err).toContain("waits for finance");
    const [opened, ...others] = await caseOf(threadId);
    expect([opened, others]).toMatchObject([{ kind: "refund_request", status: "OPEN", amountCents: 1_250n }, []]);
    const { transfers } = await getPaymentDetails(operatorOf(service.runtime), { reference: threadId });
    expect(transfers.map(({ direction }) => direction)).toEqual(["spend"]);
    expect((await cli("cases", "close", opened?.id ?? "", "--reason", "refunded in the shop")).code).toBe(0);
    expect((await ask("5")).code).toBe(0);
    expect(await caseOf(threadId)).toMatchObject([{ status: "OPEN", amountCents: 500n }]);
  });

  test("is paid back by hand once, for what support asked: case, facts, both pages, one message, and no dispute", async () => {
    const headers = { Cookie: token };
    const open = async (path: string) => (await fetch(`${service.url}/operator/${path}`, { headers })).text();
    const [threadId, twin] = [await pay(1_234), await pay(1_234)];
    const {
      payment: { id },
    } = await getPaymentDetails(operatorOf(service.runtime), { reference: threadId });
    const [first, other] = [`payments/${id}`, `payments/${twin}`];
    expect(await open(first)).toContain("Possible double charge");
    expect((await payment("request-refund", threadId, "1,234")).err).toContain("a point before the cents");
    expect((await payment("request-refund", threadId, "12,34")).code).toBe(0);
    const [asked] = await caseOf(threadId);
    const { err } = await payment("request-refund", threadId, "12.34");
    expect(err).toContain(`A request for 12.34 EUR of this payment waits for finance: case ${asked?.id}`);
    expect((await cli("cases", "show", asked?.id ?? "")).out).toMatch(/Reason of the request +call 4712/);
    expect(await open(`cases/${asked?.id}`)).toContain(`/operator/${first}#${id}-refund-amount`);
    const before = await open(first);
    expect(before).toContain("No other status follows.");
    for (const shown of ["A refund request is open", `/operator/cases/${asked?.id}`, `id="${id}-refund-amount"`])
      expect(before).toContain(shown);
    expect((await payment("refund", threadId, "5")).code).toBe(0);
    await untilSettled(service);
    expect((await caseOf(threadId))[0]).toMatchObject({
      status: "OPEN",
      note: expect.stringContaining("Returned by hand so far: 5.00 EURe"),
    });
    const partly = await open(first);
    expect(partly).toContain("5 EURe of it was returned by hand");
    expect(partly).toContain("Possible double charge");
    expect((await payment("refund", threadId, "7.34")).code).toBe(0);
    expect((await caseOf(threadId))[0]).toMatchObject({ status: "CLOSED", closeReason: "Returned by hand: call 4712" });
    await untilSettled(service);
    const { out } = await cli("payments", "show", threadId);
    expect(out).toMatch(/Returned by hand +12\.34 EURe/);
    expect(out).toMatch(/Shall leave the Safe +0(\.00)? EURe/);
    for (const page of [await open(first), await open(other)]) expect(page).not.toContain("Possible double charge");
    const after = await open(first);
    for (const gone of ["A refund request is open", "Open a dispute for the holder", "Ask finance for a refund"])
      expect(after).not.toContain(gone);
    expect((await payment("dispute", threadId, "wrong_value", "--explanation", "Twice")).err).toContain(
      "its money was returned",
    );
    await until(async () => {
      const said = (await listSaid(bea)).join("\n");
      return ["5.00", "7.34"].every((paid) => said.split(`We returned €${paid} of your card payment`).length === 2);
    });
    expect((await payment("request-refund", threadId, "1")).err).toContain("At most 0.00 EURe");
  });

  test("that is the double of a returned one says so to support, to finance and to the second person", async () => {
    const headers = { Cookie: token };
    const open = async (path: string) => (await fetch(`${service.url}/operator/${path}`, { headers })).text();
    const [threadId, twin] = [await pay(1_357), await pay(1_357)];
    const idOf = async (thread: string) =>
      (await getPaymentDetails(operatorOf(service.runtime), { reference: thread })).payment.id;
    const [id, twinId] = [await idOf(threadId), await idOf(twin)];
    expect((await payment("request-refund", threadId, "13.57")).code).toBe(0);
    expect((await payment("refund", threadId, "13.57")).code).toBe(0);
    await untilSettled(service);
    const [paid] = await caseOf(threadId);
    const closed = await open(`cases/${paid?.id}`);
    expect(closed).toContain("Support asks to return 13.57 EURe of this payment.");
    for (const gone of ["Return it by a refund", "refund form"]) expect(closed).not.toContain(gone);
    for (const path of [`users/${bea.person.userId}`, `users/${bea.person.userId}/history?kind=payment`])
      expect(await open(path)).toMatch(/returned by hand[^]*?13\.57 EURe of a payment at/);

    const page = await open(`payments/${twin}`);
    expect(page).toContain("Its double was returned");
    expect(page).toContain(`/operator/payments/${id}`);
    const warning = /Its double of 13\.57 EUR of \S+ was returned on \S+\. A second return pays the person twice/;
    // The panel, and the forms of the refund, of its request and of a dispute.
    expect(page.match(new RegExp(warning, "g"))).toHaveLength(4);
    expect((await cli("payments", "show", twin)).out).toMatch(new RegExp(`Its double was returned [^]*?${id}`));
    expect((await payment("request-refund", twin, "13.57")).code).toBe(0);
    const [asked] = await caseOf(twin);
    const shown = await open(`cases/${asked?.id}`);
    expect(shown).toMatch(warning);
    expect(shown).toContain(`/operator/payments/${twinId}#${twinId}-refund-amount`);

    const ctx = operatorOf(service.runtime, "call 4712");
    const asker = { ...ctx.actor, id: "https://id.example#ada", proof: "oidc" };
    const { policy } = ctx;
    const two = {
      ...ctx,
      actor: asker,
      policy: { ...policy, operators: { ...policy.operators, twoPersons: ["payments.refund"] } },
    };
    const needed = await refundPayment(two as OperatorContext, { reference: twin, amount: "13.57" }).catch(
      (error) => error,
    );
    expect(needed).toBeInstanceOf(ApprovalNeeded);
    for (const at of [`approvals/${needed.request.id}`, "approvals"]) expect(await open(at)).toMatch(warning);
    const overview = await open("");
    expect(overview.indexOf("What to do")).toBeLessThan(overview.indexOf("Who waits"));
    expect(overview).toMatch(/What to do[^]*Requests that wait for a second person[^]*Who waits/);
  });

  test("that was charged twice is disputed with the other payment, named by the service or by support", async () => {
    const disputeTwice = (threadId: string) =>
      payment("dispute", threadId, "charged_more_than_once", "--explanation", "The till ran twice");
    const shown = async (threadId: string) => (await cli("disputes", "show", threadId)).out;
    const fieldsOf = async (threadId: string) =>
      (await bea.person.call("GET", `/transactions/${threadId}/dispute`)).body.evidence[0].fields;
    const [threadId] = [await pay(777), await pay(777)];
    expect((await disputeTwice(threadId)).code).toBe(0);
    expect(await fieldsOf(threadId)).toContain("originalThreadId");
    await until(async () => /Amount +7\.77 EUR/.test(await shown(threadId)));
    const alone = await pay(778);
    expect((await disputeTwice(alone)).code).toBe(0);
    const missing = "the other payment of the double charge";
    expect(await shown(alone)).toContain(missing);
    await until(async () =>
      (await listSaid(bea)).some((said) => said?.includes(`before it can go to the card network: ${missing}. Please`)),
    );
    const submit = (original: string) =>
      cli("disputes", "submit", alone, "--original", original, "--reason", "call 4712");
    expect((await submit(alone)).err).toContain("another payment of the same user");
    expect((await submit(threadId)).code).toBe(0);
    expect(await fieldsOf(alone)).toContain("originalThreadId");
  });

  test("has both on its page and in the operator's API", async () => {
    const threadId = await pay();
    const headers = { Cookie: token, Origin: service.url };
    const open = async (path: string) => (await fetch(`${service.url}${path}`, { headers })).text();
    const page = await open(`/operator/payments/${threadId}`);
    expect(page).toContain("Open a dispute for the holder");
    expect(page).toContain("Ask finance for a refund");
    const send = (path: string, fields: Record<string, string>) =>
      fetch(`${service.url}${path}`, {
        method: "POST",
        headers,
        redirect: "manual",
        body: new URLSearchParams(fields),
      });
    const asked = await send(`/operator/payments/${threadId}/request-refund`, { amount: "1", reason: "call" });
    expect(asked.headers.get("location")).toStartWith("/operator/cases/");
    const fields = { disputeReason: "wrong_value", explanation: "It was 3, not 30", reason: "call" };
    const byApi = await fetch(`${service.url}/operator/api/payments/${threadId}/dispute`, {
      method: "POST",
      headers: { Authorization: `Bearer ${development.OPERATOR_API_KEY}` },
      body: JSON.stringify(fields),
    });
    expect(byApi.status).toBe(200);
    const other = await pay(500);
    const disputed = await send(`/operator/payments/${other}/dispute`, fields);
    expect(disputed.headers.get("location")).toStartWith("/operator/disputes/");
    for (const id of [threadId, other])
      expect(await open(`/operator/payments/${id}`)).not.toContain("Open a dispute for the holder");
  });
});

describe("a person who asks to be erased", () => {
  const words = "Please delete all you know of my blue bicycle";
  let mia: Person;
  const ask = (...more: string[]) =>
    cli("users", "request-erasure", mia.userId ?? "", "--words", words, "--reason", "call 4713", ...more);
  const read = async (roles: readonly OperatorRole[], id: string) => {
    const ctx = operatorOf(service.runtime);
    const shown = await cases.show?.read({ ...ctx, actor: { ...ctx.actor, roles } }, id);
    return JSON.stringify(shown?.fields);
  };
  const rowsOf = () =>
    service.runtime.db
      .select()
      .from(cardCases)
      .where(eq(cardCases.userId, mia.userId ?? ""));
  beforeAll(async () => {
    mia = await new Person(service).signIn();
    await mia.signUp();
  });

  test("is one case for compliance with the person's words, which no log and no list has, however often support asks", async () => {
    expect((await cli("users", "request-erasure", mia.userId ?? "", "--words", words)).err).toContain("needs a reason");
    expect((await cli("users", "request-erasure", mia.userId ?? "", "--reason", "call")).code).not.toBe(0);
    const asked = await Promise.all(Array.from({ length: 5 }, () => ask()));
    expect(asked.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    const [opened, ...others] = await rowsOf();
    expect([opened, others]).toMatchObject([{ kind: "erasure_request", status: "OPEN", words }, []]);
    expect((opened?.dueAt?.getTime() ?? 0) - (opened?.createdAt.getTime() ?? 0)).toBe(28 * 86_400_000);
    const id = opened?.id ?? "";
    expect(await read(["compliance"], id)).toContain(words);
    expect(await read(["compliance"], id)).toContain("call 4713");
    expect(await read(["viewer"], id)).not.toContain(words);
    expect((await cli("cases", "list", "--json")).out).not.toContain("bicycle");
    const logged = await actionsOf(mia.userId ?? "");
    expect(logged.length).toBe(5);
    expect(JSON.stringify(logged, (_, value) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
      "bicycle",
    );
    for (const [role, verb, may] of [
      ["support", "users.request-erasure", true],
      ["support", "users.erase", false],
      ["finance", "users.request-erasure", false],
      ["compliance", "cases.close", true],
    ] as const)
      expect([role, verb, hasRole({ roles: [role] }, verb)]).toEqual([role, verb, may]);
  });

  test("is erased from there, which closes the case and removes the words", async () => {
    const headers = { Cookie: await signInWithKey(service.url), Origin: service.url };
    const open = async (path: string) => (await fetch(`${service.url}/operator/${path}`, { headers })).text();
    const [opened] = await rowsOf();
    const user = `users/${mia.userId}`;
    expect(await open(`cases/${opened?.id}`)).toContain(`/operator/${user}#actions`);
    const page = await open(user);
    expect(page).toContain(`/operator/cases/${opened?.id}`);
    expect(page).not.toContain("Ask compliance to erase this user");
    expect(page).toContain("Nothing is under way.");
    const byApi = await fetch(`${service.url}/operator/api/${user}/request-erasure`, {
      method: "POST",
      headers: { Authorization: `Bearer ${development.OPERATOR_API_KEY}` },
      body: JSON.stringify({ words, reason: "call" }),
    });
    expect(byApi.status).toBe(200);
    expect((await cli("users", "erase", mia.userId ?? "", "--reason", "its wish")).code).toBe(0);
    expect(await rowsOf()).toMatchObject([{ status: "CLOSED", words: null, closeReason: "Erased: its wish" }]);
    expect(await open(`cases/${opened?.id}`)).not.toContain("Erase the person on");
    expect((await ask()).code).not.toBe(0);
  });
});

test("the six questions of a call are answered by the right role, with at most five clicks", async () => {
  const eve = await becomeCardHolder(service);
  const headers = { Cookie: await signInWithKey(service.url), Origin: service.url };
  const open = async (path: string) => (await fetch(`${service.url}${path}`, { headers })).text();
  const send = async (path: string, fields: Record<string, string>): Promise<string> => {
    const init = { method: "POST", headers, redirect: "manual", body: new URLSearchParams(fields) } as const;
    return (await fetch(`${service.url}${path}`, init)).headers.get("location") ?? "";
  };
  const { threadId } = await use(eve, 3_000);
  await use(eve, 3_000);
  await use(eve, 99_999_999);
  // A click finds the person, and each further one follows a link or sends a form of the page before.
  const { email } = (await eve.person.call("GET", "/user")).body;
  const user = (await send("/operator/users/find", { user: email })).replace(/\?.*/, "");
  // The issuer declines the last one itself, and reports it afterwards.
  await until(async () => (await open(user)).includes(">DECLINED<"));
  const page = await open(user);
  const row = (text: string): string =>
    [...page.matchAll(/<tr>[^]*?<\/tr>/g)].map(([found]) => found).find((found) => found.includes(text)) ?? "";
  const linkIn = (html: string, start: string): string =>
    [...html.matchAll(/href="([^"]+)"/g)].map(([, link = ""]) => link).find((link) => link.startsWith(start)) ?? "";
  const mayDo = (role: OperatorRole, verb: OperatorVerb) =>
    expect([verb, hasRole({ roles: [role] }, verb)]).toEqual([verb, true]);

  mayDo("support", "payments.show");
  const declined = await open(linkIn(row("DECLINED"), "/operator/payments/"));
  expect(declined).toContain("A spending control at the issuer forbids the payment.");
  expect(declined).toContain("1 step; each branch");
  mayDo("support", "delays.list");
  const operations = linkIn(page, "/operator/delays?user=").replaceAll("&amp;", "&");
  expect(await open(operations)).toContain("There are no such operations.");
  expect(page).toContain("look like one purchase that was charged twice");
  await follow(eve, threadId, "clear");
  await untilSettled(service);
  mayDo("support", "payments.request-refund");
  const asked = await send(`/operator/payments/${threadId}/request-refund`, { amount: "1", reason: "call" });
  expect(asked).toStartWith("/operator/cases/");
  mayDo("support", "cards.freeze");
  const card = linkIn(page, "/operator/cards/");
  expect(await open(card)).toContain("Freeze this card");
  expect(await send(`${card}/freeze`, { reason: "call" })).toContain("done");
  mayDo("compliance", "users.erase");
  expect(page).toContain("Erase this user");
});

describe("messages by choice", () => {
  let bo: CardHolder;
  let email: string;
  const inbox = async () =>
    (await bo.person.sandbox("GET", `/mailbox?to=${encodeURIComponent(email)}`)).body as {
      subject: string;
      text: string;
    }[];
  const about = async (text: string) => (await inbox()).filter((mail) => mail.text.includes(text));
  beforeAll(async () => {
    bo = await becomeCardHolder(service, 0n);
    await markProven(bo);
    email = (await bo.person.call("GET", "/user")).body.email;
    await bo.person.call("PUT", "/user/language", { language: "de" });
  });

  test("a burst of declines is one mail with the reason, and at most one more within the minute", async () => {
    await Promise.all(Array.from({ length: 12 }, (_, index) => useOnce(bo, 1_000 + index)));
    await until(async () => (await about("Auf Ihrem Konto ist nicht genug Geld.")).length > 0);
    const mails = await about("abgelehnt");
    expect(mails.length).toBeLessThanOrEqual(2);
    expect(mails.at(-1)?.text).toMatch(/10,\d\d\s€ bei .+: abgelehnt\. Auf Ihrem Konto/);
    expect(mails[0]?.text).toContain("Cardkeep");
  });

  test("a kind that a person switched off leaves nothing behind; other kinds stay as they were", async () => {
    const waiting = () => service.runtime.db.$count(userMessages, eq(userMessages.userId, bo.person.userId ?? ""));
    expect((await bo.person.call("GET", "/user/messages")).body).toMatchObject({ payments: "none", declines: "mail" });
    const changed = await bo.person.call("PUT", "/user/messages", { declines: "none" });
    expect(changed.body).toMatchObject({ declines: "none", refunds: "mail" });
    expect((await bo.person.call("PUT", "/user/messages", { declines: "pigeon" })).status).toBe(422);
    const before = await waiting();
    expect(await use(bo, 5_000)).toMatchObject({ approved: false });
    expect(await waiting()).toBeLessThanOrEqual(before);
  });
});

test("a person hears of a refund, of a withdrawal that waits, and of a wallet that signs in for the first time", async () => {
  const eve = await becomeCardHolder(service);
  await markProven(eve);
  const hears = (text: string) => until(async () => (await listSaid(eve)).some((said) => said?.includes(text)));
  const { threadId } = await use(eve, 2_000);
  await follow(eve, threadId, "clear");
  await follow(eve, threadId, "refund", { amount: 500 });
  const to = "0x000000000000000000000000000000000000bEEF";
  const signed = await eve.person.signWithdrawal({
    tokenAddress: tokens.EURe.address,
    to,
    amount: "1000000000000000000",
  });
  expect((await eve.person.call("POST", "/accounts/withdraw", signed)).status).toBe(200);
  const second = new Person(service);
  await eve.person.call("POST", "/eoa-accounts", { address: second.account.address });
  await second.signIn();
  await hears("refunded.");
  await hears("A withdrawal of €1.00 waits");
  await hears(`The wallet ${second.account.address} signed in for the first time.`);
});

describe("alerts of operators", () => {
  const mailbox = "oncall@operators.example";
  interface Attempt {
    headers: Record<string, string>;
    body: string;
    verified: boolean;
  }
  let ctx: ReturnType<typeof createWorkerContext>;
  const attempts = async (): Promise<Attempt[]> => (await ada.person.sandbox("GET", "/inbox/oncall")).body;
  const inbox = async () =>
    (await ada.person.sandbox("GET", `/mailbox?to=${encodeURIComponent(mailbox)}`)).body as { text: string }[];
  /** What workers do in a minute. */
  const passMinute = async () => {
    await Promise.all([1, 2, 3].map(() => reportAlerts(ctx)));
    await sendAlerts(ctx, { way: "webhook" });
    await sendAlerts(ctx, { way: "mail" });
  };
  const openCases = (count: number) =>
    ctx.commit(async (work) => {
      for (let n = 0; n < count; n++)
        await openCase(work, {
          kind: "unbooked",
          userId: ada.person.userId ?? "",
          threadId: `alert-${crypto.randomUUID()}`,
          amountCents: 1n,
          currency: "EUR",
          note: "A test.",
        });
    });
  beforeAll(() => {
    const own = createWorkerContext(service.runtime);
    const alerts = { webhookUrl: `${service.sandboxUrl}/inbox/oncall`, mail: mailbox, debtCentsMin: 100n };
    const { policy } = own;
    ctx = { ...own, policy: { ...policy, operators: { ...policy.operators, alerts } } };
  });

  test("are one signed message and one mail for a hundred cases, with the pages' addresses", async () => {
    await openCases(100);
    await passMinute();
    const [first, ...others] = await attempts();
    expect([first?.verified, others]).toEqual([true, []]);
    const { eventType, data } = JSON.parse(first?.body ?? "");
    expect([eventType, data.alerts.length, data.more > 79]).toEqual(["operator.alert", 20, true]);
    const listed = data.alerts.find(({ key }: { key: string }) => key.startsWith("case:"));
    expect(listed).toMatchObject({
      text: expect.stringContaining("Case "),
      url: expect.stringContaining("/operator/cases/"),
    });
    const [mail, ...mails] = await inbox();
    expect([mail?.text.includes("/operator/cases/"), mails]).toEqual([true, []]);
  });

  test("are not repeated while they last, and a further case is news", async () => {
    await passMinute();
    expect(await attempts()).toHaveLength(1);
    await openCases(1);
    await passMinute();
    expect([(await attempts()).length, (await inbox()).length]).toEqual([2, 2]);
    expect(JSON.parse((await attempts())[1]?.body ?? "").data).toMatchObject({ more: 0 });
  });

  test("come with the same id after a crash between the message and its record", async () => {
    await openCases(1);
    await reportAlerts(ctx);
    const killed = { ...ctx, commit: () => Promise.reject(new Error("killed")) };
    await expect(sendAlerts(killed, { way: "webhook" })).rejects.toThrow("killed");
    await sendAlerts(ctx, { way: "webhook" });
    const ids = (await attempts()).slice(-2).map(({ headers }) => headers["webhook-id"]);
    expect(ids[0]).toStartWith("alert_");
    expect(ids[1]).toBe(ids[0]);
  });

  test("wait for a receiver that is away, and reach the other way meanwhile", async () => {
    await ada.person.sandbox("POST", "/inbox/oncall/behaviour", { statuses: [500] });
    await openCases(1);
    await reportAlerts(ctx);
    await expect(sendAlerts(ctx, { way: "webhook" })).rejects.toThrow("answered 500");
    const before = (await inbox()).length;
    await sendAlerts(ctx, { way: "mail" });
    expect((await inbox()).length).toBe(before + 1);
    await ada.person.sandbox("POST", "/inbox/oncall/behaviour", { statuses: [200] });
    await sendAlerts(ctx, { way: "webhook" });
    await sendAlerts(ctx, { way: "webhook" });
    expect((await attempts()).filter(({ headers }) => headers["webhook-id"])).toHaveLength(6);
  });

  test("name refunds that stand still, also while a thread stays unbooked", async () => {
    const { db } = service.runtime;
    const [safe] = await db
      .select()
      .from(safes)
      .where(eq(safes.userId, ada.person.userId ?? ""));
    if (!safe) throw new Error("There is no Safe");
    const threadId = `alert-${crypto.randomUUID()}`;
    const thread = { threadId, issuer: "stripe", reason: "currency", currency: "USD", amountMinor: 1n } as const;
    await db.insert(unmatchedThreads).values({ ...thread, seenAt: new Date() });
    await passMinute();
    const [seen, id] = [(await attempts()).length, `${threadId}:0`];
    const row = { id, paymentId: threadId, ordinal: 0, userId: safe.userId, safeId: safe.id, amount: 1n } as const;
    const planned = { direction: "return", isCollection: false, status: "PLANNED", requestId: "test" } as const;
    const createdAt = new Date((await service.runtime.services.clock.now(db)).getTime() - 120_000);
    await holdJob(service, "card.transfer", { transferId: id, requestId: "test" });
    await db.insert(liveTransfers).values({ ...row, ...planned, createdAt });
    await passMinute();
    const sent = (await attempts()).slice(seen).map(({ body }) => body);
    expect(sent.join("\n")).toContain("refunds: 1 wait for ");
    await db.delete(liveTransfers).where(eq(liveTransfers.id, id));
    await db.delete(unmatchedThreads).where(eq(unmatchedThreads.threadId, threadId));
  });
});
