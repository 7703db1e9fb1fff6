/** What support does for a holder: cards by CLI and page, each with a reason, an action and a mail to the holder. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { operatorActions, orders, userMessages } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import { runCliOn } from "../support/cli.ts";
import { createPhysical } from "../support/cards.ts";
import { signInWithKey } from "../support/operatorPages.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder, use } from "../support/spending.ts";

let service: Service;
let ada: CardHolder;
let cardId: string;
beforeAll(async () => {
  service = await startService();
  ada = await becomeCardHolder(service);
  cardId = (await ada.person.call("GET", "/cards")).body[0].id;
});
afterAll(() => service.stop());

const cli = (...words: string[]) => runCliOn(service.runtime, ...words);
const act = (verb: string, id: string, ...more: string[]) => cli("cards", verb, id, "--reason", "call 4711", ...more);
const cardsOf = async () => (await ada.person.call("GET", "/cards")).body;
const codeOf = async (id: string) => (await ada.person.call("GET", `/cards/${id}/status`)).body.statusCode;
const mails = async () => {
  const { email } = (await ada.person.call("GET", "/user")).body;
  return (await ada.person.sandbox("GET", `/mailbox?to=${encodeURIComponent(email)}`)).body;
};
const mailed = (text: string) =>
  until(async () => (await mails()).some((mail: { text: string }) => mail.text.includes(text)));
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
  const body = new URLSearchParams({ reason: "lost phone" });
  expect((await fetch(`${service.url}/operator/cards/${id}/freeze`, { ...form, body })).status).toBe(303);
  const page = await open();
  expect(page).toContain("Unfreeze this card");
  expect(page).not.toContain("Freeze this card<");
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
    email = (await bo.person.call("GET", "/user")).body.email;
    await bo.person.call("PUT", "/user/language", { language: "de" });
  });

  test("a burst of thirty declines is one mail with the reason, and at most one more within the minute", async () => {
    await Promise.all(Array.from({ length: 30 }, (_, index) => use(bo, 1_000 + index)));
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
