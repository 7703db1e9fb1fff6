import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { updatePartner } from "@cardkeep/db/queries/partners/partners";
import { cardDisputes, cardPayments, cards, contactChanges, users } from "@cardkeep/db/schema/tables";
import { eq, sql } from "drizzle-orm";
import { randomUUID } from "node:crypto";
import { until } from "../support/poll.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, use } from "../support/spending.ts";
import { registerPartner } from "../support/webhooks.ts";
import { startMailServer, type TestMailServer } from "../support/smtp.ts";

let mail: TestMailServer;
let service: Service;
beforeAll(async () => {
  mail = await startMailServer();
  const env = { MAIL_URL: `smtp://cardkeep:secret@127.0.0.1:${mail.port}`, MAIL_FROM: "hello@cardkeep.example" };
  service = await startService({ worker: false, env });
});
afterAll(async () => {
  await service.stop();
  await mail.stop();
});

const sendOtp = (email: unknown) => new Person(service).call("POST", "/auth/signup/otp", { email });

describe("with a mail server", () => {
  test("the code arrives by SMTP and signs up", async () => {
    const person = await new Person(service).signIn();
    expect((await sendOtp("Ada.Lovelace@example.org")).body).toEqual({ ok: true });
    await until(() => mail.received.length === 1);
    const [letter] = mail.received;
    expect(letter).toMatchObject({
      from: "hello@cardkeep.example",
      to: ["Ada.Lovelace@example.org"],
      user: "cardkeep",
    });
    const [otp] = /\b\d{6}\b/.exec(letter?.text ?? "") ?? [];
    const { status } = await person.call("POST", "/auth/signup", { authEmail: "ada.lovelace@EXAMPLE.org", otp });
    expect(status).toBe(201);
    expect((await person.sandbox("GET", "/mailbox")).body).toEqual([]);
  });

  const attacks: unknown[] = [
    "v@x.org\r\nBcc: e@y.org",
    "v@x.org,e@y.org",
    '"n" <e@y.org>',
    "v@x.org\r\nRCPT TO:<e@y.org>",
    "v@x.org\n",
    "e@y.org>,<v@x.org",
    ["v@x.org", "e@y.org"],
    { address: "e@y.org", name: "v@x.org" },
    `${"a".repeat(250)}@example.org`,
  ];
  test.each(attacks.map((attack) => [JSON.stringify(attack), attack]))("no mail leaves for %s", async (_, email) => {
    const before = mail.received.length;
    const { status, body } = await sendOtp(email);
    expect(status).toBe(422);
    expect(body).toEqual({ error: "Invalid email format" });
    expect(mail.received).toHaveLength(before);
  });

  test("a hundred parallel requests for one address send one mail, and get 429 with Retry-After", async () => {
    const before = mail.received.length;
    const answers = await Promise.all(Array.from({ length: 100 }, () => sendOtp("bomb@example.org")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(99);
    expect(refused.every(({ headers }) => Number(headers.get("retry-after")) > 0)).toBe(true);
    expect(mail.received.slice(before).map(({ to }) => to)).toEqual([["bomb@example.org"]]);
  });

  test("five mails an hour to one address, at any distance", async () => {
    const person = new Person(service);
    for (let index = 0; index < 5; index++) {
      expect((await sendOtp("hourly@example.org")).status).toBe(200);
      await person.sandbox("POST", "/chain/advance", { seconds: 61 });
    }
    const sixth = await sendOtp("hourly@example.org");
    expect(sixth.status).toBe(429);
    await person.sandbox("POST", "/chain/advance", { seconds: Number(sixth.headers.get("retry-after")) });
    expect((await sendOtp("hourly@example.org")).status).toBe(200);
  });

  test("a refusal of the server is an error, without the server's text", async () => {
    mail.refuseWith({ responseCode: 550, message: "secret text" });
    const { status, body } = await sendOtp("refused@example.org");
    expect([status, body]).toEqual([500, { error: "Internal server error" }]);
    mail.refuseWith(null);
  });

  test("that is away is a 502 with Retry-After", async () => {
    mail.refuseWith({ responseCode: 421, message: "closing" });
    const { status, body, headers } = await sendOtp("away@example.org");
    expect([status, body]).toEqual([502, { error: "Mail is temporarily unavailable" }]);
    expect([headers.get("x-error-code"), headers.get("retry-after")]).toEqual(["auth.mail_unavailable", "5"]);
    mail.refuseWith(null);
  });

  test("that is away again leaves the code that arrived, and is asked again after its Retry-After", async () => {
    const [address, person] = ["again@example.org", await new Person(service).signIn()];
    expect((await sendOtp(address)).status).toBe(200);
    const [otp] = /\b\d{6}\b/.exec(mail.received.at(-1)?.text ?? "") ?? [];
    await person.sandbox("POST", "/chain/advance", { seconds: 61 });
    mail.refuseWith({ responseCode: 421, message: "closing" });
    for (let index = 0; index < 2; index++) expect((await sendOtp(address)).status).toBe(502);
    expect((await person.call("POST", "/auth/signup", { authEmail: address, otp })).status).toBe(201);
    const { headers } = await sendOtp("later@example.org");
    mail.refuseWith(null);
    await person.sandbox("POST", "/chain/advance", { seconds: Number(headers.get("retry-after")) });
    expect((await sendOtp("later@example.org")).status).toBe(200);
  });
});

test("a mail that its receiver's server refuses for good ends its job, of every kind", async () => {
  const env = { MAIL_URL: `smtp://cardkeep:secret@127.0.0.1:${mail.port}`, MAIL_FROM: "hello@cardkeep.example" };
  const own = await startService({ env });
  afterAll(() => own.stop());
  const { db } = own.runtime;
  const ada = await becomeCardHolder(own);
  const userId = ada.person.userId ?? "";
  expect(await use(ada, 100)).toMatchObject({ approved: true });
  const [payment] = await db.select().from(cardPayments).where(eq(cardPayments.userId, userId));
  const [card] = await db.select().from(cards).where(eq(cards.userId, userId));
  const [at, requestId] = [new Date(), "test"];
  const [disputeId, changeId, partnerId] = [randomUUID(), randomUUID(), "unreachable"];
  await db.insert(cardDisputes).values({
    id: disputeId,
    paymentId: payment?.id ?? "",
    userId,
    reason: "wrong_value",
    status: "requested",
    creditDecidedAt: at,
    requestId,
    createdAt: at,
    updatedAt: at,
  });
  await db.update(cardDisputes).set({ status: "expired" }).where(eq(cardDisputes.id, disputeId));
  const { email } = (await ada.person.call("GET", "/user")).body;
  const former = "former@example.org";
  await db.insert(contactChanges).values({
    id: changeId,
    userId,
    kind: "email",
    former,
    value: email,
    tokenHash: "none",
    operator: "ops",
    requestId,
    createdAt: at,
    expiresAt: at,
    endedAt: at,
    outcome: "changed",
  });
  // An unproven address gets few mails.
  const proven = { emailProvenAt: at, formerPhone: "+4915100000009", contactChangedAt: at };
  await db.update(users).set(proven).where(eq(users.id, userId));
  await registerPartner(ada.person, partnerId, { email: "ops@partner.example" });
  await updatePartner(db, partnerId, { webhookStatus: "DISABLED", webhookReason: "It answered 410 Gone" });
  const before = mail.refused.length;
  mail.refuseWith({ responseCode: 550, message: "no such mailbox" });
  const cardId = card?.id ?? "";
  await enqueue(db, "card.mail", { cardId, requestId });
  await enqueue(db, "card.supportMail", { cardId, requestId });
  await enqueue(db, "card.disputeMail", { disputeId, requestId });
  await enqueue(db, "card.creditMail", { disputeId, requestId });
  await enqueue(db, "card.openedDisputeMail", { disputeId, requestId });
  await enqueue(db, "contact.mail", { changeId, requestId });
  await enqueue(db, "phone.mail", { userId, requestId });
  await enqueue(db, "webhook.mail", { partnerId, requestId });
  await until(() => mail.refused.length >= before + 8);
  const listJobs = () =>
    db.execute(sql`select task_identifier as task, last_error as error from graphile_worker.jobs
      where task_identifier ilike '%mail'`);
  await until(async () => (await listJobs()).length === 0);
  const wanted = [...Array.from({ length: 6 }, () => email), former, "ops@partner.example"];
  expect(mail.refused.slice(before).toSorted()).toEqual(wanted.toSorted());
  mail.refuseWith(null);
}, 60_000);
