import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { KycStatus } from "@cardkeep/contract/verification/kyc";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import { toAlpha2, toAlpha3 } from "@cardkeep/providers/kyc/countries";
import { createSumsub } from "@cardkeep/providers/kyc/sumsub";
import fc from "fast-check";
import { createHmac } from "node:crypto";

interface Seen {
  method: string;
  path: string;
  headers: Headers;
  body: string;
}

/** A vendor with chosen answers that remembers the last request. */
let respond: () => Response | Promise<Response> = () => Response.json({});
let seen: Seen | null = null;
let vendor: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  vendor = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      seen = { method: request.method, path: pathname + search, headers: request.headers, body: await request.text() };
      return respond();
    },
  });
});
afterAll(() => vendor.stop(true));

const callbackSecret = "whsecret";
const adapter = (url = `http://127.0.0.1:${vendor.port}`) =>
  createSumsub({
    url,
    appToken: "app-token",
    appSecret: "test-secret",
    callbackSecrets: [callbackSecret],
    levelName: "basic-kyc-level",
    timeoutMs: 5_000,
    now: () => new Date(1_607_551_635_999),
  });

const hmac = (text: string, secret = callbackSecret, hash = "sha256") =>
  createHmac(hash, secret).update(text).digest("hex");
const read = (rawBody: string, digest: string | null = hmac(rawBody), algorithm: string | null = "HMAC_SHA256_HEX") =>
  adapter("http://127.0.0.1:1").parseCallback({ rawBody, headers: { digest, algorithm } });
const write = (fields: object = {}) =>
  JSON.stringify({
    type: "applicantReviewed",
    applicantId: "5c9e177b0a975a6eeccf5960",
    externalUserId: "u1",
    correlationId: "req-1",
    reviewResult: { reviewAnswer: "GREEN" },
    levelName: "basic-kyc-level",
    applicantType: "individual",
    createdAtMs: "2020-02-21 13:23:19.321",
    sandboxMode: true,
    ...fields,
  });

