/** What a request without a valid token may cost: no body of it is read, and it counts against its network. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { checkSize } from "@cardkeep/server/body";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import { expectWithin, until } from "../support/poll.ts";
import { type OpenTalk, openTalk, talkUntil } from "../support/rawClient.ts";
import { type Service, startService } from "../support/service.ts";

const refusalsMax = 30;
const writesMax = 20;
const env = { OPEN_REQUESTS_PER_MINUTE: String(refusalsMax), WRITES_PER_MINUTE: String(writesMax) };

let service: Service;
let ada: Person;
beforeAll(async () => {
  service = await startService({ worker: false, env });
  ada = await (await new Person(service).signIn()).signUp();
});
afterAll(() => service.stop());

const evidence = "/api/v1/transactions/iauth_1/dispute/evidence/files";

const trpcEvidence = "/trpc/transactions.addEvidenceFile";
const bodyBytes = 6_000_000;

/** The head and the first bytes of a large body. */
const beginning = (path: string, token: string, bytes = bodyBytes): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;

/** Posts the beginning of a large body, and waits for the answer without sending the rest. */
const begin = (path: string, token: string, bytes?: number): Promise<string> =>
  talkUntil(service.url, `${beginning(path, token, bytes)}{"slot":`, (said) => said.includes("\r\n\r\n"));

const call = (path: string, body: string, token: string) =>
  fetch(`${service.url}${path}`, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
  });

describe("a request without a valid token", () => {
  test.each([
    ["REST", evidence, bodyBytes],
    ["tRPC", "/trpc/transactions.addEvidenceFile", bodyBytes],
    ["a batch", "/trpc/transactions.addEvidenceFile,users.acceptTerms?batch=1", bodyBytes],
    ["a partner's route", "/api/v1/partners/card-rules", 60_000],
  ])("is refused before its body has arrived: %s", async (_name, path, bytes) => {
    for (const token of ["bogus", "a.b.c", "ckp_bogus"]) {
      const said = await begin(path, token, bytes);
      expect(said).toStartWith("HTTP/1.1 401");
      expect(said).toContain("auth.token_invalid");
    }
  });

  test("is 413 on REST where it says that its body is too large, as with a token", async () => {
    for (const token of ["bogus", ada.token ?? ""]) {
      const said = await begin("/api/v1/source-of-funds", token, 70_000);
      expect(said).toStartWith("HTTP/1.1 413");
      expect(said).toContain("request.too_large");
    }
  });

  test("of a wallet without a user opens no body of a user's route, and is counted", async () => {
    const stranger = await new Person(service).signIn();
    for (const path of [evidence, "/trpc/transactions.addEvidenceFile"]) {
      const said = await begin(path, stranger.token ?? "");
      expect(said).toStartWith("HTTP/1.1 401");
      expect(said).toContain("auth.sign_up_required");
    }
    const token = stranger.token ?? "";
    const refused: number[] = [];
    for (let turn = 0; turn < refusalsMax + 5; turn++)
      refused.push((await call("/api/v1/verification", "{", token)).status);
    expect(refused.filter((status) => status === 401)).toHaveLength(refusalsMax);
    expect(refused.slice(refusalsMax)).toEqual([429, 429, 429, 429, 429]);
  });

  test("is read by a public operation of the same batch, within the usual limit", async () => {
    const batch = "/trpc/auth.challenge,users.acceptTerms?batch=1";
    const answer = await call(batch, JSON.stringify({ 0: {}, 1: {} }), "bogus");
    const codes = ((await answer.json()) as { error: { data: { error: string } } }[]).map(
      ({ error }) => error.data.error,
    );
    expect(codes).toEqual(["request.invalid", "auth.token_invalid"]);
    expect((await call(batch, JSON.stringify({ 0: { message: "x".repeat(70_000) } }), "bogus")).status).toBe(413);
  });

  test("runs fifty calls in one request in its turn, so that others are served in between, and few wait", async () => {
    const batch = `/trpc/${Array.from({ length: 50 }, () => "transactions.addEvidenceFile").join(",")}?batch=1`;
    const answers = Promise.all(Array.from({ length: 60 }, () => call(batch, "{}", "bogus")));
    let hasEnded = false;
    void answers.then(() => (hasEnded = true));
    let served = 0;
    while (!hasEnded) {
      expect((await fetch(`${service.url}/livez`)).status).toBe(200);
      served += 1;
    }
    const statuses = (await answers).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(40);
    // Twenty turns with their pauses: a server that was held up could not have answered as often.
    expect(served).toBeGreaterThan(20);
  });

  test("whose body arrives slowly holds up no turn of another", async () => {
    const batch = `/trpc/${Array.from({ length: 6 }, () => "auth.challenge").join(",")}?batch=1`;
    const head = `POST ${batch} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n`;
    const slow = openTalk(service.url, `${head}{`);
    for (let turn = 0; turn < 3; turn++) expect((await fetch(`${service.url}/livez`)).status).toBe(200);
    const answers = await (await call(batch, "{}", "bogus")).json();
    expect(answers).toHaveLength(6);
    expect(slow.said()).toBe("");
    // It was not closed meanwhile.
    slow.send("x".repeat(59_999));
    await until(() => slow.said() !== "");
    expect(slow.said()).toStartWith("HTTP/1.1 4");
    slow.end();
  });

  test("counts against the quota of its network, and a valid token goes on", async () => {
    const statuses: number[] = [];
    for (let turn = 0; turn < refusalsMax + 5; turn++)
      statuses.push((await call("/api/v1/source-of-funds", "{", turn % 2 === 0 ? "bogus" : "a.b.c")).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(refusalsMax);
    expect(statuses.slice(refusalsMax)).toEqual([429, 429, 429, 429, 429]);
    expect((await ada.call("POST", "/source-of-funds", [])).status).toBe(422);
  });
});

test("a user's request beyond the quota is refused before its body has arrived, on both surfaces", async () => {
  const busy = await (await new Person(service).signIn()).signUp();
  for (let turn = 0; turn < writesMax; turn++) await busy.call("POST", "/source-of-funds", []);
  for (const path of [evidence, "/trpc/transactions.addEvidenceFile"]) {
    const said = await begin(path, busy.token ?? "");
    expect(said).toStartWith("HTTP/1.1 429");
    expect(said).toContain("request.rate_limited");
  }
  const answer = await call("/trpc/transactions.addEvidenceFile", "{", ada.token ?? "");
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("request.invalid_json")]);
});

