import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findUser } from "@cardkeep/db/queries/users/users";
import { TRPCClientError } from "@trpc/client";
import { decodeJwt, decodeProtectedHeader } from "jose";
import type { Hex } from "viem";
import { filled } from "../support/filled.ts";
import { Person, type SignInFields } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(() => service.stop());

const invalidSignature = { status: 401, body: { error: "Invalid signature" } };
const duplicate = "Email address already registered or Wallet address already associated with another account";
const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
const minutes = (count: number) => new Date(Date.now() + count * 60_000);

describe("GET /auth/nonce", () => {
  test("answers a bare alphanumeric nonce as text/plain", async () => {
    const { status, body, headers } = await new Person(service).call("GET", "/auth/nonce");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toStartWith("text/plain");
    expect(body).toMatch(/^[a-zA-Z0-9]{17,}$/);
  });
});

describe("POST /auth/challenge", () => {
  test("a signed message yields a token that names the wallet and no user", async () => {
    const person = await new Person(service).signIn();
    const claims = decodeJwt(person.token ?? "");
    expect(claims).toMatchObject({ signerAddress: person.account.address, chainId: "100", hasSignedUp: false });
    expect(claims).not.toHaveProperty("userId");
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600);
    expect(decodeProtectedHeader(person.token ?? "")).toMatchObject({
      typ: "at+jwt",
      alg: "ES256",
      kid: "development",
    });
  });

  test("fifty challenges with one nonce yield one token", async () => {
    const person = new Person(service);
    const signed = await person.signMessage();
    const answers = await Promise.all(Array.from({ length: 50 }, () => person.call("POST", "/auth/challenge", signed)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(49);
  });

  test("a nonce is spent by its first challenge even when the signature is wrong", async () => {
    const person = new Person(service);
    const signed = await person.signMessage();
    const stranger = new Person(service);
    const forged = await stranger.account.signMessage({ message: signed.message });
    expect(shortOf(await person.call("POST", "/auth/challenge", { ...signed, signature: forged }))).toEqual(
      invalidSignature,
    );
    expect(shortOf(await person.call("POST", "/auth/challenge", signed))).toEqual(invalidSignature);
  });

  test("a nonce that was never issued, or that is older than ten minutes, is refused", async () => {
    const person = new Person(service);
    const selfMade = await person.signMessage({ nonce: "abcdefghijklmnopqrstuvwx" });
    expect(shortOf(await person.call("POST", "/auth/challenge", selfMade))).toEqual(invalidSignature);
    const { body: nonce } = await person.call("GET", "/auth/nonce");
    await person.sandbox("POST", "/chain/advance", { seconds: 601 });
    expect(shortOf(await person.call("POST", "/auth/challenge", await person.signMessage({ nonce })))).toEqual(
      invalidSignature,
    );
  });

  /** The code behind the one published text. */
  const codeOf = async (person: Person, signed: { message: string; signature: Hex }): Promise<string> => {
    const fault: unknown = await person
      .trpc()
      .auth.challenge.mutate(signed)
      .then(null, (error: unknown) => error);
    if (!(fault instanceof TRPCClientError)) throw new Error("The challenge was accepted");
    expect(fault.message).toBe("Invalid signature");
    return fault.data.error;
  };

  const wrong: [string, SignInFields, string][] = [
    ["a foreign domain", { domain: "evil.test", uri: "https://evil.test" }, "auth.unknown_domain"],
    [
      "a domain that only begins like an allowed one",
      { domain: "localhost.evil.test", uri: "http://localhost.evil.test" },
      "auth.unknown_domain",
    ],
    ["127.0.0.1, not localhost", { domain: "127.0.0.1:5173", uri: "http://127.0.0.1:5173" }, "auth.unknown_domain"],
    ["a scheme that is not the uri's", { scheme: "https" }, "auth.unknown_domain"],
    ["a scheme that is not one of the web", { scheme: "ftp", uri: "ftp://localhost:5173" }, "auth.unknown_domain"],
    ["a uri of another host", { uri: "http://localhost:9999" }, "auth.unknown_domain"],
    ["another chain", { chainId: 1 }, "auth.wrong_chain"],
    ["an expired message", { expirationTime: minutes(-1) }, "auth.expired_message"],
    ["a message that is not valid yet", { notBefore: minutes(60) }, "auth.early_message"],
    ["a message from the future", { issuedAt: minutes(2) }, "auth.early_message"],
    ["a message older than ten minutes", { issuedAt: minutes(-11) }, "auth.expired_message"],
    ["a nonce of its own", { nonce: "abcdefghijklmnopqrstuvwx" }, "auth.invalid_nonce"],
  ];
  test.each(wrong)("refuses %s, with its own code", async (_, fields, code) => {
    const person = new Person(service);
    expect(shortOf(await person.call("POST", "/auth/challenge", await person.signMessage(fields)))).toEqual(
      invalidSignature,
    );
    expect(await codeOf(person, await person.signMessage(fields))).toBe(code);
  });

  test("takes a domain that names the usual port of its scheme, which a uri leaves out", async () => {
    const person = new Person(service);
    for (const uri of filled(["http://localhost:80/login", "http://localhost"])) {
      const signed = await person.signMessage({ domain: "localhost:80", uri });
      expect((await person.call("POST", "/auth/challenge", signed)).status).toBe(200);
    }
    const signed = await person.signMessage({ domain: "localhost:443", uri: "http://localhost" });
    expect((await person.call("POST", "/auth/challenge", signed)).status).toBe(401);
  });

  test("takes the optional scheme of EIP-4361 where the uri has the same", async () => {
    const person = new Person(service);
    for (const fields of [{ scheme: "http" }, { scheme: "HTTP", uri: "http://localhost:5173/login" }]) {
      const signed = await person.signMessage(fields);
      expect(signed.message).toStartWith(`${fields.scheme}://localhost:5173 wants you to sign in`);
      expect((await person.call("POST", "/auth/challenge", signed)).status).toBe(200);
    }
  });

  test("refuses another person's signature, with its own code", async () => {
    const person = new Person(service);
    const { message } = await person.signMessage();
    const signature = await new Person(service).account.signMessage({ message });
    expect(await codeOf(person, { message, signature })).toBe("auth.invalid_signature");
  });

  test("refuses a message that is not strictly EIP-4361", async () => {
    // Of an address without capitals the last message would be valid.
    const person = new Person(service, `0x${"1".padStart(64, "0")}`);
    expect(person.account.address).toMatch(/[A-F]/);
    const { message } = await person.signMessage();
    for (const broken of [
      "",
      "hello",
      `${message}\ntrailing`,
      message.replace(person.account.address, person.account.address.toLowerCase()),
    ]) {
      const signature = await person.account.signMessage({ message: broken });
      expect(shortOf(await person.call("POST", "/auth/challenge", { message: broken, signature }))).toEqual(
        invalidSignature,
      );
      expect(await codeOf(person, { message: broken, signature })).toBe("auth.malformed_message");
    }
  });

  test.each([-1, 0, 59, 1.5, 86_401, 1e12, "3600", null])("refuses ttlInSeconds %p with 422", async (ttlInSeconds) => {
    const person = new Person(service);
    const { status, body } = await person.call("POST", "/auth/challenge", {
      ...(await person.signMessage()),
      ttlInSeconds,
    });
    expect({ status, body }).toEqual({ status: 422, body: { error: "ttlInSeconds is invalid" } });
  });

  test.each([60, 86_400])("grants a lifetime of %p seconds", async (ttlInSeconds) => {
    const person = new Person(service);
    const { body } = await person.call("POST", "/auth/challenge", { ...(await person.signMessage()), ttlInSeconds });
    const { exp = 0, iat = 0 } = decodeJwt(body.token);
    expect(exp - iat).toBe(ttlInSeconds);
  });

  test("refuses a malformed body with 422", async () => {
    const person = new Person(service);
    for (const body of [{}, { message: 1, signature: "0x" }, { message: "m", signature: "nope" }, [], "text"]) {
      expect((await person.call("POST", "/auth/challenge", JSON.stringify(body))).status).toBe(422);
    }
  });
});

describe("POST /auth/signup", () => {
  test("answers 201 with a token that names the user", async () => {
    const person = await new Person(service).signIn();
    const { status, body } = await person.call("POST", "/auth/signup", {
      authEmail: "full@example.org",
      partnerId: "sandbox",
      referralCouponCode: "NOBODY-KNOWS",
      marketingCampaign: "spring",
    });
    expect(status).toBe(201);
    expect(body).toEqual({ id: expect.any(String), token: expect.any(String), hasSignedUp: true });
    expect(decodeJwt(body.token)).toMatchObject({ userId: body.id, hasSignedUp: true });
    person.token = body.token;
    expect((await person.call("GET", "/user")).body).toMatchObject({
      id: body.id,
      email: "full@example.org",
      partnerId: "sandbox",
    });
  });

  test("refuses a text that no database can store, 422, and writes nothing", async () => {
    const person = await new Person(service).signIn();
    for (const field of ["referralCouponCode", "marketingCampaign", "partnerId"]) {
      const body = { authEmail: "nul@example.org", [field]: "a\0b" };
      const answer = await person.call("POST", "/auth/signup", body);
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 422,
        body: { error: `${field} is invalid` },
      });
    }
    expect((await person.call("POST", "/auth/signup", { authEmail: "nul@example.org" })).status).toBe(201);
  });

  test("a later sign-in of the same wallet names the user", async () => {
    const person = await (await new Person(service).signIn()).signUp();
    await person.signIn();
    expect(decodeJwt(person.token ?? "")).toMatchObject({ userId: person.userId, hasSignedUp: true });
  });

  test("fifty sign-ups with one e-mail create one user", async () => {
    const people = await Promise.all(Array.from({ length: 50 }, () => new Person(service).signIn()));
    const answers = await Promise.all(
      people.map((person, index) =>
        person.call("POST", "/auth/signup", { authEmail: index % 2 ? "race@example.org" : "RACE@example.org" }),
      ),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    const refused = answers.filter((answer) => answer.status !== 201);
    expect(refused.every((answer) => answer.status === 409 && answer.body.error === duplicate)).toBe(true);
  });

  test("fifty sign-ups of one wallet create one user", async () => {
    const person = await new Person(service).signIn();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        person.call("POST", "/auth/signup", { authEmail: `wallet-race-${index}@example.org` }),
      ),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409 && answer.body.error === duplicate)).toHaveLength(49);
  });

  test("refuses an unknown partner with 400 and writes nothing", async () => {
    const person = await new Person(service).signIn();
    const { status, body } = await person.call("POST", "/auth/signup", {
      authEmail: "partner@example.org",
      partnerId: "nobody",
    });
    expect({ status, body }).toEqual({ status: 400, body: { error: "Invalid partner ID" } });
    for (const partnerId of ["", "x".repeat(300), "a\nb"]) {
      const refused = await person.call("POST", "/auth/signup", { authEmail: "partner@example.org", partnerId });
      expect([refused.status, refused.body]).toEqual([400, { error: "Invalid partner ID" }]);
    }
    expect((await person.call("POST", "/auth/signup", { authEmail: "partner@example.org" })).status).toBe(201);
  });

  test.each([
    "nope",
    "a@b",
    "v@x.org\r\nBcc: e@y.org",
    "v@x.org,e@y.org",
    '"n" <e@y.org>',
    " a@example.org",
    "a@example.org\n",
    // It stands in the place of another person's address.
    "c0ffee@released.invalid",
    "c0ffee@ERASED.invalid",
    "ada@example.xn--",
    "ada@example.xn--p1ai-",
  ])("refuses the e-mail address %p", async (authEmail) => {
    const person = await new Person(service).signIn();
    for (const answer of [
      await person.call("POST", "/auth/signup", { authEmail }),
      await person.call("POST", "/auth/signup/otp", { email: authEmail }),
    ]) {
      expect([answer.status, answer.body]).toEqual([422, { error: "Invalid email format" }]);
      expect(answer.headers.get("x-error-code")).toBe("auth.invalid_email");
    }
  });

  test.each(["ada@example.xn--p1ai", "ada@xn--exmple-cua.xn--fiqs8s"])("takes %p, in ASCII form", async (authEmail) => {
    const person = await new Person(service).signIn();
    expect((await person.call("POST", "/auth/signup", { authEmail })).status).toBe(201);
  });

  test("needs a token before the body is read", async () => {
    const { status, body } = await new Person(service).call("POST", "/auth/signup", { authEmail: "nope" });
    expect({ status, body }).toEqual({ status: 401, body: { message: "Unauthorized" } });
  });
});

