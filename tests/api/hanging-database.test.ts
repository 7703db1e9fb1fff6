/** A database that neither answers nor refuses: each connection is held, as by commits that wait for a standby. */
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer, type Server } from "@cardkeep/server/server";
import { askCli } from "../support/cli.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

const origin = "https://app.example.org";
const six = Array.from({ length: 6 }, () => "users.terms").join(",");

let service: Service;
let runtime: Runtime;
let server: Server;
let ada: Person;
let free: () => void;
let held: Promise<void>;
beforeAll(async () => {
  service = await startService({ worker: false });
  await askCli(service, "partners", "create", "--name", "App", "--id", "app", "--domain", "app.example.org");
  const settings = readSettings({ ...service.env, OPERATOR_API_KEY: "an-operator-key-of-32-characters" });
  runtime = await createRuntime({ ...settings, databaseConnections: 2 }, "server");
  server = createServer(runtime);
  ada = await (await new Person(service).signIn()).signUp();
  // The page of the domain was served before.
  await ask("/api/v1/terms", { headers: { Origin: origin } });
  const [holding, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  held = runtime.db.transaction(async (tx) => {
    await tx.execute("select 1");
    holding.resolve();
    await mayEnd.promise;
  });
  free = mayEnd.resolve;
  await holding.promise;
});
afterAll(async () => {
  free();
  await held;
  await runtime.close();
  await service.stop();
});

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  server.handle(new Request(`http://localhost${path}`, init));

/** Asks, and lets ten seconds pass and no more: parts that waited one after the other would get no answer. */
async function askForTenSeconds(asks: readonly (() => Promise<Response>)[]): Promise<Response[]> {
  const now = performance.now.bind(performance);
  const clock = spyOn(performance, "now");
  try {
    const answers = Promise.all(asks.map((each) => each()));
    await Bun.sleep(0);
    const endMs = now() + 10_000;
    clock.mockImplementation(() => endMs);
    return await answers;
  } finally {
    clock.mockRestore();
  }
}

const headers = () => ({ Authorization: `Bearer ${ada.token}` });

test.each([
  ["a call", "/trpc/users.terms", {}],
  ["a mutation", "/trpc/users.acceptTerms", { method: "POST", body: "{}" }],
  ["a batch beside a public call", "/trpc/terms.list,users.terms?batch=1&input={}", {}],
  ["a batch of six", `/trpc/${six}?batch=1&input={}`, {}],
  ["a batch that tRPC's adapter answers", `/trpc/${six}?batch=1&input={}`, { headers: { "trpc-accept": "x" } }],
])("within ten seconds tRPC answers 503 in its own form: %s", async (_name, path, init) => {
  const [answer] = await askForTenSeconds([
    () => ask(path, { ...init, headers: { ...headers(), ...("headers" in init ? init.headers : {}) } }),
  ]);
  const body = await answer?.json();
  const faults = [body].flat().map(({ error }) => [error.data.error, error.data.httpStatus]);
  expect([answer?.status, new Set(faults.flat())]).toEqual([503, new Set(["server.unavailable", 503])]);
  expect(Number(answer?.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("a page of a partner's domain gets its answers within ten seconds and may read them; one of another domain may not", async () => {
  const from = (Origin: string) => ({ headers: { ...headers(), Origin } });
  const answers = await askForTenSeconds([
    () => ask("/api/v1/user/terms", from(origin)),
    () => ask("/trpc/users.terms", from(origin)),
    () => ask("/api/v1/user/terms", { method: "OPTIONS", ...from(origin) }),
    () => ask("/livez", from(origin)),
    () => ask("/livez", from("https://unknown.example.org")),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 204, 200, 200]);
  const allowed = answers.map((answer) => answer.headers.get("access-control-allow-origin"));
  expect(allowed).toEqual([origin, origin, origin, origin, null]);
});

test("the pages of terms and books, and metrics with a wrong key, are 503 with Retry-After within ten seconds", async () => {
  const answers = await askForTenSeconds(
    ["/terms/general-tos", "/books", "/metrics"].map(
      (path) => () => ask(path, { headers: { Authorization: "Bearer wrong" } }),
    ),
  );
  expect(
    answers.map(({ status, headers: found }) => [status, found.get("x-error-code"), found.get("retry-after")]),
  ).toEqual(answers.map(() => [503, "server.unavailable", "5"]));
});

test("/readyz says that the database is down also to a wrong key", async () => {
  const answer = await ask("/readyz", { headers: { Authorization: "Bearer wrong" } });
  expect([answer.status, (await answer.json()).parts.database]).toEqual([503, { status: "down" }]);
}, 15_000);