describe("a large body", () => {
  const placesOfUser = 4;
  const placesOfAll = 8;
  const join = async () => (await new Person(service).signIn()).signUp();
  const upload = (path: string, { token }: Person, bytes: number) =>
    call(path, JSON.stringify({ threadId: "iauth_1", slot: "checkImage", file: "A".repeat(bytes) }), token ?? "");
  const open = (people: readonly Person[]) =>
    people.map(({ token }, index) => {
      const path = index % 2 === 0 ? evidence : trpcEvidence;
      return openTalk(service.url, beginning(path, token ?? ""));
    });
  const answered = (talks: readonly OpenTalk[]) => talks.filter((talk) => talk.said() !== "");

  test("has few places of one person, and beyond them the answer comes at once, on both surfaces", async () => {
    const [eve, bob] = [await join(), await join()];
    const talks = open(Array.from({ length: 8 }, () => eve));
    await until(() => answered(talks).length === 8 - placesOfUser);
    for (const talk of filled(answered(talks))) {
      expect(talk.said()).toStartWith("HTTP/1.1 503");
      expect(talk.said()).toMatch(/retry-after: \d/i);
      expect(talk.said()).toContain("server.unavailable");
    }
    // Without its length a body may be large.
    const authorization = { Authorization: `Bearer ${eve.token}` };
    const chunked = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(70_000));
        controller.close();
      },
    });
    const unsized = await fetch(service.url + evidence, { method: "POST", body: chunked, headers: authorization });
    expect(unsized.status).toBe(503);
    for (const path of [evidence, trpcEvidence]) {
      expect((await upload(path, eve, 70_000)).status).toBe(503);
      expect((await upload(path, eve, 60_000)).status).not.toBe(503);
      expect((await upload(path, bob, 5_000_000)).status).not.toBe(503);
    }
    expect((await eve.call("POST", "/source-of-funds", [])).status).toBe(422);
    for (const talk of filled(talks.filter((each) => each.said() === ""))) {
      talk.send("x".repeat(bodyBytes));
      await until(() => talk.said() !== "");
      expect(talk.said()).toStartWith("HTTP/1.1 400");
    }
    for (const path of [evidence, trpcEvidence]) expect((await upload(path, eve, 5_000_000)).status).not.toBe(503);
    for (const talk of talks) talk.end();
  });

  test("has few places of all people, and one that breaks off leaves its place", async () => {
    const people = await Promise.all(Array.from({ length: 5 }, join));
    const [late] = people;
    const talks = open([...people, ...people]);
    await until(() => answered(talks).length === 2 * people.length - placesOfAll);
    for (const talk of filled(answered(talks))) expect(talk.said()).toStartWith("HTTP/1.1 503");
    const newcomer = await join();
    expect((await upload(evidence, newcomer, 70_000)).status).toBe(503);
    for (const talk of talks) talk.end();
    const { largeBodies } = service.runtime.services;
    await until(() => {
      const places = Array.from({ length: placesOfAll }, () => largeBodies.enter(null));
      for (const place of places) if (!("fault" in place)) place.leave();
      return places.every((place) => !("fault" in place));
    });
    expect((await upload(evidence, newcomer, 70_000)).status).not.toBe(503);
    expect((await upload(evidence, late ?? newcomer, 70_000)).status).not.toBe(503);
  });

  test("may arrive for a minute, and then is 408 and leaves its place", async () => {
    const eve = await join();
    const bob = await join();
    const talks = open([eve, bob, eve, bob, eve, bob, eve, bob]);
    const { largeBodies } = service.runtime.services;
    const isFull = (userId: string | null): boolean => {
      const place = largeBodies.enter(userId);
      if (!("fault" in place)) place.leave();
      return "fault" in place;
    };
    await until(() => isFull(eve.userId) && isFull(bob.userId));
    const [first, ...slow] = talks;
    const now = performance.now.bind(performance);
    const clock = spyOn(performance, "now");
    try {
      clock.mockImplementation(() => now() + 30_000);
      first?.send("x".repeat(bodyBytes));
      await until(() => first?.said() !== "");
      expect(first?.said()).toStartWith("HTTP/1.1 400");
      clock.mockImplementation(() => now() + 61_000);
      for (const talk of filled(slow)) {
        talk.send("x");
        await until(() => talk.said() !== "");
        expect(talk.said()).toStartWith("HTTP/1.1 408");
        expect(talk.said()).toContain("request.too_slow");
      }
      const answers = await Promise.all([evidence, trpcEvidence].map((path) => upload(path, eve, 70_000)));
      expect(answers.map(({ status }) => status)).not.toContain(503);
    } finally {
      clock.mockRestore();
      for (const talk of talks) talk.end();
    }
  });
});

