import { beforeAll, describe, expect, test } from "bun:test";
import { events } from "@cardkeep/db/schema/tables";
import { and, eq } from "drizzle-orm";
import { generatePerson } from "@cardkeep/sandbox/profiles/generatePerson";
import { Person } from "../support/person.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

let service: RunningService;
beforeAll(async () => {
  service = await shareService();
});

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
const unauthorized = { status: 401, body: { message: "Unauthorized" } };
const newPerson = async (fields: object = {}) => (await new Person(service).signIn()).signUp({ ...fields });
const userOf = async (person: Person) => (await person.call("GET", "/user")).body;

describe("GET /user", () => {
  test("has every field from the start, empty if unknown", async () => {
    const person = await newPerson({ authEmail: "Fresh@example.org", partnerId: "sandbox" });
    const nothing = [
      "phone",
      "firstName",
      "lastName",
      "address1",
      "address2",
      "city",
      "postalCode",
      "state",
      "country",
      "nationalityCountry",
    ];
    expect(await userOf(person)).toEqual({
      ...Object.fromEntries(nothing.map((name) => [name, null])),
      id: person.userId,
      email: "Fresh@example.org",
      signInWallets: [
        { id: expect.any(String), address: person.account.address, userId: person.userId, createdAt: instant },
      ],
      safeWallets: [],
      kycStatus: "notStarted",
      availableFeatures: { emoneyIban: expect.any(Boolean) },
      cards: [],
      bankingDetails: null,
      isSourceOfFundsAnswered: false,
      isPhoneValidated: false,
      partnerId: "sandbox",
      status: "ACTIVE",
    });
  });

  test("fills step by step: person, phone, source of funds, wallets, Safe; and shows nothing else", async () => {
    const person = new Person(service);
    const safe = await person.becomeAccountHolder({ country: "GB", nationality: "FR", state: "London" });
    const phoneNumber = "+447700900123";
    await person.call("POST", "/verification", { phoneNumber });
    const { body: messages } = await person.sandbox("GET", `/phones?to=${encodeURIComponent(phoneNumber)}`);
    await person.call("POST", "/verification/check", { code: messages[0].code });
    const { body: asked } = await person.call("GET", "/source-of-funds?locale=UK");
    const answers = asked.map((each: { question: string; answers: string[] }) => ({
      question: each.question,
      answer: each.answers[0],
    }));
    await person.call("POST", "/source-of-funds", answers);
    const second = "0x00000000000000000000000000000000000A11cE";
    await person.call("POST", "/eoa-accounts", { address: second });
    const user = await userOf(person);
    const lives = generatePerson(person.account.address, "GB");
    expect(user).toMatchObject({
      phone: phoneNumber,
      firstName: "Ada",
      lastName: "Lovelace",
      address1: lives.address1,
      address2: lives.address2,
      city: lives.city,
      postalCode: lives.postalCode,
      state: "London",
      country: "GB",
      nationalityCountry: "FR",
      kycStatus: "approved",
      isPhoneValidated: true,
      isSourceOfFundsAnswered: true,
      safeWallets: [{ address: safe, chainId: "100", tokenSymbol: "GBPe", createdAt: instant }],
    });
    expect(user.signInWallets.map(({ address }: { address: string }) => address)).toEqual([
      second,
      person.account.address,
    ]);
    expect(JSON.stringify(user)).not.toMatch(/birthDate|risk|referral|marketing/i);
    expect(JSON.stringify(user)).not.toContain(lives.birthDate);
    expect(await person.trpc().users.me.query()).toEqual(user);
  });

  test("needs a user: a wallet alone is not one", async () => {
    expect(shortOf(await new Person(service).call("GET", "/user"))).toEqual(unauthorized);
    expect(shortOf(await (await new Person(service).signIn()).call("GET", "/user"))).toEqual(unauthorized);
  });
});

describe("terms", () => {
  const accept = async (person: Person, terms: unknown, version: unknown) =>
    shortOf(await person.call("POST", "/user/terms", { terms, version }));
  const acceptedEvents = (person: Person) =>
    service.runtime.db
      .select()
      .from(events)
      .where(and(eq(events.userId, person.userId ?? ""), eq(events.eventType, "user.tos.accepted")));
  const ok = { status: 200, body: { ok: true } };

  test("are public: five documents, each with version, name and address", async () => {
    const { status, body } = await new Person(service).call("GET", "/terms");
    expect(status).toBe(200);
    const types = ["general-tos", "card-PROVIDER-tos", "cashback-tos", "privacy-policy", "PROVIDER-privacy-policy"];
    expect(body).toEqual({
      terms: types.map((type) => ({
        type,
        currentVersion: expect.stringMatching(/^[A-Z_]+_VERSION_1$/),
        url: expect.stringMatching(new RegExp(`^http://.*/terms/${type}$`)),
        name: expect.any(String),
      })),
    });
    expect(await new Person(service).trpc().terms.list.query()).toEqual(body);
  });

  test("can all be accepted, each once, with an event each", async () => {
    const person = await newPerson();
    const { body: before } = await person.call("GET", "/user/terms");
    expect(before.terms).toHaveLength(4);
    for (const shown of before.terms) {
      expect(shown).toEqual({
        type: shown.type,
        currentVersion: shown.currentVersion,
        accepted: false,
        acceptedVersion: null,
        acceptedAt: null,
        url: expect.stringContaining(shown.type),
      });
      expect(await accept(person, shown.type, shown.currentVersion)).toEqual(ok);
      expect(await accept(person, shown.type, shown.currentVersion)).toEqual(ok);
    }
    const { body: after } = await person.call("GET", "/user/terms");
    expect(after.terms).toEqual(
      before.terms.map((shown: { currentVersion: string }) => ({
        ...shown,
        accepted: true,
        acceptedVersion: shown.currentVersion,
        acceptedAt: instant,
      })),
    );
    expect(await acceptedEvents(person)).toHaveLength(4);
    expect((await (await newPerson()).call("GET", "/user/terms")).body).toEqual(before);
  });

  test("accepted twenty times in parallel are accepted once", async () => {
    const person = await newPerson();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => accept(person, "general-tos", "TOS_GENERAL_VERSION_1")),
    );
    expect(answers).toEqual(answers.map(() => ok));
    expect(await acceptedEvents(person)).toHaveLength(1);
  });

  test.each([
    ["general-tos", "TOS_GENERAL_VERSION_2", "Unknown terms or not the current version"],
    ["general-tos", "PRIVACY_POLICY_VERSION_1", "Unknown terms or not the current version"],
    ["general-tos", "", "Unknown terms or not the current version"],
    ["general-tos", undefined, "version is missing"],
    ["general-tos", 1, "version is invalid"],
    ["PROVIDER-privacy-policy", "PROVIDER_PRIVACY_POLICY_VERSION_1", "terms is invalid"],
    ["constructor", "x", "terms is invalid"],
    [undefined, "TOS_GENERAL_VERSION_1", "terms is missing"],
  ])("%p in version %p is refused", async (terms, version, message) => {
    const person = await newPerson();
    expect(await accept(person, terms, version)).toEqual({ status: 422, body: { message } });
    expect(await acceptedEvents(person)).toEqual([]);
  });

  test("of a user need the user", async () => {
    const visitor = new Person(service);
    expect(shortOf(await visitor.call("GET", "/user/terms"))).toEqual(unauthorized);
    expect(await accept(visitor, "general-tos", "TOS_GENERAL_VERSION_1")).toEqual(unauthorized);
  });
});
