import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { kycStatuses } from "@cardkeep/contract/verification/kyc";
import { events } from "@cardkeep/db/schema/tables";
import { listIdentityVersions } from "@cardkeep/db/queries/users/records";
import { createServer } from "@cardkeep/server/server";
import { development } from "@cardkeep/runtime/development";
import { and, eq } from "drizzle-orm";
import { generatePerson } from "@cardkeep/sandbox/profiles/generatePerson";
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
    levelName: "basic-kyc-level",
    applicantType: "individual",
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
      postalCode: generatePerson(person.account.address, "GB").postalCode,
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

  test("the same callback twenty times in parallel is one change and one event", async () => {
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

  test("a callback with a future date is refused, and the next valid one counts", async () => {
    const person = await newPerson();
    const { body } = await review(person, "pending");
    for (const createdAtMs of [
      9_999_999_999_999,
      Number.MAX_SAFE_INTEGER,
      Date.now() + 6 * 60_000,
      "2286-11-20 17:46:39.999",
    ]) {
      const rejection = { reviewResult: { reviewAnswer: "RED", reviewRejectType: "FINAL" }, createdAtMs };
      expect((await signed(notice(person.userId, body.applicantId, rejection))).status).toBe(409);
    }
    expect(await statusOf(person)).toBe("pending");
    expect((await signed(notice(person.userId, body.applicantId))).status).toBe(200);
    expect(await statusOf(person)).toBe("approved");
  });

  test("a callback about another person's applicant is refused", async () => {
    const [ada, bob] = [await newPerson(), await newPerson()];
    const [{ body: ofAda }] = [await review(ada, "pending"), await review(bob, "pending")];
    expect((await signed(notice(bob.userId, ofAda.applicantId))).status).toBe(409);
    expect(await statusOf(bob)).toBe("pending");
    expect((await signed(notice("nobody", ofAda.applicantId))).status).toBe(409);
  });

  test("an approval takes the person's data from the applicant, not from the callback", async () => {
    const person = await newPerson();
    const { body } = await review(person, "pending", { firstName: "Grace", lastName: "Lovelace", country: "GB" });
    const claims = {
      firstName: "Mallory",
      country: "XX",
      info: { firstName: "Mallory", lastName: "X" },
      email: "m@x.org",
    };
    expect((await signed(notice(person.userId, body.applicantId, claims))).status).toBe(200);
    const { body: user } = await person.call("GET", "/user");
    expect(user).toMatchObject({ kycStatus: "approved", firstName: "Grace", lastName: "Lovelace", country: "GB" });
    expect(JSON.stringify(user)).not.toContain("Mallory");
  });

  test("a callback without a status does not make an earlier approval late", async () => {
    const person = await newPerson();
    const { body } = await review(person, "pending");
    const tags = { type: "applicantTagsChanged", reviewResult: null, createdAtMs: Date.now() + 60_000 };
    expect((await signed(notice(person.userId, body.applicantId, tags))).status).toBe(200);
    expect((await signed(notice(person.userId, body.applicantId, { createdAtMs: Date.now() + 1_000 }))).status).toBe(
      200,
    );
    expect(await statusOf(person)).toBe("approved");
  });

  test("a callback of the provider's test environment is refused in production", async () => {
    const person = await newPerson();
    const { body } = await review(person, "pending");
    const { runtime } = service;
    const policy = { ...runtime.services.policy, testCallbacks: false };
    const strict = createServer({ ...runtime, services: { ...runtime.services, policy } });
    const post = (raw: string) =>
      strict.handle(
        new Request("http://localhost/callbacks/sumsub", {
          method: "POST",
          body: raw,
          headers: { "X-Payload-Digest": digest(raw), "X-Payload-Digest-Alg": "HMAC_SHA256_HEX" },
        }),
      );
    for (const sandboxMode of [true, "true"])
      expect((await post(notice(person.userId, body.applicantId, { sandboxMode }))).status).toBe(409);
    expect(await statusOf(person)).toBe("pending");
    expect((await post(notice(person.userId, body.applicantId, { sandboxMode: "false" }))).status).toBe(200);
    expect((await post(notice(person.userId, body.applicantId, { sandboxMode: false }))).status).toBe(200);
    expect(await statusOf(person)).toBe("approved");
  });

  test("outcomes of callbacks are counted, forged and foreign ones separately", async () => {
    const [ada, bob] = [await newPerson(), await newPerson()];
    const [{ body: ofAda }] = [await review(ada, "pending"), await review(bob, "pending")];
    const count = async (outcome: string) => {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      const sample = new RegExp(`^cardkeep_callbacks_total{provider="kyc",outcome="${outcome}"} (\\d+)$`, "m");
      return Number(sample.exec(text)?.[1] ?? 0);
    };
    const before = { forged: await count("forged"), refused: await count("refused") };
    await deliver(notice(ada.userId, ofAda.applicantId), {});
    const foreign = await signed(notice(bob.userId, ofAda.applicantId));
    expect([foreign.status, foreign.headers.get("x-error-code")]).toEqual([409, "callbacks.unknown_subject"]);
    expect(await count("forged")).toBe(before.forged + 1);
    expect(await count("refused")).toBe(before.refused + 1);
    expect(await count("applied")).toBeGreaterThan(1);
  });

  test("a genuine callback that cannot be read is refused as such, and raises no alarm of a forgery", async () => {
    for (const raw of ["", "{", "[]", '{"type":"applicantReviewed"}']) {
      const { status, headers } = await signed(raw);
      expect([status, headers.get("x-error-code")]).toEqual([422, "callbacks.senseless"]);
      expect((await deliver(raw, {})).status).toBe(401);
    }
  });
});

