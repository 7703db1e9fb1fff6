/** Changes of a mail address or phone number that support asks for, and what thieves, talkers and stale links gain by them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { contactChanges, operatorActions, users } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import { randomBytes } from "node:crypto";
import { createVirtual } from "../support/cards.ts";
import { filled } from "../support/filled.ts";
import { runCliOn } from "../support/cli.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder, use } from "../support/spending.ts";

let service: Service;
let ada: CardHolder;
let phone: string;
let email: string;
beforeAll(async () => {
  service = await startService();
  ada = await becomeCardHolder(service);
  ({ phone, email } = (await ada.person.call("GET", "/user")).body);
  // The person proved the address long ago.
  await markProven(ada.person);
});
afterAll(() => service.stop());

const isAda = () => eq(users.id, ada.person.userId ?? "");
const change = (fields: Partial<typeof users.$inferInsert>) =>
  service.runtime.db.update(users).set(fields).where(isAda());
const markProven = ({ userId }: Person) =>
  service.runtime.db
    .update(users)
    .set({ emailProvenAt: new Date() })
    .where(eq(users.id, userId ?? ""));
const rowOf = async () => (await service.runtime.db.select().from(users).where(isAda()))[0];
const ask = (kind: string, value: string) =>
  runCliOn(service.runtime, "users", "change-contact", ada.person.userId ?? "", kind, value, "--reason", "call 4711");
const newMail = () => `ada-${randomBytes(4).toString("hex")}@new.example`;
const newNumber = () => `+49151${String(Math.trunc(Math.random() * 1e8)).padStart(8, "0")}`;

interface Message {
  text: string;
  code: string;
}
const read = async (path: string): Promise<Message[]> => (await ada.person.sandbox("GET", path)).body;
const smsTo = (number: string) => read(`/phones?to=${encodeURIComponent(number)}`);
const mailsTo = (address: string) => read(`/mailbox?to=${encodeURIComponent(address)}`);
const findLink = (messages: readonly Message[]): string =>
  messages.map(({ text }) => /https?:\S+contact\?token=[\w-]+/.exec(text)?.[0] ?? "").find((link) => link !== "") ?? "";

/** The newest link that the person got. */
async function linkAfter(before: string, box: () => Promise<Message[]>): Promise<string> {
  await until(async () => !["", before].includes(findLink(await box())));
  return findLink(await box());
}
/** The service has another port than its public address here. */
const open = (link: string, fields?: Record<string, string>) => {
  const { pathname, search } = new URL(link);
  const method = fields && { method: "POST", body: new URLSearchParams(fields) };
  return fetch(`${service.url}${pathname}${search}`, { ...method });
};
const agree = (link: string) => open(link, { answer: "agree" });
const changesOf = () =>
  service.runtime.db
    .select()
    .from(contactChanges)
    .where(eq(contactChanges.userId, ada.person.userId ?? ""))
    .orderBy(contactChanges.createdAt);