describe("a request to Sumsub", () => {
  test("without a body carries the known signature over time, method and path as sent", async () => {
    respond = () => Response.json({}, { status: 400 });
    await expect(adapter().findApplicant("u1")).rejects.toThrow(ProviderRefused);
    expect([seen?.method, seen?.path]).toEqual(["GET", "/resources/applicants/-;externalUserId=u1/one"]);
    expect(seen?.headers.get("x-app-token")).toBe("app-token");
    expect(seen?.headers.get("x-app-access-ts")).toBe("1607551635");
    expect(seen?.headers.get("x-app-access-sig")).toBe(
      "6ee919ac6f4e262ac85c28ad78a81177de2623c7a86fa762096e92e3be728ca7",
    );
  });

  test("with query and body signs both byte for byte, for any user id and any end of the address", async () => {
    // The oracle itself, checked against the recorded vector.
    const recorded =
      '1607551635POST/resources/accessTokens/sdk{"userId":"u1","levelName":"basic-kyc-level","ttlInSecs":600}';
    expect(hmac(recorded, "test-secret")).toBe("e25be3e8ee5202913705c25921c8d4717779d9fd74d6a94e447f8650ae53b21c");
    const answerAll = () =>
      Response.json({ url: "https://in.sumsub.com/x", id: "1", externalUserId: "u", token: "t", userId: "u" });
    respond = answerAll;
    const isSigned = () =>
      seen !== null &&
      seen.headers.get("x-app-access-sig") === hmac(`1607551635${seen.method}${seen.path}${seen.body}`, "test-secret");
    const sumsub = adapter(`http://127.0.0.1:${vendor.port}/`);
    for (const userId of ["u1", "ü/ä;x=1?#", "a b+c%"]) {
      await sumsub.findApplicant(userId);
      expect(isSigned()).toBe(true);
      await sumsub.createWebLink({ userId, email: "ä@example.org", language: "de" });
      expect(isSigned()).toBe(true);
      expect(seen?.path).toBe("/resources/sdkIntegrations/levels/-/websdkLink?lang=de");
      const shared = { applicantId: "5c9e177b0a975a6eeccf5960", forClientId: "ClientLtd" };
      respond = () => Response.json({ token: "t", forClientId: "ClientLtd" });
      expect(await sumsub.createShareToken({ ...shared, ttlSeconds: 600 })).toEqual({
        token: "t",
        forClientId: "ClientLtd",
      });
      expect(isSigned()).toBe(true);
      expect([seen?.method, seen?.path]).toEqual(["POST", "/resources/accessTokens/shareToken"]);
      expect(JSON.parse(seen?.body ?? "")).toEqual({ ...shared, ttlInSecs: 600 });
      respond = answerAll;
      await sumsub.createSdkToken({ userId, email: "a@example.org", ttlSeconds: 600 });
      expect(isSigned()).toBe(true);
      expect(JSON.parse(seen?.body ?? "")).toMatchObject({ userId, levelName: "basic-kyc-level", ttlInSecs: 600 });
    }
  });

  test("that is rejected is final; 5xx, 429, silence, a flood and nonsense are retried", async () => {
    const ask = () => adapter().createWebLink({ userId: "u1", email: "a@example.org" });
    for (const status of [400, 401, 403, 404]) {
      respond = () => Response.json({ description: "secret text of the partner" }, { status });
      expect(await ask().catch((error: unknown) => error)).toMatchObject({ name: "ProviderRefused", status });
    }
    const temporary: (() => Response | Promise<Response>)[] = [
      () => new Response("secret text", { status: 500 }),
      () => new Response("secret text", { status: 429 }),
      () => new Promise(() => {}),
      () => new Response("x".repeat(2 * 1024 * 1024)),
      () => new Response("<html>secret text</html>"),
      () => Response.json({ url: 7, secret: "secret text" }),
      () => Response.redirect("http://127.0.0.1:1/"),
    ];
    for (const answer of temporary) {
      respond = answer;
      const error = await ask().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ProviderUnavailable);
      expect(error).not.toBeInstanceOf(ProviderRefused);
      expect(Bun.inspect(error)).not.toContain("secret text");
    }
    const unreachable = adapter("http://127.0.0.1:1").createWebLink({ userId: "u1", email: "a@example.org" });
    expect(await unreachable.catch((error: unknown) => error)).toBeInstanceOf(ProviderUnavailable);
  });

  test("returns an applicant with alpha-2 countries, and null for unknown values", async () => {
    const info = {
      firstName: "Άντα",
      firstNameEn: "Ada",
      country: "GBR",
      nationality: "XXX",
      addresses: [{ street: "A 1", town: "B", country: "DEU" }],
    };
    respond = () => Response.json({ id: "5c9e177b0a975a6eeccf5960", externalUserId: "u1", info });
    expect(await adapter().findApplicant("u1")).toEqual({
      applicantId: "5c9e177b0a975a6eeccf5960",
      externalUserId: "u1",
      firstName: "Άντα",
      lastName: null,
      latinFirstName: "Ada",
      latinLastName: null,
      birthDate: null,
      address1: "A 1",
      address2: null,
      city: "B",
      postalCode: null,
      state: null,
      country: "DE",
      nationality: null,
      documentsValidUntil: null,
      levelName: null,
      status: null,
    });
  });
});

/** Answers of a review and the status that each one sets at the configured level. */
const answers: readonly [object | null, KycStatus | null][] = [
  [{ reviewAnswer: "GREEN" }, "approved"],
  [{ reviewAnswer: "RED", reviewRejectType: "FINAL" }, "rejected"],
  [{ reviewAnswer: "RED", reviewRejectType: "RETRY" }, "resubmissionRequested"],
  [{ reviewAnswer: "RED" }, "resubmissionRequested"],
  [{ reviewAnswer: "YELLOW" }, null],
  [null, null],
];

/** Whose review it is. The first one is of a person at the configured level. */
const subjects: readonly { levelName?: string | null; type?: string | null }[] = [
  { levelName: "basic-kyc-level", type: "individual" },
  { levelName: "phone-only", type: "individual" },
  { levelName: "basic-kyc-level", type: "company" },
  { levelName: "basic-kyb-level", type: "company" },
  { levelName: "BASIC-KYC-LEVEL", type: "individual" },
  { levelName: null, type: "individual" },
  { levelName: "basic-kyc-level", type: null },
  {},
];

