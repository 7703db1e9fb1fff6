import { afterAll, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { codes, events } from "@cardkeep/db/schema/tables";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { and, eq } from "drizzle-orm";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(() => service.stop());

let count = 0;
const newNumber = () => `+49151${String(10_000_000 + ++count)}`;
const newPerson = () => new Person(service).becomeApproved();

const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
const ok = { status: 200, body: { ok: true } };
const refused = (error: string) => ({ status: 422, body: { error } });
const tooMany = { status: 429, body: { error: "Too many requests" } };
const wrongCode = refused("Verification failed");

const start = async (person: Person, phoneNumber: unknown) =>
  shortOf(await person.call("POST", "/verification", { phoneNumber }));
const check = async (person: Person, code: unknown) =>
  shortOf(await person.call("POST", "/verification/check", { code }));
const messagesTo = async (number: string) =>
  (await new Person(service).sandbox("GET", `/phones?to=${encodeURIComponent(number)}`)).body;
const codeTo = async (number: string): Promise<string> => (await messagesTo(number))[0].code;
const otherThan = (code: string) => (code === "000000" ? "000001" : "000000");
const stateOf = async (person: Person) => {
  const { phone, isPhoneValidated } = (await person.call("GET", "/user")).body;
  return { phone, isPhoneValidated };
};
const eventsOf = async (person: Person) =>
  service.runtime.db
    .select()
    .from(events)
    .where(and(eq(events.userId, person.userId ?? ""), eq(events.eventType, "kyc.phone-validation.changed")))
    .orderBy(events.sequence);

const validate = async (person: Person, number: string) => {
  expect(await start(person, number)).toEqual(ok);
  expect(await check(person, await codeTo(number))).toEqual(ok);
};

describe("phone verification", () => {
  test("the code by text message validates the number, once, with an event", async () => {
    const [person, number] = [await newPerson(), newNumber()];
    expect(await start(person, number)).toEqual(ok);
    expect(await stateOf(person)).toEqual({ phone: number, isPhoneValidated: false });
    const messages = await messagesTo(number);
    expect(messages).toEqual([
      {
        to: number,
        subject: "",
        text: expect.stringContaining(messages[0].code),
        code: expect.any(String),
        sentAt: expect.any(String),
      },
    ]);
    expect(messages[0].code).toMatch(/^\d{6}$/);
    expect(await check(person, messages[0].code)).toEqual(ok);
    expect(await stateOf(person)).toEqual({ phone: number, isPhoneValidated: true });
    expect(await check(person, messages[0].code)).toEqual(wrongCode);
    expect(await eventsOf(person)).toMatchObject([
      { data: { id: person.userId, phone: number, isPhoneValidated: true } },
    ]);
  });

  test.each([
    undefined,
    null,
    491511234567,
    "",
    "015112345678",
    "+0151123456",
    "+49 151 1234567",
    "+1",
    "+49151123456789012",
    "+4915112345678\n",
    "+4915112345678,+4915112345679",
  ])("refuses %p, which is no number in E.164 form", async (phoneNumber) => {
    expect(await start(await newPerson(), phoneNumber)).toEqual(refused("Invalid phone number"));
  });

  test("needs a user, and the user's approval", async () => {
    const visitor = new Person(service);
    for (const path of ["/verification", "/verification/check"]) {
      expect(shortOf(await visitor.call("POST", path, {}))).toEqual({ status: 401, body: { message: "Unauthorized" } });
    }
    const person = await (await new Person(service).signIn()).signUp();
    expect(await start(person, newNumber())).toEqual(refused("User needs to be KYC approved"));
    expect(await check(person, "123456")).toEqual(refused("User has no phone number"));
    expect(await check(person, undefined)).toEqual(refused("code is missing"));
  });

  test("the code that was sent last counts, also after one of a server whose clock is ahead", async () => {
    const [person, first, second] = [await newPerson(), newNumber(), newNumber()];
    setSystemTime(new Date(Date.now() + 10_000));
    try {
      expect(await start(person, first)).toEqual(ok);
    } finally {
      setSystemTime();
    }
    expect(await start(person, second)).toEqual(ok);
    expect(await check(person, await codeTo(second))).toEqual(ok);
  });

  test("a new number replaces the earlier one, validated or not, and voids its code", async () => {
    const [person, first, second] = [await newPerson(), newNumber(), newNumber()];
    await start(person, first);
    const ofFirst = await codeTo(first);
    await start(person, second);
    expect(await check(person, ofFirst)).toEqual(wrongCode);
    expect(await check(person, await codeTo(second))).toEqual(ok);
    const third = newNumber();
    expect(await start(person, third)).toEqual(ok);
    expect(await stateOf(person)).toEqual({ phone: third, isPhoneValidated: false });
    expect((await eventsOf(person)).map(({ data }) => data)).toMatchObject([
      { phone: second, isPhoneValidated: true },
      { phone: third, isPhoneValidated: false },
    ]);
  });

  test("a number that another user validated is taken, and checks of numbers count as sends", async () => {
    const [ada, bob, number] = [await newPerson(), await newPerson(), newNumber()];
    await validate(ada, number);
    const taken = refused("Phone number already validated");
    for (let index = 0; index < 7; index++) expect(await start(ada, number)).toEqual(taken);
    for (let index = 0; index < 4; index++) expect(await start(bob, number)).toEqual(taken);
    expect(await start(bob, number)).toEqual(tooMany);
    expect(await messagesTo(number)).toHaveLength(1);
    expect(await stateOf(bob)).toEqual({ phone: null, isPhoneValidated: false });
    expect(await stateOf(ada)).toEqual({ phone: number, isPhoneValidated: true });
  });

  test("a taken number leaves the code of the person's own", async () => {
    const [holder, person, number] = [await newPerson(), await newPerson(), newNumber()];
    expect(await start(holder, number)).toEqual(ok);
    expect(await check(holder, await codeTo(number))).toEqual(ok);
    const own = newNumber();
    expect(await start(person, own)).toEqual(ok);
    expect(await start(person, number)).toEqual(refused("Phone number already validated"));
    expect(await check(person, await codeTo(own))).toEqual(ok);
  });

  test("if two users prove one number in parallel, one of them gets it", async () => {
    const [ada, bob, number] = [await newPerson(), await newPerson(), newNumber()];
    await start(ada, number);
    const ofAda = await codeTo(number);
    await start(bob, number);
    const ofBob = await codeTo(number);
    const answers = await Promise.all([check(ada, ofAda), check(bob, ofBob)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([wrongCode]);
    const states = await Promise.all([stateOf(ada), stateOf(bob)]);
    expect(states.filter(({ isPhoneValidated }) => isPhoneValidated)).toHaveLength(1);
  });

  test("a code is invalid for another user", async () => {
    const [ada, bob] = [await newPerson(), await newPerson()];
    const numbers = [newNumber(), newNumber()] as const;
    await start(ada, numbers[0]);
    await start(bob, numbers[1]);
    expect(await check(bob, await codeTo(numbers[0]))).toEqual(wrongCode);
    expect(await check(ada, await codeTo(numbers[0]))).toEqual(ok);
  });

  test("a hundred guesses lock the code after five; a new code works", async () => {
    const [person, number] = [await newPerson(), newNumber()];
    await start(person, number);
    const code = await codeTo(number);
    const guesses = Array.from({ length: 100 }, (_, index) =>
      String((Number(code) + 1 + index) % 1_000_000).padStart(6, "0"),
    );
    for (let at = 0; at < guesses.length; at += 50) {
      const answers = await Promise.all(guesses.slice(at, at + 50).map((guess) => check(person, guess)));
      expect(answers).toEqual(answers.map(() => wrongCode));
    }
    expect(await check(person, code)).toEqual(wrongCode);
    const [row] = await service.runtime.db
      .select()
      .from(codes)
      .where(eq(codes.subject, person.userId ?? ""));
    expect(row).toMatchObject({ triesLeft: 0, codeHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    await start(person, number);
    expect(await check(person, await codeTo(number))).toEqual(ok);
  });

  test("four wrong codes leave one attempt, which one request gets", async () => {
    const [person, number] = [await newPerson(), newNumber()];
    await start(person, number);
    const code = await codeTo(number);
    for (let index = 0; index < 4; index++) expect(await check(person, otherThan(code))).toEqual(wrongCode);
    for (const noCode of ["", "12345", "1234567", "x".repeat(64)])
      expect(await check(person, noCode)).toEqual(wrongCode);
    const answers = await Promise.all(Array.from({ length: 10 }, () => check(person, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await eventsOf(person)).toHaveLength(1);
  });

  test("a code ends after ten minutes", async () => {
    const [person, number] = [await newPerson(), newNumber()];
    await start(person, number);
    const early = await codeTo(number);
    await person.sandbox("POST", "/chain/advance", { seconds: 590 });
    expect(await check(person, otherThan(early))).toEqual(wrongCode);
    await person.sandbox("POST", "/chain/advance", { seconds: 11 });
    expect(await check(person, early)).toEqual(wrongCode);
    await start(person, number);
    const late = await codeTo(number);
    await person.sandbox("POST", "/chain/advance", { seconds: 590 });
    expect(await check(person, late)).toEqual(ok);
  });

  test("five sends an hour, per user and per number, in parallel too: 429 with Retry-After", async () => {
    const [ada, bob, number] = [await newPerson(), await newPerson(), newNumber()];
    const answers = await Promise.all(Array.from({ length: 8 }, () => start(ada, number)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([tooMany, tooMany, tooMany]);
    expect(await messagesTo(number)).toHaveLength(5);
    expect(await start(bob, number)).toEqual(tooMany);
    expect(await start(bob, newNumber())).toEqual(ok);
    const { status, headers } = await ada.call("POST", "/verification", { phoneNumber: newNumber() });
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeWithin(3_500, 3_601);
    await ada.sandbox("POST", "/chain/advance", { seconds: 3_601 });
    expect(await start(ada, number)).toEqual(ok);
  });

  test("a repeated request with its key gets the same answer and sends nothing more", async () => {
    const [person, number] = [await newPerson(), newNumber()];
    const send = () => person.call("POST", "/verification", { phoneNumber: number }, { "Idempotency-Key": "phone" });
    expect(shortOf(await send())).toEqual(ok);
    const code = await codeTo(number);
    expect(shortOf(await send())).toEqual(ok);
    expect(await messagesTo(number)).toHaveLength(1);
    const other = await person.call(
      "POST",
      "/verification",
      { phoneNumber: newNumber() },
      { "Idempotency-Key": "phone" },
    );
    expect(shortOf(other)).toEqual(refused("Idempotency-Key was used with another body"));
    expect(await stateOf(person)).toEqual({ phone: number, isPhoneValidated: false });
    expect(await check(person, code)).toEqual(ok);
    // Sent anew it would replace the validated number.
    expect(shortOf(await send())).toEqual(ok);
    expect(await stateOf(person)).toEqual({ phone: number, isPhoneValidated: true });
  });

  test("tRPC behaves the same", async () => {
    const [person, number] = [await newPerson(), newNumber()];
    expect(await person.trpc().phone.start.mutate({ phoneNumber: number })).toEqual({ ok: true });
    const code = await codeTo(number);
    const failed = await person
      .trpc()
      .phone.check.mutate({ code: otherThan(code) })
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({
      data: { error: "phone.wrong_code", httpStatus: 422 },
      message: "Verification failed",
    });
    expect(await person.trpc().phone.check.mutate({ code })).toEqual({ ok: true });
  });
});

describe("while the gateway", () => {
  /** Plays as an approved person of a second server of the service, whose gateway is at this port. */
  async function besideGateway(port: number, play: (person: Person) => Promise<void>): Promise<void> {
    const SMS_URL = `http://a:b@127.0.0.1:${port}?from=Cardkeep`;
    const runtime = await createRuntime(readSettings({ ...service.env, SMS_URL }), "server");
    const server = createServer(runtime);
    try {
      const url = `http://127.0.0.1:${server.listen(0)}`;
      await play(await new Person({ url, sandboxUrl: service.sandboxUrl }).becomeApproved());
    } finally {
      await server.stop();
      await runtime.close();
    }
  }

  test("is away, the whole start fails: nothing is replaced", () =>
    besideGateway(9, async (person) => {
      const answer = await person.call("POST", "/verification", { phoneNumber: newNumber() });
      expect(shortOf(answer)).toEqual({ status: 502, body: { error: "Text messages are temporarily unavailable" } });
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await stateOf(person)).toEqual({ phone: null, isPhoneValidated: false });
    }));

  test("is away, or refuses, the code that arrived stays right, and the outage counts as no send", async () => {
    let answer: Response | null = null;
    const texts: string[] = [];
    const gateway = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        if (answer) return answer.clone();
        texts.push(new URLSearchParams(await request.text()).get("Body") ?? "");
        return Response.json({ sid: "SM1" }, { status: 201 });
      },
    });
    try {
      await besideGateway(gateway.port ?? 0, async (person) => {
        const number = newNumber();
        expect(await start(person, number)).toEqual(ok);
        const [code = ""] = /\b\d{6}\b/.exec(texts[0] ?? "") ?? [];
        answer = Response.json({}, { status: 503 });
        for (let index = 0; index < 4; index++)
          expect((await person.call("POST", "/verification", { phoneNumber: newNumber() })).status).toBe(502);
        answer = Response.json({ code: 21211 }, { status: 400 });
        expect(await start(person, newNumber())).toEqual(refused("Invalid phone number"));
        expect(await check(person, code)).toEqual(ok);
        answer = null;
        for (let index = 0; index < 3; index++) expect(await start(person, newNumber())).toEqual(ok);
        expect((await person.call("POST", "/verification", { phoneNumber: newNumber() })).status).toBe(429);
      });
    } finally {
      await gateway.stop(true);
    }
  });

  test("may have sent a code, that one counts, and Retry-After says when the next one may", async () => {
    const gateway = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => Response.json({}, { status: 504 }),
    });
    try {
      await besideGateway(gateway.port ?? 0, async (person) => {
        const send = () => person.call("POST", "/verification", { phoneNumber: newNumber() });
        for (let index = 0; index < 4; index++) expect((await send()).headers.get("retry-after")).toBe("5");
        const last = await send();
        expect([last.status, Number(last.headers.get("retry-after")) > 3_000]).toEqual([502, true]);
        expect((await send()).status).toBe(429);
      });
    } finally {
      await gateway.stop(true);
    }
  });

  test("rejects the number, the person gets that error", async () => {
    const gateway = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () =>
        Response.json({ code: 21211, message: "Invalid 'To' Phone Number: +1", status: 400 }, { status: 400 }),
    });
    try {
      await besideGateway(gateway.port ?? 0, async (person) => {
        expect(await start(person, newNumber())).toEqual(refused("Invalid phone number"));
        expect(await stateOf(person)).toEqual({ phone: null, isPhoneValidated: false });
      });
    } finally {
      await gateway.stop(true);
    }
  });
});
