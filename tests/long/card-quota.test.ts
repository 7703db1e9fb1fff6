/** How many cards one user may have made within a day: each costs the operator a fee at the issuer. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cardIssues } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import { becomeEligible, createPhysical, createVirtual, readyOrder } from "../support/cards.ts";
import { runCliOn } from "../support/cli.ts";
import { type Answer, Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  service = await startService({ env: { CARDS_PER_DAY: "2" } });
  [ada, bob] = await Promise.all([becomeEligible(new Person(service)), becomeEligible(new Person(service))]);
});
afterAll(() => service.stop());

const shortOf = ({ status, body }: Answer) => ({ status, body });
const spent = { status: 429, body: { error: "Too many requests" } };
const end = async (person: Person, cardId: string, verb: string) =>
  expect((await person.call("POST", `/cards/${cardId}/${verb}`)).status).toBe(200);
const issuesOf = (person: Person) =>
  service.runtime.db
    .select()
    .from(cardIssues)
    .where(eq(cardIssues.userId, person.userId ?? ""));

test("a user makes no third card within a day, by either way, though the others ended; the paid order's comes later", async () => {
  const key = { "Idempotency-Key": "the first card of the day" };
  const first = await ada.call("POST", "/cards/virtual", undefined, key);
  expect(first.status).toBe(201);
  await end(ada, first.body.cardId, "void");
  await end(ada, (await createPhysical(ada))?.id ?? "", "lost");
  const orderId = await readyOrder(ada);
  const later = { "Idempotency-Key": "the card of the order" };
  const makeOrdered = () => ada.call("POST", `/order/${orderId}/create-card`, {}, later);
  const refused = await makeOrdered();
  expect(shortOf(refused)).toEqual(spent);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(86_000);
  expect(refused.headers.get("ratelimit-policy")).toBe('"cards";q=2;w=86400');
  expect((await ada.call("GET", `/order/${orderId}`)).body.status).toBe("READY");
  expect(shortOf(await ada.call("POST", "/cards/virtual", undefined, key))).toEqual(shortOf(first));
  expect(await issuesOf(ada)).toHaveLength(2);
  await createVirtual(bob);

  await ada.sandbox("POST", "/chain/advance", { seconds: 86_401 });
  await Promise.all([ada.signIn(), bob.signIn()]);
  await until(async () => (await makeOrdered()).status === 200);
  expect((await ada.call("GET", `/order/${orderId}`)).body.status).toBe("CARDCREATED");
  await end(ada, await createVirtual(ada), "void");
  expect(shortOf(await ada.call("POST", "/cards/virtual"))).toEqual(spent);
});

test("a card that an operator has made again is not refused, and leaves the user's quota as it is", async () => {
  const reissue = async (cardId: string) => {
    const made = await runCliOn(service.runtime, "cards", "reissue", cardId, "--reason", "call 4711", "--json");
    expect(made.code).toBe(0);
    const { issueId } = JSON.parse(made.out);
    await until(async () => (await issuesOf(bob)).some(({ id, status }) => id === issueId && status === "issued"));
    return issueId as string;
  };
  const cardId = await createVirtual(bob);
  // As if the issuer had refused it: another one takes its place.
  await service.runtime.db
    .update(cardIssues)
    .set({ status: "refused", reason: "test" })
    .where(eq(cardIssues.id, await reissue(cardId)));
  const again = await reissue(cardId);
  await end(bob, await createVirtual(bob), "void");
  expect(shortOf(await bob.call("POST", "/cards/virtual"))).toEqual(spent);
  await reissue(again);
});

test("a physical card is made again after the issuer refused the new one, whose order ends", async () => {
  const { body: cards } = await ada.call("GET", "/cards");
  const isLive = (card: { virtual: boolean; statusCode: number }) => !card.virtual && card.statusCode === 1000;
  const { id: cardId } = cards.find(isLive);
  await end(ada, cardId, "lost");
  const reissue = async (status: "issued" | "refused") => {
    const made = await runCliOn(service.runtime, "cards", "reissue", cardId, "--reason", "call 4712", "--json");
    expect(made).toMatchObject({ code: 0 });
    const { issueId } = JSON.parse(made.out);
    await until(async () => (await issuesOf(ada)).some((issue) => issue.id === issueId && issue.status === status));
  };
  await ada.sandbox("PUT", "/faults/issuer.error", { status: 400, match: "POST /v1/issuing/cards" });
  await reissue("refused");
  await ada.sandbox("DELETE", "/faults");
  await reissue("issued");
  expect((await ada.call("GET", "/cards")).body.filter(isLive)).toHaveLength(1);
  const { body: ordered } = await ada.call("GET", "/order");
  expect(ordered.slice(0, 2).map(({ status }: { status: string }) => status)).toEqual(["CARDCREATED", "CANCELLED"]);
});