describe("the language of the flow", () => {
  const linkOf = async (person: Person, query: string) =>
    (await person.call("GET", `/kyc/integration${query}`)).body.url;

  test("is the provider's choice unless it is named, by either name; the documented one wins", async () => {
    const person = await newPerson();
    expect(await linkOf(person, "")).not.toContain("lang");
    // Last: the person's own language.
    expect((await person.call("PUT", "/user/language", { language: "de" })).status).toBe(200);
    for (const query of ["?language=de", "?lang=de", "?language=de&lang=fr", "?lang=fr&language=de", ""]) {
      expect(await linkOf(person, query)).toEndWith("?lang=de");
    }
  });

  test.each(["EN", "e", "en-GB", "..", "", "eng", "%C3%A9n", "en%0A"])(
    "refuses %p, by either name and for both ways",
    async (language) => {
      const person = await newPerson();
      for (const path of ["/kyc/integration", "/kyc/integration/sdk"]) {
        for (const name of ["language", "lang"]) {
          const { status, body } = await person.call("GET", `${path}?${name}=${language}`);
          const refusal = { message: "language must be a two-letter ISO 639-1 code" };
          expect({ status, body }).toEqual({ status: 400, body: refusal });
        }
      }
    },
  );
});

describe("POST /kyc/import-partner-applicant", () => {
  const share = (person: Person, body?: unknown) => person.call("POST", "/kyc/import-partner-applicant", body);
  const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });

  test("gives an approved user a token for the named partner, or for the operator's", async () => {
    const person = await newPerson();
    await review(person, "approved");
    const shared = (forClientId: string) => ({ status: 200, body: { token: expect.any(String), forClientId } });
    expect(shortOf(await share(person, { forClientId: "ClientLtd", ttlInSecs: 60 }))).toEqual(shared("ClientLtd"));
    expect(shortOf(await share(person, {}))).toEqual(shared("sandbox-partner"));
    const [one, two] = [await share(person), await share(person)];
    expect(one.body.token).not.toBe(two.body.token);
    expect(await person.trpc().kyc.importPartnerApplicant.mutate({})).toEqual(shared("sandbox-partner").body);
  });

  test("records each partner as a receiver of the identity, once, by its client id", async () => {
    const person = await newPerson();
    await review(person, "approved");
    for (const body of [{ forClientId: "ClientLtd" }, {}, { forClientId: "ClientLtd" }])
      expect((await share(person, body)).status).toBe(200);
    const [version] = await listIdentityVersions(service.runtime.db, person.userId ?? "");
    expect(version?.disclosedTo).toEqual({
      "partner:ClientLtd": expect.any(String),
      "partner:sandbox-partner": expect.any(String),
    });
  });

  test("gives none before the approval, and none after its withdrawal", async () => {
    const person = await newPerson();
    const refused = { status: 422, body: { message: "User needs to be KYC approved" } };
    expect(shortOf(await share(person, {}))).toEqual(refused);
    await review(person, "processing");
    expect(shortOf(await share(person, {}))).toEqual(refused);
    await review(person, "approved");
    await review(person, "rejected");
    expect(shortOf(await share(person, {}))).toEqual(refused);
    expect(shortOf(await share(new Person(service), {}))).toEqual({ status: 401, body: { message: "Unauthorized" } });
  });

  test.each([
    [{ forClientId: "" }, "forClientId is invalid"],
    [{ forClientId: 7 }, "forClientId is invalid"],
    [{ forClientId: "x".repeat(129) }, "forClientId is invalid"],
    [{ ttlInSecs: 0 }, "ttlInSecs is invalid"],
    [{ ttlInSecs: 1.5 }, "ttlInSecs is invalid"],
    [{ ttlInSecs: 86_401 }, "ttlInSecs is invalid"],
    [{ ttlInSecs: "600" }, "ttlInSecs is invalid"],
    [[], "Invalid request body"],
  ])("refuses %p", async (body, message) => {
    expect(shortOf(await share(await newPerson(), body))).toEqual({ status: 422, body: { message } });
  });

  test("names the missing field if the operator set no partner", async () => {
    const person = await newPerson();
    await review(person, "approved");
    const { runtime } = service;
    const policy = { ...runtime.services.policy, kycShareClientId: null };
    const server = createServer({ ...runtime, services: { ...runtime.services, policy } });
    const answer = await server.handle(
      new Request("http://localhost/api/v1/kyc/import-partner-applicant", {
        method: "POST",
        headers: { Authorization: `Bearer ${person.token}` },
      }),
    );
    expect([answer.status, await answer.json()]).toEqual([422, { message: "forClientId is missing" }]);
  });
});