test("an applicant's address keeps the number of house and flat, each once, in whichever field they are", async () => {
  const linesOf = async (address: object) => {
    respond = () => Response.json({ id: "a1", externalUserId: "u1", info: { addresses: [address] } });
    const applicant = await adapter().findApplicant("u1");
    return [applicant?.address1, applicant?.address2];
  };
  const street = "Lange Straße";
  expect(await linesOf({ street, buildingNumber: "12a", flatNumber: "7" })).toEqual(["Lange Straße 12a", "7"]);
  expect(await linesOf({ street: "Lange Straße 12A", buildingNumber: "12a" })).toEqual(["Lange Straße 12A", null]);
  expect(await linesOf({ street: "12, High Street", buildingNumber: "12" })).toEqual(["12, High Street", null]);
  // The 1 is no part of the 12.
  expect(await linesOf({ street: "Haus 12", buildingNumber: "1" })).toEqual(["Haus 12 1", null]);
  // The same number may be part of the street's name.
  for (const [named, number] of [
    ["Rue du 8 Mai", "8"],
    ["Via 20 Settembre", "20"],
    ["Rue du 8 Mai 1945", "8"],
    ["Rue du 8 Mai 1945", "45"],
    ["Rue du 8 Mai 1945", "5"],
    ["Plaza 12 de Octubre, Bloque 3", "12"],
  ] as const)
    expect(await linesOf({ street: named, buildingNumber: number })).toEqual([`${named} ${number}`, null]);
  for (const [named, number] of [
    ["Rue du 8 Mai 8", "8"],
    ["8 Rue du 8 Mai", "8"],
    ["Lange Straße 12, Hinterhaus", "12"],
    ["Flat 3, 12 High Street", "12"],
  ] as const)
    expect(await linesOf({ street: named, buildingNumber: number })).toEqual([named, null]);
  expect(await linesOf({ street, subStreet: "2nd floor", buildingName: "Rose House", flatNumber: "7" })).toEqual([
    street,
    "2nd floor, Rose House, 7",
  ]);
  for (const nothing of [null, "", undefined])
    expect(
      await linesOf({
        street,
        buildingNumber: nothing,
        subStreet: nothing,
        buildingName: nothing,
        flatNumber: nothing,
      }),
    ).toEqual([street, null]);
  // A number alone is no address.
  expect(await linesOf({ buildingNumber: "12" })).toEqual([null, null]);
});

describe("the applicant's record", () => {
  const recordOf = (fields: object) => {
    respond = () => Response.json({ id: "a1", externalUserId: "u1", type: "individual", ...fields });
    return adapter().findApplicant("u1");
  };
  const levelName = "basic-kyc-level";

  test.each<[object | null, KycStatus | null]>([
    [{ reviewStatus: "init" }, "notStarted"],
    [{ reviewStatus: "pending" }, "pending"],
    [{ reviewStatus: "prechecked" }, "processing"],
    [{ reviewStatus: "queued" }, "processing"],
    [{ reviewStatus: "awaitingService" }, "processing"],
    [{ reviewStatus: "awaitingUser" }, "documentsRequested"],
    [{ reviewStatus: "onHold" }, "requiresAction"],
    ...answers.map(([reviewResult, status]): [object, KycStatus | null] => [
      { reviewStatus: "completed", reviewResult },
      status,
    ]),
    [{ reviewStatus: "pending", reviewResult: { reviewAnswer: "GREEN" } }, "pending"],
    [{ reviewStatus: "of a later version" }, null],
  ])("%j at the configured level means %p", async (review, status) => {
    expect((await recordOf({ review: { levelName, ...review } }))?.status).toBe(status);
  });

  test.each(subjects.slice(1))(
    "of %j approves nobody; a final rejection needs a person",
    async ({ type, ...level }) => {
      for (const [reviewResult] of answers) {
        const isFinal =
          reviewResult !== null && "reviewRejectType" in reviewResult && reviewResult.reviewRejectType === "FINAL";
        const review = { reviewStatus: "completed", reviewResult, ...level };
        expect((await recordOf({ type, review }))?.status).toBe(isFinal ? "requiresAction" : null);
      }
      for (const reviewStatus of ["init", "pending", "onHold"])
        expect((await recordOf({ type, review: { reviewStatus, ...level } }))?.status).toBeNull();
    },
  );

  test("that is deactivated needs a person, whatever its review says", async () => {
    const review = { levelName, reviewStatus: "completed", reviewResult: { reviewAnswer: "GREEN" } };
    expect((await recordOf({ deleted: true, review }))?.status).toBe("requiresAction");
    expect((await recordOf({ deleted: false, review }))?.status).toBe("approved");
  });

  test("names the day until which the last of the documents is valid", async () => {
    const until = async (idDocs: object[] | null) => (await recordOf({ info: { idDocs } }))?.documentsValidUntil;
    const [passport, card] = [{ idDocType: "PASSPORT" }, { idDocType: "ID_CARD" }];
    expect(await until([{ validUntil: "2030-01-31" }, { validUntil: "2028-05-01" }])).toBe("2030-01-31");
    expect(
      await until([
        { ...passport, validUntil: "2030-01-31" },
        { ...card, validUntil: "2028-05-01" },
      ]),
    ).toBe("2030-01-31");
    for (const validUntil of [null, undefined, ""])
      expect(
        await until([
          { ...card, validUntil },
          { ...passport, validUntil: "2028-05-01" },
        ]),
      ).toBeNull();
    expect(await until([])).toBeNull();
    expect(await until(null)).toBeNull();
  });

  test("names the day of the identity documents alone: a proof of address or a bank card prolongs no approval", async () => {
    const until = async (idDocs: object[]) => (await recordOf({ info: { idDocs } }))?.documentsValidUntil;
    const bill = { idDocType: "UTILITY_BILL", issuedDate: "2024-02-02" };
    const bankCard = { idDocType: "BANK_CARD", validUntil: "2031-12-31" };
    for (const idDocType of ["PASSPORT", "ID_CARD", "RESIDENCE_PERMIT", "DRIVERS"])
      for (const other of [bill, bankCard, { idDocType: "OF_A_LATER_VERSION" }, {}])
        expect(await until([{ idDocType, validUntil: "2025-04-19" }, other])).toBe("2025-04-19");
    expect(await until([bill, { idDocType: "OF_A_LATER_VERSION", validUntil: "2025-04-19" }])).toBe("2025-04-19");
    expect(await until([bill])).toBeNull();
  });
});

