import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { hourMs } from "@cardkeep/contract/core/durations";
import type { Reconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import { reconcileVerdicts } from "@cardkeep/domain/sync/reconciliations/reconcileVerdicts";
import { kycApplicants } from "@cardkeep/db/sandbox/tables";
import { listEmoneyRecords } from "@cardkeep/db/sandbox/emoneyRecords";
import { listIdentityVersions } from "@cardkeep/db/queries/users/records";
import { fail } from "@cardkeep/contract/core/errors";
import { kycChecks } from "@cardkeep/db/schema/tables";
import type { RateLimits } from "@cardkeep/domain/core/limits/rateLimits";
import { openIban } from "@cardkeep/domain/users/ibans/openIban";
import { checkVerdicts } from "@cardkeep/domain/verification/kyc/checkVerdicts";
import { limitEnvironment } from "@cardkeep/runtime/settings/limits";
import { eq, inArray, sql } from "drizzle-orm";
import { createHmac } from "node:crypto";
import { filled } from "../support/filled.ts";
import { signDeclaration } from "../support/ibans.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type Service, startService } from "../support/service.ts";
import { createWorkerContext } from "../support/workerContext.ts";
import { createWorkerInTurn } from "../support/workerInTurn.ts";

/** The provider behind a fault; null lets every call through to the sandbox. */
let fault: ((path: string) => Response | null | Promise<Response | null>) | null = null;
let asked = 0;
/** The requests to the provider and its answers. */
let seen: { method: string; path: string; body: string | null; answer: string }[] = [];
let front: ReturnType<typeof Bun.serve>;
/** The standard quota of one person. */
const requestsMax = limitEnvironment.KYC_REQUESTS_PER_MINUTE.parse(undefined);
let service: Service;
beforeAll(async () => {
  const [port = 0] = await findFreePorts(1);
  service = await startService({
    worker: false,
    env: { KYC_URL: `http://127.0.0.1:${port}`, KYC_REQUESTS_PER_MINUTE: String(requestsMax) },
  });
  front = Bun.serve({
    hostname: "127.0.0.1",
    port,
    idleTimeout: 30,
    fetch: async (request) => {
      asked++;
      const { pathname, search } = new URL(request.url);
      const answer = (await fault?.(pathname)) ?? null;
      if (answer !== null) return answer;
      const { method, headers } = request;
      const body = method === "GET" ? null : await request.text();
      const response = await fetch(service.sandboxUrl + pathname + search, { method, headers, body });
      seen.push({ method, path: pathname + search, body, answer: await response.clone().text() });
      return response;
    },
  });
});
afterAll(async () => {
  await service.stop();
  await front.stop(true);
});
beforeEach(() => {
  fault = null;
  seen = [];
});

const newPerson = async () => (await new Person(service).signIn()).signUp();
const review = (person: Person, outcome: string) => person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome });
const secret = "secret text of the provider";
const unavailable = { status: 502, body: { error: "Identity verification is temporarily unavailable" } };
const ask = async (person: Person, path = "/kyc/integration") => {
  const { status, body, headers } = await person.call("GET", path);
  expect(headers.has("retry-after")).toBe(status === 502);
  return { status, body };
};