describe("one-time passwords", () => {
  const sendCode = async (person: Person, email: string): Promise<string> => {
    expect((await person.call("POST", "/auth/signup/otp", { email })).body).toEqual({ ok: true });
    const { body } = await person.sandbox("GET", `/mailbox?to=${encodeURIComponent(email)}`);
    expect(body[0].code).toMatch(/^\d{6}$/);
    return body[0].code;
  };
  const invalidOtp = { status: 401, body: { error: "Invalid or expired OTP" } };

  test("the mailed code signs up, once", async () => {
    const person = await new Person(service).signIn();
    const otp = await sendCode(person, "code@example.org");
    expect((await person.call("POST", "/auth/signup", { authEmail: "code@example.org", otp })).status).toBe(201);
    const other = await new Person(service).signIn();
    expect(shortOf(await other.call("POST", "/auth/signup", { authEmail: "code@example.org", otp }))).toEqual(
      invalidOtp,
    );
  });

  test("a code for one address is invalid for another", async () => {
    const person = await new Person(service).signIn();
    const otp = await sendCode(person, "mine@example.org");
    expect(shortOf(await person.call("POST", "/auth/signup", { authEmail: "yours@example.org", otp }))).toEqual(
      invalidOtp,
    );
  });

  test("after five wrong codes the right one is invalid too, in parallel as well", async () => {
    const person = await new Person(service).signIn();
    const otp = await sendCode(person, "guess@example.org");
    const wrong = otp === "000000" ? "000001" : "000000";
    await Promise.all(
      Array.from({ length: 20 }, () =>
        person.call("POST", "/auth/signup", { authEmail: "guess@example.org", otp: wrong }),
      ),
    );
    expect(shortOf(await person.call("POST", "/auth/signup", { authEmail: "guess@example.org", otp }))).toEqual(
      invalidOtp,
    );
  });

  test("a code ends after five minutes, and a wrong length is an invalid code", async () => {
    const person = await new Person(service).signIn();
    const otp = await sendCode(person, "late@example.org");
    expect(shortOf(await person.call("POST", "/auth/signup", { authEmail: "late@example.org", otp: "12345" }))).toEqual(
      invalidOtp,
    );
    await person.sandbox("POST", "/chain/advance", { seconds: 301 });
    expect(shortOf(await person.call("POST", "/auth/signup", { authEmail: "late@example.org", otp }))).toEqual(
      invalidOtp,
    );
  });

  test("an unproven address yields to its owner: its former holder signs in, has none and gets no mail", async () => {
    const email = "Squatted@example.org";
    const eve = await (await new Person(service).signIn()).signUp({ authEmail: email.toLowerCase() });
    const victim = await new Person(service).signIn();
    const taken = { status: 409, body: { error: duplicate } };
    expect(shortOf(await victim.call("POST", "/auth/signup", { authEmail: email }))).toEqual(taken);

    const otp = await sendCode(victim, email);
    await victim.signUp({ authEmail: email, otp });
    expect((await victim.call("GET", "/user")).body).toMatchObject({ id: victim.userId, email });
    expect(shortOf(await eve.call("POST", "/auth/signup", { authEmail: email, otp }))).toEqual(invalidOtp);

    await eve.signIn();
    expect((await eve.call("GET", "/user")).body).toMatchObject({ id: eve.userId, email: null });
    const { db, services } = service.runtime;
    const to = (await findUser(db, eve.userId ?? ""))?.email ?? "";
    expect(to).toEndWith(".invalid");
    await services.mailer.send({ to, subject: "A payment", text: "3 EUR" });
    expect((await eve.sandbox("GET", `/mailbox?to=${encodeURIComponent(to)}`)).body).toEqual([]);
  });

  test("a proven address stays with its holder", async () => {
    const email = "proven@example.org";
    const holder = await new Person(service).signIn();
    await holder.signUp({ authEmail: email, otp: await sendCode(holder, email) });
    await holder.sandbox("POST", "/chain/advance", { seconds: 61 });
    const other = await new Person(service).signIn();
    const answer = await other.call("POST", "/auth/signup", { authEmail: email, otp: await sendCode(other, email) });
    expect(shortOf(answer)).toEqual({ status: 409, body: { error: duplicate } });
    expect((await holder.call("GET", "/user")).body).toMatchObject({ email });
  });

  test("of five sign-ups with one code, one gets the address of a holder who never proved it", async () => {
    const email = "crowded@example.org";
    await (await new Person(service).signIn()).signUp({ authEmail: email });
    const people = await Promise.all(Array.from({ length: 5 }, () => new Person(service).signIn()));
    const [first = new Person(service)] = people;
    const otp = await sendCode(first, email);
    const answers = await Promise.all(
      people.map((person) => person.call("POST", "/auth/signup", { authEmail: email, otp })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => ![201, 401, 409].includes(status))).toEqual([]);
  });

  test("a second mail within the minute is 429 with Retry-After, for known and unknown addresses alike", async () => {
    const person = new Person(service);
    for (const email of ["full@example.org", "unknown@example.org"]) {
      await person.call("POST", "/auth/signup/otp", { email });
      const { status, body, headers } = await person.call("POST", "/auth/signup/otp", { email });
      expect({ status, body }).toEqual({ status: 429, body: { error: "Too many requests" } });
      expect(Number(headers.get("retry-after"))).toBeWithin(1, 61);
    }
  });
});