describe("a callback of Sumsub", () => {
  test("has the recorded vectors' digests; SHA-1 never counts", () => {
    const raw = '{"applicantId":"5c9e177b0a975a6eeccf5960","type":"applicantReviewed"}';
    expect(hmac(raw)).toBe("2499f5158f0f540240d3d3d8123955b7c59c078d69c6d1fe4d380f93464dd47f");
    expect(hmac(raw, callbackSecret, "sha1")).toBe("3334a2111f72c5194cfde954f471e3109a7707da");
    const whole = write();
    expect(read(whole)).toMatchObject({ status: "approved" });
    expect(read(whole, hmac(whole, callbackSecret, "sha512"), "HMAC_SHA512_HEX")).toEqual(read(whole));
    expect(read(whole, hmac(whole, callbackSecret, "sha1"), "HMAC_SHA1_HEX")).toBe("forged");
  });

  /** Every documented type, and the status that it sets at the configured level; null: the record is asked. */
  const types: readonly (readonly [string, KycStatus | null])[] = [
    ["applicantCreated", "documentsRequested"],
    ["applicantReset", "notStarted"],
    ["applicantPending", "pending"],
    ["applicantPrechecked", "processing"],
    ["applicantAwaitingService", "processing"],
    ["applicantAwaitingUser", "documentsRequested"],
    ["applicantOnHold", "requiresAction"],
    ["applicantPersonalInfoChanged", null],
    ["applicantTagsChanged", null],
    ["applicantActivated", null],
    ["applicantDeactivated", null],
    ["applicantDeleted", null],
    ["applicantPersonalDataDeleted", null],
    ["applicantLevelChanged", null],
    ["applicantActionPending", null],
    ["applicantActionReviewed", null],
    ["applicantActionOnHold", null],
    ["applicantActionLevelChanged", null],
    ["applicantWorkflowCompleted", null],
    ["applicantWorkflowFailed", null],
    ["of a later version", null],
    ["constructor", null],
  ];

  test.each([...types, ["applicantReviewed", null] as const])(
    "%s sets a status for a person at the configured level alone",
    (type, status) => {
      for (const [reviewResult, answered] of answers) {
        for (const { type: applicantType, ...level } of subjects) {
          const isOwn = level.levelName === "basic-kyc-level" && applicantType === "individual";
          const expected = type === "applicantReviewed" ? answered : status;
          const callback = { type, reviewResult, levelName: undefined, applicantType, ...level };
          expect(read(write(callback))).toMatchObject({ status: isOwn ? expected : null });
        }
      }
    },
  );

  test("is ordered by provider time, in any spelling, and named by correlation and type", () => {
    const atMs = Date.UTC(2020, 1, 21, 13, 23, 19, 321);
    for (const createdAtMs of ["2020-02-21 13:23:19.321", "2020-02-21T13:23:19.321Z", String(atMs), atMs]) {
      expect(read(write({ createdAtMs }))).toMatchObject({
        id: "req-1:applicantReviewed",
        createdAtMs: atMs,
        sandboxMode: true,
      });
    }
    for (const createdAtMs of ["", "soon", "2020-13-41 00:00:00", "2020-02-21", -1, 0, 1.5, null, [], true]) {
      expect(read(write({ createdAtMs }))).toBe("senseless");
    }
  });

  test("is never read with a wrong digest", () => {
    const raw = write();
    const forged = fc.oneof(
      fc.string(),
      fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString("hex")),
      fc.string({ minLength: 1 }).map((secret) => hmac(raw, `${callbackSecret}${secret}`)),
      fc.nat({ max: 63 }).map((length) => hmac(raw).slice(0, length)),
      fc.string({ minLength: 1 }).map((tail) => hmac(raw) + tail),
      fc.constant(null),
    );
    const algorithm = fc.constantFrom("HMAC_SHA256_HEX", "HMAC_SHA512_HEX");
    fc.assert(fc.property(forged, algorithm, (digest, named) => expect(read(raw, digest, named)).toBe("forged")));
  });

  test("is never read under a forbidden algorithm, with a right digest or not", () => {
    const raw = write();
    const digests = ["md5", "sha1", "sha224", "sha256", "sha512"].map((hash) => hmac(raw, callbackSecret, hash));
    const names = [
      "HMAC_SHA1_HEX",
      "hmac_sha256_hex",
      "sha256",
      "none",
      "None",
      "",
      "constructor",
      "__proto__",
      "toString",
    ];
    const algorithm = fc.oneof(fc.constantFrom(null, ...names), fc.string());
    fc.assert(
      fc.property(fc.constantFrom(...digests), algorithm, (digest, named) =>
        expect(read(raw, digest, named)).toBe("forged"),
      ),
    );
  });

  test("is never read with a missing, added or changed byte", () => {
    const raw = write();
    const change = fc.oneof(
      fc.nat({ max: raw.length - 1 }).map((length) => raw.slice(0, length)),
      fc.string({ minLength: 1 }).map((tail) => raw + tail),
      fc
        .tuple(fc.nat({ max: raw.length - 1 }), fc.string({ minLength: 1, maxLength: 1 }))
        .map(([at, other]) => raw.slice(0, at) + other + raw.slice(at + 1)),
    );
    fc.assert(
      fc.property(change, (changed) =>
        expect(read(changed, hmac(raw))).toEqual(changed === raw ? read(raw) : "forged"),
      ),
    );
  });

  test("says whether it is of the test environment as a truth value or as a text, and as nothing else", () => {
    for (const sandboxMode of [true, "true"]) expect(read(write({ sandboxMode }))).toMatchObject({ sandboxMode: true });
    for (const sandboxMode of [false, "false", undefined])
      expect(read(write({ sandboxMode }))).toMatchObject({ sandboxMode: false, status: "approved" });
    for (const sandboxMode of ["", "yes", "0", "1", 0, 1, null, []])
      expect(read(write({ sandboxMode }))).toBe("senseless");
  });

  test("of any shape is read or refused, without an exception, and with a genuine digest it is no forgery", () => {
    const reading = (value: unknown) => read(JSON.stringify(value) ?? "");
    const almost = fc.dictionary(fc.constantFrom(...Object.keys(JSON.parse(write()))), fc.jsonValue());
    fc.assert(fc.property(fc.oneof(fc.jsonValue(), almost), (value) => expect(reading(value)).not.toBe("forged")));
    for (const raw of ["", "{", "null", "[]", "7"]) expect(read(raw)).toBe("senseless");
  });
});

test("every country converts to alpha-2 and back; other texts do not", () => {
  expect([toAlpha2("DEU"), toAlpha2("GBR"), toAlpha2("BRA"), toAlpha2("AUT"), toAlpha2("AUS")]).toEqual([
    "DE",
    "GB",
    "BR",
    "AT",
    "AU",
  ]);
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"), minLength: 3, maxLength: 3 }),
      (alpha3) => {
        const alpha2 = toAlpha2(alpha3);
        expect(alpha2 === null || toAlpha3(alpha2) === alpha3).toBe(true);
      },
    ),
  );
  for (const text of ["", "de", "deu", "XX", "constructor", null, undefined])
    expect([toAlpha2(text), toAlpha3(text)]).toEqual([null, null]);
});
