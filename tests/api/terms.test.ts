/** Terms are versions as data: each acceptance is kept, and a card needs the current version of every document. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { termsAcceptances } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import { becomeEligible, createVirtual, readyOrder } from "../support/cards.ts";
import { runCliOn } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { answerSourceOfFunds, order, validatePhone } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const refused = { status: 422, body: { error: "Terms of service are not accepted" } };
const ask = async (person: Person, path: string) => {
  const { status, body } = await person.call("POST", path, {});
  return { status, body };
};
const termsOf = async (person: Person) => (await person.call("GET", "/user/terms")).body.terms;
const accept = (person: Person, terms: string, version: string) =>
  person.call("POST", "/user/terms", { terms, version });

/** An account holder who lacks nothing but the terms. */
async function newPerson(): Promise<Person> {
  const person = new Person(service);
  await person.becomeAccountHolder();
  await validatePhone(person);
  await answerSourceOfFunds(person);
  return person;
}

test("a card needs the acceptance of every document, on both routes; an order needs none", async () => {
  const person = await newPerson();
  const orderId = await readyOrder(person);
  const terms: { type: string; currentVersion: string }[] = await termsOf(person);
  for (const { type, currentVersion } of filled(terms)) {
    expect(await ask(person, `/order/${orderId}/create-card`)).toEqual(refused);
    await accept(person, type, currentVersion);
  }
  expect((await ask(person, `/order/${orderId}/create-card`)).status).toBe(200);
  const other = await newPerson();
  expect(await ask(other, "/cards/virtual")).toEqual(refused);
  expect(
    await other
      .trpc()
      .cards.createVirtual.mutate()
      .catch((error: unknown) => error),
  ).toMatchObject({
    message: "Terms of service are not accepted",
  });
  await other.acceptTerms();
  expect(await createVirtual(other)).toBeString();
});

test("what else a person lacks comes first", async () => {
  const person = new Person(service);
  await person.becomeAccountHolder();
  expect(await ask(person, "/cards/virtual")).toEqual({ status: 422, body: { error: "Source of funds is missing" } });
});

test("a new version is asked for again, refuses a further card, and leaves the proof of the old one", async () => {
  const person = await becomeEligible(new Person(service));
  await createVirtual(person);
  const before = await termsOf(person);
  const { code, out } = await runCliOn(
    service.runtime,
    "terms",
    "publish",
    "privacy-policy",
    "PRIVACY_POLICY_VERSION_2",
  );
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("PRIVACY_POLICY_VERSION_2") });
  const asked = await termsOf(person);
  const former = before.find(({ type }: { type: string }) => type === "privacy-policy");
  expect(asked.filter(({ accepted }: { accepted: boolean }) => !accepted)).toEqual([
    { ...former, currentVersion: "PRIVACY_POLICY_VERSION_2", accepted: false },
  ]);
  expect((await person.call("GET", "/terms")).body.terms).toContainEqual(
    expect.objectContaining({ type: "privacy-policy", currentVersion: "PRIVACY_POLICY_VERSION_2" }),
  );
  expect(await ask(person, "/cards/virtual")).toEqual(refused);
  expect(await order(person)).toBeString();
  const orderOf = (await person.call("GET", "/order/")).body[0].id;
  await person.call("POST", `/order/${orderOf}/cancel`);
  expect((await accept(person, "privacy-policy", former.currentVersion)).status).toBe(422);
  expect((await accept(person, "privacy-policy", "PRIVACY_POLICY_VERSION_2")).status).toBe(200);
  expect(await createVirtual(person)).toBeString();
  const rows = await service.runtime.db
    .select()
    .from(termsAcceptances)
    .where(eq(termsAcceptances.userId, person.userId ?? ""));
  const ofPolicy = rows.filter(({ type }) => type === "privacy-policy");
  expect(ofPolicy.map(({ version }) => version).toSorted()).toEqual([
    former.currentVersion,
    "PRIVACY_POLICY_VERSION_2",
  ]);
  expect(ofPolicy.find(({ version }) => version === former.currentVersion)?.acceptedAt.toISOString()).toBe(
    former.acceptedAt,
  );
});

test("a version is published once, and an unknown document never", async () => {
  const publish = (type: string, version: string) => runCliOn(service.runtime, "terms", "publish", type, version);
  expect((await publish("cashback-tos", "TOS_CASHBACK_VERSION_1")).code).not.toBe(0);
  expect((await publish("cashback-tos", "TOS_CASHBACK_VERSION_2")).code).toBe(0);
  expect((await publish("cashback-tos", "TOS_CASHBACK_VERSION_2")).code).not.toBe(0);
  expect((await publish("house-rules", "1")).code).not.toBe(0);
  expect((await runCliOn(service.runtime, "terms", "list")).out).toContain("TOS_CASHBACK_VERSION_2");
});