describe("while the identity provider", () => {
  test("fails or never answers, a user gets our own error; calls pause for a while, and then work again", async () => {
    const person = await newPerson();
    expect((await ask(person)).status).toBe(200);
    const answers = [
      () => Response.json({ description: secret }, { status: 500 }),
      () => Response.json({ description: secret }, { status: 401 }),
      () => new Response(`<html>${secret}`),
      () => new Promise<Response>(() => {}),
    ];
    for (const answer of filled(answers)) {
      fault = answer;
      const paths = ["/kyc/integration", "/kyc/integration/sdk"];
      expect(await Promise.all(paths.map((path) => ask(person, path)))).toEqual([unavailable, unavailable]);
    }
    fault = () => Response.json({ description: secret }, { status: 503 });
    const other = await newPerson();
    await Promise.all(Array.from({ length: 5 }, () => ask(other)));
    const before = asked;
    expect(await ask(other)).toEqual(unavailable);
    expect(asked).toBe(before);
    fault = null;
    await until(async () => (await ask(await newPerson())).status === 200, { everyMs: 100 });
  }, 60_000);

  test("gets too many requests, its 429 pauses no call for another person", async () => {
    const [ada, bob] = [await newPerson(), await newPerson()];
    expect((await ask(bob)).status).toBe(200);
    fault = () => Response.json({ description: secret }, { status: 429 });
    for (let made = 0; made < 6; made++) expect(await ask(ada)).toEqual(unavailable);
    fault = null;
    expect((await ask(bob)).status).toBe(200);
  });

  test("takes 50 writes in five seconds, one person never uses them up by links, SDK tokens and shares", async () => {
    const [ada, bob] = [await newPerson(), await newPerson()];
    const { userId } = ada;
    let writes = 0;
    fault = (path) => {
      const answer = { id: "0123456789abcdef01234567", url: "https://in.sumsub.com/x", token: "t" };
      if (!path.endsWith("/one") && ++writes > 50) return new Response(null, { status: 429 });
      return Response.json({ ...answer, externalUserId: userId, userId, forClientId: "Known" });
    };
    const askOften = (path: string) => Promise.all(Array.from({ length: 60 }, () => ada.call("GET", path)));
    const answers = [...(await askOften("/kyc/integration/sdk?language=de")), ...(await askOften("/kyc/integration"))];
    const granted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([granted.length, refused.length]).toEqual([requestsMax, 120 - requestsMax]);
    expect(refused[0]?.body).toEqual({ error: "Too many requests" });
    expect(refused[0]?.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(refused[0]?.headers.get("ratelimit-policy")).toBe(`"kyc-requests";q=${requestsMax};w=60`);
    expect((await ask(bob)).status).toBe(200);
    // The provider takes so many of all people in five seconds.
    expect(writes).toBeLessThanOrEqual(50);
    fault = null;
    await review(ada, "approved");
    const share = await ada.call("POST", "/kyc/import-partner-applicant", { forClientId: "Known" });
    expect(share.status).toBe(429);
    const [version] = await listIdentityVersions(service.runtime.db, userId ?? "");
    expect(version?.disclosedTo).toEqual({});
  }, 30_000);

  test("is slow in each of the calls that a language takes, a user gets our own error and no late token", async () => {
    const person = await newPerson();
    const { userId } = person;
    fault = async () => {
      await Bun.sleep(2_000);
      return Response.json({ id: "0123456789abcdef01234567", externalUserId: userId, token: "late", userId });
    };
    expect(await ask(person, "/kyc/integration/sdk?language=de")).toEqual(unavailable);
  }, 30_000);

  test("cannot return the applicant, an approval waits for its next delivery and nothing is written", async () => {
    const person = await newPerson();
    await review(person, "pending");
    fault = (path) => (path.endsWith("/one") ? Response.json({ description: secret }, { status: 503 }) : null);
    const refused = await review(person, "approved");
    expect(refused).toMatchObject({ status: 422, body: { error: "The service answered the callback with 503" } });
    expect((await person.call("GET", "/user")).body).toMatchObject({ kycStatus: "pending", firstName: null });
    fault = null;
    await until(async () => (await review(person, "approved")).status === 200, { everyMs: 100 });
    expect((await person.call("GET", "/user")).body).toMatchObject({
      kycStatus: "approved",
      firstName: expect.any(String),
    });
  }, 60_000);

  test("answers 404 about a person who is verified, only its own word that there is none ends the approval", async () => {
    const person = await newPerson();
    expect((await review(person, "approved")).status).toBe(200);
    const find = () => service.runtime.services.kyc.findApplicant(person.userId ?? "");
    fault = () => new Response("<html>", { status: 404 });
    await expect(find()).rejects.toThrow();
    fault = (path) => (path.endsWith("/one") ? new Response(null, { status: 404 }) : null);
    expect(await find()).toMatchObject({ externalUserId: person.userId, status: "approved" });
    fault = null;
    const { store } = service.runtime;
    await store.delete(kycApplicants).where(eq(kycApplicants.externalUserId, person.userId ?? ""));
    expect(await find()).toBeNull();
  });

  test("names another applicant for the user than the callback does, the approval is refused", async () => {
    const person = await newPerson();
    await review(person, "pending");
    const info = { id: "0123456789abcdef01234567", externalUserId: person.userId, info: { firstName: "Mallory" } };
    fault = (path) => (path.endsWith("/one") ? Response.json(info) : null);
    expect((await review(person, "approved")).body.error).toContain("409");
    expect((await person.call("GET", "/user")).body).toMatchObject({ kycStatus: "pending", firstName: null });
  });

  test("sends a birth date in the future, the approval is refused", async () => {
    const person = await newPerson();
    const { body } = await review(person, "pending");
    for (const dob of ["2286-11-20", "1990-02-30", "yesterday"]) {
      const info = { id: body.applicantId, externalUserId: person.userId, info: { firstName: "Ada", dob } };
      fault = (path) => (path.endsWith("/one") ? Response.json(info) : null);
      expect((await review(person, "approved")).body.error).toContain("409");
    }
    expect((await person.call("GET", "/user")).body).toMatchObject({ kycStatus: "pending", firstName: null });
  });

  test("returns a link without https, or a token for another user, the client gets neither", async () => {
    const person = await newPerson();
    const links = [
      "javascript:alert(1)",
      "http://in.sumsub.com/x",
      "data:text/html,x",
      "http://localhost.evil.example/",
    ];
    for (const url of links) {
      fault = (path) => (path.endsWith("/websdkLink") ? Response.json({ url }) : null);
      expect(await ask(person)).toEqual(unavailable);
    }
    fault = (path) => (path.endsWith("/websdkLink") ? Response.json({ url: "https://in.sumsub.com/x" }) : null);
    expect((await ask(person)).body.url).toBe("https://in.sumsub.com/x");
    fault = (path) => (path.endsWith("/sdk") ? Response.json({ token: "t", userId: "another" }) : null);
    expect(await ask(person, "/kyc/integration/sdk")).toEqual(unavailable);
  });

  test("sends text that cannot be stored, the approval waits for a valid one", async () => {
    const person = await newPerson();
    const { body } = await review(person, "pending");
    const info = { id: body.applicantId, externalUserId: person.userId, info: { firstName: "a\0b" } };
    fault = (path) => (path.endsWith("/one") ? Response.json(info) : null);
    expect((await review(person, "approved")).body.error).toContain("503");
    fault = null;
    await until(async () => (await review(person, "approved")).status === 200, { everyMs: 100 });
  }, 60_000);

  test("does not share with a client, the user gets that error alone", async () => {
    const person = await newPerson();
    await review(person, "approved");
    const share = (forClientId: string) => person.call("POST", "/kyc/import-partner-applicant", { forClientId });
    expect((await share("Known")).status).toBe(200);
    const receiversOf = async () => {
      const [version] = await listIdentityVersions(service.runtime.db, person.userId ?? "");
      return version?.disclosedTo;
    };
    const before = await receiversOf();
    expect(before).toEqual({ "partner:Known": expect.any(String) });
    fault = (path) => (path.endsWith("/shareToken") ? Response.json({ description: secret }, { status: 400 }) : null);
    const { status, body } = await share("Nobody");
    const message = "The identity provider does not share with this client";
    expect({ status, body }).toEqual({ status: 422, body: { message } });
    // A client that has the file keeps its place, and one that was refused has none.
    expect((await share("Known")).status).toBe(422);
    expect(await receiversOf()).toEqual(before);
    fault = (path) => (path.endsWith("/shareToken") ? new Response(null, { status: 503 }) : null);
    expect((await share("Perhaps")).status).toBe(502);
    expect(await receiversOf()).toEqual({ ...before, "partner:Perhaps": expect.any(String) });
  });

  test("refuses our own token, a share says that it is unavailable, and blames no client", async () => {
    const person = await newPerson();
    await review(person, "approved");
    const share = () => person.call("POST", "/kyc/import-partner-applicant", { forClientId: "Known" });
    for (const [status, expected] of [
      [401, 502],
      [403, 502],
      [404, 422],
    ] as const) {
      fault = (path) => (path.endsWith("/shareToken") ? Response.json({ description: secret }, { status }) : null);
      const answer = await share();
      expect([status, answer.status, answer.headers.has("retry-after")]).toEqual([status, expected, expected === 502]);
      if (expected === 502) expect(answer.body).toEqual(unavailable.body);
    }
    const [version] = await listIdentityVersions(service.runtime.db, person.userId ?? "");
    expect(version?.disclosedTo).toEqual({});
  });
});

test("the identity provider takes 50 writes in five seconds, one person never uses them up by the IBAN", async () => {
  const [eve, bob] = [new Person(service), await newPerson()];
  const worker = createWorkerInTurn();
  await worker.restart(service.env);
  await eve.becomeAccountHolder();
  await worker.stop();
  const [userId, signature] = [eve.userId ?? "", await signDeclaration(eve)];
  let [writes, open, openMax] = [0, 0, 0];
  fault = async (path) => {
    // Reads of other people may come meanwhile.
    if (path.startsWith("/resources/applicants/")) return null;
    if (++writes > 50) return new Response(null, { status: 429 });
    if (!path.endsWith("/shareToken")) return Response.json({ url: "https://in.sumsub.com/x" });
    openMax = Math.max(openMax, ++open);
    // Others of the same person may come meanwhile.
    await Bun.sleep(50);
    open--;
    return Response.json({ description: secret }, { status: 400 });
  };
  const request = () => eve.call("POST", "/ibans/emoney-profile", { signature });
  const together = await Promise.all(Array.from({ length: 60 }, request));
  expect(together.map(({ status }) => status)).toContain(502);
  expect([openMax, writes > requestsMax]).toEqual([1, false]);
  const statuses: number[] = [];
  for (let turn = 0; turn < requestsMax + 5; turn++) statuses.push((await request()).status);
  expect(new Set(statuses.slice(-5))).toEqual(new Set([429]));
  expect(writes).toBe(requestsMax);
  // The job waits for the quota, and fails not.
  await openIban(createWorkerContext(service.runtime), { userId, requestId: "test" });
  expect(writes).toBe(requestsMax);
  const [job] = await service.runtime.db.execute<{ isLater: boolean }>(sql`
    select run_at > now() + interval '30 seconds' as "isLater" from graphile_worker.jobs where key = ${`iban.open:${userId}`}`);
  expect(job?.isLater).toBe(true);
  expect((await ask(bob)).status).toBe(200);
}, 60_000);

test("the rotation reads from a quota that all workers share, twice of a person without an applicant, and waits for it", async () => {
  const people = [await newPerson(), await newPerson()];
  const [known] = people;
  if (known) await review(known, "approved");
  const isOne = inArray(
    kycChecks.userId,
    people.map(({ userId }) => userId ?? ""),
  );
  await service.runtime.db
    .update(kycChecks)
    .set({ dueAt: new Date(0) })
    .where(isOne);
  seen = [];
  // An answer to another test may still be under way.
  const readPaths = () =>
    seen.flatMap(({ path }) => (people.some(({ userId }) => path.includes(userId ?? "-")) ? [path] : []));
  const ctx = createWorkerContext(service.runtime);
  let refusals = 3;
  let granted = 0;
  const take: RateLimits["take"] = async (quota, subject) => {
    expect([quota, subject]).toEqual([{ name: "kycReads", count: 100, withinSeconds: 5 }, "rotation"]);
    if (refusals > 0) {
      refusals--;
      expect(readPaths()).toEqual([]);
      fail("request.rate_limited", { quota, retryAfterSeconds: 1 });
    }
    await ctx.rateLimits.take(quota, subject);
    granted++;
  };
  await checkVerdicts({ ...ctx, rateLimits: { ...ctx.rateLimits, take } });
  expect(readPaths().filter((path) => path.includes("/byExternalUserId/"))).toHaveLength(1);
  expect([readPaths().length, granted]).toEqual([3, 3]);
  const rows = await service.runtime.db.select().from(kycChecks).where(isOne);
  expect(rows.map(({ answeredAt }) => answeredAt !== null)).toEqual([true, true]);
});

test("a reconciliation's step about verdicts fails where the provider answers nothing or the worker stops, and asks about everybody else", async () => {
  const person = await newPerson();
  const ctx = createWorkerContext(service.runtime);
  const startedAt = await ctx.clock.now(ctx.db);
  // No answer to another test is behind it.
  const later = { startedAt: new Date(startedAt.getTime() + hourMs) } as Reconciliation;
  for (const status of [429, 401]) {
    fault = () => new Response(null, { status });
    await expect(reconcileVerdicts(ctx, later)).rejects.toThrow("answers nothing");
  }
  fault = null;
  const stopping = AbortSignal.abort();
  await expect(reconcileVerdicts({ ...ctx, stopping }, later)).rejects.toThrow("The worker stops");
  await reconcileVerdicts(ctx, { startedAt } as Reconciliation);
  const isThis = eq(kycChecks.userId, person.userId ?? "");
  const [row] = await service.runtime.db.select().from(kycChecks).where(isThis);
  expect(row?.answeredAt?.getTime()).toBeGreaterThanOrEqual(startedAt.getTime());
});

test("the language of an SDK token is set at the identity provider, before the token is created and again later", async () => {
  const person = await newPerson();
  const languages: unknown[] = [];
  // A callback of the provider makes the worker read the record, at any moment.
  const listPaths = () => seen.map(({ path }) => path).filter((path) => !path.endsWith("/one"));
  for (const language of ["fr", "de"]) {
    expect((await person.call("GET", `/kyc/integration/sdk?language=${language}`)).status).toBe(200);
    const changes = seen.filter(({ path }) => /^\/resources\/applicants(\?|$)/.test(path));
    languages.push([changes.at(-1)?.method, JSON.parse(changes.at(-1)?.answer ?? "{}").lang]);
    expect(listPaths().at(-1)).toBe("/resources/accessTokens/sdk");
  }
  expect(languages).toEqual([
    ["POST", "fr"],
    ["PATCH", "de"],
  ]);
  seen = [];
  expect((await person.call("GET", "/kyc/integration/sdk")).status).toBe(200);
  expect(listPaths()).toEqual(["/resources/accessTokens/sdk"]);
});

test("five SDK tokens of one new person at the same time, each in a language, are all granted", async () => {
  const person = await newPerson();
  const languages = ["fr", "de", "es", "en", "it"];
  const paths = languages.map((language) => `/kyc/integration/sdk?language=${language}`);
  const answers = await Promise.all(paths.map((path) => person.call("GET", path)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.token)).size).toBe(5);
});

