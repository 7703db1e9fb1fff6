import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { kycStatuses } from "@cardkeep/contract/kyc";
import { events } from "@cardkeep/db/schema/tables";
import { development } from "@cardkeep/runtime/development";
import { and, eq } from "drizzle-orm";
import { createHmac, randomUUID } from "node:crypto";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(() => service.stop());

const newPerson = async () => (await new Person(service).signIn()).signUp();
const statusOf = async (person: Person) => (await person.call("GET", "/user")).body.kycStatus;
const review = (person: Person, outcome: string, applicant?: object) =>
  person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome, ...(applicant && { applicant }) });
const countEvents = async (person: Person) =>
  (
    await service.runtime.db
      .select()
      .from(events)
      .where(and(eq(events.userId, person.userId ?? ""), eq(events.eventType, "kyc.status.changed")))
  ).length;

const digest = (raw: string, secret: string = development.KYC_CALLBACK_SECRET, hash = "sha256") =>
  createHmac(hash, secret).update(raw).digest("hex");
const deliver = (raw: string, headers: Record<string, string>) =>
  fetch(`${service.url}/callbacks/sumsub`, { method: "POST", body: raw, headers });
const signed = (raw: string) =>
  deliver(raw, { "X-Payload-Digest": digest(raw), "X-Payload-Digest-Alg": "HMAC_SHA256_HEX" });
const notice = (externalUserId: string | null, applicantId: string, fields: object = {}) =>
  JSON.stringify({
    type: "applicantReviewed",
    applicantId,
    externalUserId,
    correlationId: randomUUID(),
    reviewResult: { reviewAnswer: "GREEN" },
    createdAtMs: Date.now(),
    sandboxMode: true,
    ...fields,
  });

describe("KYC", () => {
  test.each(kycStatuses.filter((status) => status !== "notStarted"))(
    "the provider's callback makes the status %s",
    async (outcome) => {
      const person = await newPerson();
      expect((await review(person, outcome)).body).toMatchObject({ userId: person.userId, outcome });
      expect(await statusOf(person)).toBe(outcome);
      expect(await countEvents(person)).toBe(1);
    },
  );

  test("an approval fills the person's data from the applicant, with alpha-2 countries", async () => {
    const person = await newPerson();
    await review(person, "approved", {
      firstName: "Grace",
      lastName: "Hopper",
      country: "GB",
      nationality: "US",
      city: "London",
    });
    expect((await person.call("GET", "/user")).body).toMatchObject({
      firstName: "Grace",
      lastName: "Hopper",
      country: "GB",
      nationalityCountry: "US",
      city: "London",
      postalCode: "10117",
    });
  });

  test("a link and a token for the flow, until the user is approved: 409 then", async () => {
    const person = await newPerson();
    const { body: link } = await person.call("GET", "/kyc/integration?lang=de");
    expect(link).toEqual({ type: "PROVIDER_WEB", url: expect.stringContaining("lang=de") });
    const page = await fetch(link.url.replace("localhost", "127.0.0.1"));
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect((await person.call("GET", "/kyc/integration/sdk")).body).toEqual({
      type: "PROVIDER_SDK",
      token: expect.any(String),
      userId: person.userId,
    });
    await review(person, "approved");
    for (const path of ["/kyc/integration", "/kyc/integration/sdk"]) {
      const { status, body } = await person.call("GET", path);
      expect({ status, body }).toEqual({ status: 409, body: { message: "The user has already been approved" } });
    }
  });

  test("a callback without the provider's own digest changes nothing: 401", async () => {
    const person = await newPerson();
    const { body } = await review(person, "pending");
    const raw = notice(person.userId, body.applicantId);
    const forged: Record<string, string>[] = [
      {},
      { "X-Payload-Digest": digest(raw) },
      { "X-Payload-Digest": digest(raw, "another secret"), "X-Payload-Digest-Alg": "HMAC_SHA256_HEX" },
      {
        "X-Payload-Digest": digest(raw, development.KYC_CALLBACK_SECRET, "sha1"),
        "X-Payload-Digest-Alg": "HMAC_SHA1_HEX",
      },
      { "X-Payload-Digest": digest(raw), "X-Payload-Digest-Alg": "none" },
      { "X-Payload-Digest": digest(`${raw} `), "X-Payload-Digest-Alg": "HMAC_SHA256_HEX" },
      { "X-Payload-Digest": "zz", "X-Payload-Digest-Alg": "HMAC_SHA256_HEX" },
    ];
    for (const headers of forged) expect((await deliver(raw, headers)).status).toBe(401);
    expect(await statusOf(person)).toBe("pending");
    expect((await signed(raw)).status).toBe(200);
    expect(await statusOf(person)).toBe("approved");
  });

  test("the same callback twenty times at once is one change and one event", async () => {
    const person = await newPerson();
    const { body } = await review(person, "pending");
    const raw = notice(person.userId, body.applicantId);
    const answers = await Promise.all(Array.from({ length: 20 }, () => signed(raw)));
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect(await countEvents(person)).toBe(2);
  });

  test("an approval that is older than a rejection does not undo it", async () => {
    const person = await newPerson();
    const { body } = await review(person, "rejected");
    expect((await signed(notice(person.userId, body.applicantId, { createdAtMs: Date.now() - 60_000 }))).status).toBe(
      200,
    );
    expect(await statusOf(person)).toBe("rejected");
  });

  test("a callback about somebody else's applicant is refused", async () => {
    const [ada, bob] = [await newPerson(), await newPerson()];
    const [{ body: ofAda }] = [await review(ada, "pending"), await review(bob, "pending")];
    expect((await signed(notice(bob.userId, ofAda.applicantId))).status).toBe(409);
    expect(await statusOf(bob)).toBe("pending");
    expect((await signed(notice("nobody", ofAda.applicantId))).status).toBe(409);
  });

  test("a callback that makes no sense is refused like a forged one", async () => {
    for (const raw of ["", "{", "[]", '{"type":"applicantReviewed"}']) expect((await signed(raw)).status).toBe(401);
  });
});