describe("a change of the mail address that support asks for", () => {
  const wanted = newMail();
  let link: string;

  test("sends the link to the proven number, a notice without a link to the former address, and changes nothing", async () => {
    const asked = await ask("email", wanted);
    expect(asked.code).toBe(0);
    // Who asked is said, and the new contact is the person's alone.
    expect(asked.out).toMatch(/^Change of a contact +mail address, asked for by /m);
    expect(asked.out).not.toContain(wanted);
    link = await linkAfter("", () => smsTo(phone));
    await until(async () => (await mailsTo(email)).some(({ text }) => text.includes("another contact of yours")));
    expect(findLink(await mailsTo(email))).toBe("");
    for (const _ of [1, 2]) expect((await open(link)).status).toBe(200);
    expect(await (await open(link)).text()).toContain("a…@new.example");
    // A browser sends its forms.
    expect((await open(link)).headers.get("content-security-policy")).toContain("form-action 'self'");
    expect(await mailsTo(wanted)).toEqual([]);
    expect((await rowOf())?.email).toBe(email);
  });

  test("needs the person's yes before a code goes out, and the code that the new address gets", async () => {
    expect((await open(link, { code: "123456" })).status).toBe(400);
    expect(await (await open(link)).text()).not.toContain(`name="code"`);
    expect((await agree(link)).status).toBe(200);
    // A second click, and the link opened again, leave the field for the code that was sent.
    const second = await agree(link);
    const text = await second.text();
    expect([second.status, text.includes(`name="code"`), text.includes("Wait a minute")]).toEqual([429, true, true]);
    expect(await (await open(link)).text()).toContain(`name="code"`);
    const [{ code } = { code: "" }] = await mailsTo(wanted);
    const wrong = code === "000000" ? "111111" : "000000";
    expect(await (await open(link, { code: wrong })).text()).toContain("This code is wrong or too old.");
    expect((await rowOf())?.email).toBe(email);
    const answers = await Promise.all([1, 2, 3].map(() => open(link, { code })));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(texts.filter((text) => text.includes("The contact was changed. For 24 hours"))).toHaveLength(1);
    expect((await ada.person.call("GET", "/user")).body.email).toBe(wanted);
  });

  test("opens the window: the former address hears of it and stays at the issuer, no card is made, codes do not pay", async () => {
    await until(async () => (await mailsTo(email)).some(({ text }) => text.includes("this one gets no more messages")));
    const atIssuer = async () =>
      (await ada.person.sandbox("GET", `/issuer/cards/${ada.cardToken}`)).body.cardholder.email;
    expect(await atIssuer()).toBe(email);
    await expect(createVirtual(ada.person)).rejects.toThrow();
    expect(await use(ada, 100, { threeDSecure: "authenticated" })).toMatchObject({ reason: "contact_changed" });
    expect((await ask("phone", newNumber())).err).toContain("wait until the window ends");
    await ada.person.sandbox("POST", "/chain/advance", { seconds: 25 * 3_600 });
    await until(async () => (await atIssuer()) === wanted);
  });

  test("serves once, and leaves neither address in the action log", async () => {
    expect((await open(link)).status).toBe(400);
    expect((await agree(link)).status).toBe(400);
    const logged = await service.runtime.db
      .select({ before: operatorActions.before, after: operatorActions.after })
      .from(operatorActions)
      .where(eq(operatorActions.verb, "users.change-contact"));
    expect(logged.length).toBeGreaterThan(0);
    expect(JSON.stringify(logged)).not.toContain("@");
    email = wanted;
  });
});

describe("nobody else", () => {
  const asked = async (kind: string, value: string) => {
    const before = findLink(await smsTo(phone));
    expect((await ask(kind, value)).code).toBe(0);
    return linkAfter(before, () => smsTo(phone));
  };

  test("guesses a link, or makes the service ask for what belongs to another", async () => {
    for (const token of ["", "a", randomBytes(32).toString("base64url"), "a".repeat(5_000)])
      expect((await open(`http://x/callbacks/contact?${new URLSearchParams({ token })}`)).status).toBe(400);
    const other = await becomeCardHolder(service, 0n);
    const { email: taken } = (await other.person.call("GET", "/user")).body;
    await markProven(other.person);
    expect((await ask("email", taken.toUpperCase())).err).toContain("belongs to an account already");
    expect((await ask("email", "nonsense")).err).toContain("Give a mail address");
    expect((await ask("pigeon", "x")).code).not.toBe(0);
  });

  test("uses the earlier of two links", async () => {
    const first = await asked("email", newMail());
    const second = newMail();
    const next = await asked("email", second);
    expect((await agree(first)).status).toBe(400);
    expect((await agree(next)).status).toBe(200);
    expect(await mailsTo(second)).toHaveLength(1);
  });

  test("asks again after the person refused", async () => {
    const link = await asked("email", newMail());
    expect(await (await open(link, { answer: "refuse" })).text()).toContain("Nothing was changed");
    expect((await agree(link)).status).toBe(400);
    expect((await changesOf()).at(-1)?.outcome).toBe("refused");
  });

  test("gets the link in a stolen session, whose own number is unproven", async () => {
    const thief = newNumber();
    expect((await ada.person.call("POST", "/verification", { phoneNumber: thief })).status).toBe(200);
    const link = await asked("email", newMail());
    expect(findLink(await smsTo(thief))).toBe("");
    expect((await open(link)).status).toBe(200);
    await change({ phone, isPhoneValidated: true });
  });

  test("gets the link at a number that they have proved since, while the person's newer one is unproven", async () => {
    expect((await ada.person.call("POST", "/verification", { phoneNumber: newNumber() })).status).toBe(200);
    const eve = await (await new Person(service).signIn()).signUp();
    const give = (fields: Partial<typeof users.$inferInsert>) =>
      service.runtime.db
        .update(users)
        .set(fields)
        .where(eq(users.id, eve.userId ?? ""));
    await give({ phone, isPhoneValidated: true });
    const before = [findLink(await smsTo(phone)), findLink(await mailsTo(email))] as const;
    expect((await ask("email", newMail())).code).toBe(0);
    const link = await linkAfter(before[1], () => mailsTo(email));
    expect((await open(link)).status).toBe(200);
    expect(findLink(await smsTo(phone))).toBe(before[0]);
    await give({ phone: null, isPhoneValidated: false });
    await change({ phone, isPhoneValidated: true });
  });

  test("uses a link of a person who was blocked since, nor of one a day old", async () => {
    const link = await asked("email", newMail());
    await change({ status: "DEACTIVATED" });
    expect((await agree(link)).status).toBe(400);
    expect((await ask("email", newMail())).err).toContain("deactivated");
    await change({ status: "ACTIVE" });
    await ada.person.sandbox("POST", "/chain/advance", { seconds: 25 * 3_600 });
    expect((await agree(link)).status).toBe(400);
  });
});