describe("JSON", () => {
  const values = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [i, i])));

  test("of more values than any input has is 413, before it is parsed", async () => {
    for (const path of ["/api/v1/auth/challenge", "/trpc/auth.challenge"]) {
      expect((await call(path, values(2_000), "bogus")).status).toBe(422);
      expect((await call(path, values(2_001), "bogus")).status).toBe(413);
    }
    // No fault of JSON makes it slow: quotes alone, and one string of quotes.
    for (const text of ['"'.repeat(60_000), `{"message":"${'\\"'.repeat(32_000)}`.slice(0, 65_000)])
      expect([400, 413]).toContain((await call("/api/v1/auth/challenge", text, "bogus")).status);
    const most = JSON.stringify(Object.fromEntries(Array.from({ length: 1_999 }, (_, i) => [i, "x"])));
    expect((await call("/api/v1/auth/challenge", most, "bogus")).status).toBe(422);
    for (const text of ['"'.repeat(6_000_000), `["${'\\"'.repeat(3_000_000)}"]`])
      await expectWithin(50, async () => {
        const startedAt = performance.now();
        expect(() => checkSize(text)).toThrow("too large");
        return performance.now() - startedAt;
      });
    // Commas and brackets within a string are text, also behind quotes and backslashes of it.
    const text = JSON.stringify({ message: `\\"[{,${",[".repeat(5_000)}\\\\` });
    expect((await call("/api/v1/auth/challenge", text, "bogus")).status).toBe(422);
  });
});