describe("the sandbox's identity provider", () => {
  const applicants = "/resources/applicants";
  /** A request that is signed as the provider documents it. */
  const send = async (method: string, path: string, body: object | null = null) => {
    const { appToken, appSecret } = service.runtime.settings.kyc;
    const [text, seconds] = [body === null ? "" : JSON.stringify(body), String(Math.floor(Date.now() / 1000))];
    const signature = createHmac("sha256", appSecret).update(`${seconds}${method}${path}${text}`).digest("hex");
    const headers = { "X-App-Token": appToken, "X-App-Access-Ts": seconds, "X-App-Access-Sig": signature };
    const init = { method, headers, ...(body !== null && { body: text }) };
    return fetch(service.sandboxUrl + path, init);
  };
  const call = async (...request: Parameters<typeof send>) => (await send(...request)).status;

  test("makes one applicant of a person: of five requests at the same time one is granted", async () => {
    const { userId } = await newPerson();
    const path = `${applicants}?levelName=${service.runtime.settings.kyc.levelName}`;
    const made = await Promise.all([1, 2, 3, 4, 5].map(() => call("POST", path, { externalUserId: userId })));
    expect(made.toSorted()).toEqual([200, 409, 409, 409, 409]);
  });

  test("answers whether a person has an applicant, and describes it", async () => {
    const { userId } = await newPerson();
    const find = async () => {
      const answered = await send("GET", `${applicants}/-/byExternalUserId/${userId}`);
      return { status: answered.status, body: await answered.json() };
    };
    expect(await find()).toEqual({ status: 200, body: { exists: false } });
    const path = `${applicants}?levelName=${service.runtime.settings.kyc.levelName}`;
    const applicant = await (await send("POST", path, { externalUserId: userId })).json();
    expect(await find()).toEqual({ status: 200, body: { exists: true, applicant } });
  });

  test("knows its own level alone, by its exact name", async () => {
    const { userId } = await newPerson();
    const levels = ["other-level", service.runtime.settings.kyc.levelName.toUpperCase()];
    for (const levelName of levels) {
      expect(await call("POST", `${applicants}?levelName=${levelName}`, { externalUserId: userId })).toBe(404);
      expect(await call("POST", "/resources/accessTokens/sdk", { userId, levelName })).toBe(404);
    }
  });

  test("makes a share token of twenty minutes where no lifetime is named", async () => {
    const person = await newPerson();
    await review(person, "approved");
    const { applicantId = "" } = (await service.runtime.services.kyc.findApplicant(person.userId ?? "")) ?? {};
    for (const [lifetime, seconds] of [
      [{ ttlInSecs: 60 }, 60],
      [{}, 1_200],
    ] as const) {
      const beforeMs = Date.now();
      const body = { applicantId, forClientId: "Known", ...lifetime };
      expect(await call("POST", "/resources/accessTokens/shareToken", body)).toBe(200);
      const [newest] = (await listEmoneyRecords(service.runtime.store, "shareToken")).slice(-1);
      const issuedAtMs = Number(newest?.data["until"]) - seconds * 1_000;
      expect([beforeMs <= issuedAtMs, issuedAtMs <= Date.now()]).toEqual([true, true]);
    }
  });

  test("takes 50 writes and 300 reads in five seconds; what is more waits", async () => {
    const path = `${applicants}/-;externalUserId=nobody/one`;
    const answersTo = (count: number, ask: () => Promise<number>) => Promise.all(Array.from({ length: count }, ask));
    await until(async () => {
      const writes = await answersTo(60, () => call("PATCH", applicants, { id: "none" }));
      return writes.includes(429) && writes.includes(404);
    });
    await until(async () => {
      const reads = await answersTo(320, () => call("GET", path));
      return reads.includes(429) && reads.includes(404);
    });
    await until(async () => (await call("PATCH", applicants, { id: "none" })) === 404, { everyMs: 250 });
  }, 30_000);
});