describe("an address that a stranger signed up with and never proved", () => {
  const squat = async (authEmail: string) => (await new Person(service).signIn()).signUp({ authEmail });
  const prove = async (link: string, wanted: string) => {
    const [{ code } = { code: "" }] = await mailsTo(wanted);
    return (await open(link, { code })).status;
  };
  const emailsOf = async (...people: Person[]) =>
    Promise.all(people.map(async (person) => (await person.call("GET", "/user")).body.email));

  test.each(["before it is asked for", "before the code is entered"])(
    "goes to the one who proves it, squatted %s",
    async (when) => {
      const [wanted, before] = [newMail(), findLink(await smsTo(phone))];
      const early = when.includes("asked") ? await squat(wanted) : null;
      expect((await ask("email", wanted)).code).toBe(0);
      const link = await linkAfter(before, () => smsTo(phone));
      expect((await agree(link)).status).toBe(200);
      const eve = early ?? (await squat(wanted.toUpperCase()));
      expect(await prove(link, wanted)).toBe(200);
      expect(await emailsOf(ada.person, eve)).toEqual([wanted, null]);
      email = wanted;
      await ada.person.sandbox("POST", "/chain/advance", { seconds: 25 * 3_600 });
      await ada.person.signIn();
    },
  );

  test("stays with the stranger who proved it meanwhile", async () => {
    const [wanted, before] = [newMail(), findLink(await smsTo(phone))];
    const eve = await squat(wanted);
    expect((await ask("email", wanted)).code).toBe(0);
    const link = await linkAfter(before, () => smsTo(phone));
    expect((await agree(link)).status).toBe(200);
    await markProven(eve);
    expect(await prove(link, wanted)).toBe(409);
    expect(await emailsOf(ada.person, eve)).toEqual([email, wanted]);
  });
});

test("the window after a change of the mail address stays open for its day where the person proves the same number again", async () => {
  // The codes of the tests before count no more.
  await ada.person.sandbox("POST", "/chain/advance", { seconds: 25 * 3_600 });
  await ada.person.signIn();
  const [wanted, before] = [newMail(), findLink(await smsTo(phone))];
  expect((await ask("email", wanted)).code).toBe(0);
  const link = await linkAfter(before, () => smsTo(phone));
  expect((await agree(link)).status).toBe(200);
  const [{ code } = { code: "" }] = await mailsTo(wanted);
  expect((await open(link, { code })).status).toBe(200);
  const [{ contactSettlesAt } = {}] = [await rowOf()];
  // A thief with the session and the person's SIM.
  for (const number of filled([newNumber(), phone]))
    expect((await ada.person.call("POST", "/verification", { phoneNumber: number })).status).toBe(200);
  const texts: { code: string | null }[] = await smsTo(phone);
  const newest = texts.find((text) => text.code !== null);
  expect((await ada.person.call("POST", "/verification/check", { code: newest?.code })).status).toBe(200);
  expect(await rowOf()).toMatchObject({ phone, isPhoneValidated: true, contactSettlesAt });
  expect(await use(ada, 100, { threeDSecure: "authenticated" })).toMatchObject({ reason: "contact_changed" });
  await expect(createVirtual(ada.person)).rejects.toThrow();
  email = wanted;
  await ada.person.sandbox("POST", "/chain/advance", { seconds: 25 * 3_600 });
  await ada.person.signIn();
  expect(await use(ada, 100, { threeDSecure: "authenticated" })).toMatchObject({ approved: true });
});

test("a change of the number goes by the proven mail address, and tells the former number", async () => {
  const number = newNumber();
  expect((await ask("phone", number)).code).toBe(0);
  const link = await linkAfter("", () => mailsTo(email));
  expect((await agree(link)).status).toBe(200);
  const [{ code } = { code: "" }] = await smsTo(number);
  expect((await open(link, { code })).status).toBe(200);
  expect((await ada.person.call("GET", "/user")).body).toMatchObject({ phone: number, isPhoneValidated: true });
  await until(async () => (await smsTo(phone)).some(({ text }) => text.includes("was changed to one that ends in")));
  expect(await use(ada, 100, { threeDSecure: "authenticated" })).toMatchObject({ reason: "contact_changed" });
});
