import { afterAll, beforeAll, expect, test } from "bun:test";
import { examples } from "@cardkeep/contract/openapi/examples";
import { listRoutes } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { sql } from "drizzle-orm";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCli, spawnCli } from "../support/cli.ts";
import { createVirtual } from "../support/cards.ts";
import { type Collector, startCollector } from "../support/collector.ts";
import { answerSourceOfFunds } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp, spawnProcess } from "../support/process.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import { createSecretSearch, drawSecrets, moveSecretsToFiles, readProcesses } from "../support/secretFiles.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";
import { awaitAttempts, registerPartner, subscribe, type TestPartner } from "../support/webhooks.ts";

const secretFields = /email|phone|signature|salt|code|otp|encrypted|pan|pin|iv|address1|name/i;
const destination = "0x000000000000000000000000000000000000bEEF";
const email = "canary.ada@example.org";
const phoneNumber = "+4915299887766";
/** A text as a whole word: six digits may occur inside a hash. */
const matchWord = (text: string): RegExp => new RegExp(`(?<![0-9a-zA-Z])${RegExp.escape(text)}(?![0-9a-zA-Z])`, "i");
const applicant = { firstName: "Canarya", lastName: "Lovelacex", address1: "Canary Wharf 99" };

let service: Service;
let collector: Collector;
let ada: Person;
let partner: TestPartner;
let rpc: RpcProxy;
let folder: string;
/** The settings of the service, of which each process gets its own. */
let values: Record<string, string>;
let findSecrets: (text: string) => string[];
const [gatewayPassword = "", databasePassword = "", nodeKey = ""] = Array.from({ length: 3 }, () =>
  randomBytes(24).toString("base64url"),
);
const processes: AppProcess[] = [];
const answers: string[] = [];
const start = async (role: "server" | "worker", ready: string): Promise<AppProcess> => {
  const process = await spawnApp(role, await moveSecretsToFiles(join(folder, role), values, role));
  processes.push(process);
  await process.ready(ready);
  return process;
};
beforeAll(async () => {
  collector = startCollector();
  folder = await mkdtemp(join(tmpdir(), "cardkeep-secrets-"));
  const gateway = (host: string) => `http://ACdrawn:${gatewayPassword}@${host}?from=Cardkeep`;
  const env = { ...drawSecrets(), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  service = await startService({ worker: false, env: { ...env, SMS_URL: gateway("127.0.0.1:1") } });
  rpc = startRpcProxy(service.rpcUrl);
  const database = Object.assign(new URL(service.env["DATABASE_URL"] ?? ""), { password: databasePassword });
  const [port = 0] = await findFreePorts(1);
  values = {
    ...service.env,
    PORT: String(port),
    DATABASE_URL: database.href,
    RPC_URL: `${rpc.url}/v3/${nodeKey}`,
    SMS_URL: gateway(new URL(service.sandboxUrl).host),
  };
  findSecrets = createSecretSearch(values);
  await start("server", "listening");
  ada = new Person({ url: `http://127.0.0.1:${port}`, sandboxUrl: service.sandboxUrl });
});
afterAll(async () => {
  for (const process of processes) process.kill("SIGKILL");
  await Promise.all(processes.map(({ exited }) => exited));
  rpc.stop();
  await service.stop();
  await collector.stop();
  await rm(folder, { recursive: true });
});

test("no secret and no personal data is in a log, trace or job, in success and in failure", async () => {
  const canaries: string[] = [email, phoneNumber, ...Object.values(applicant)];
  const message = await ada.signMessage();
  ada.token = (await ada.call("POST", "/auth/challenge", message)).body.token;
  await ada.call("POST", "/auth/challenge", message);
  await ada.call("POST", "/auth/signup/otp", { email });
  const { body: mails } = await ada.sandbox("GET", `/mailbox?to=${encodeURIComponent(email)}`);
  await ada.call("POST", "/auth/signup", { authEmail: email, otp: "000000" });
  const signUp = await ada.call("POST", "/auth/signup", { authEmail: email, otp: mails[0].code });
  canaries.push(message.signature, mails[0].code, ada.token ?? "", signUp.body.token);
  [ada.token, ada.userId] = [signUp.body.token, signUp.body.id];
  const first = await start("worker", "taking jobs");
  await ada.sandbox("POST", `/kyc/${ada.userId}/review`, { outcome: "approved", applicant });
  await ada.call("POST", "/verification", { phoneNumber });
  const { body: texts } = await ada.sandbox("GET", `/phones?to=${encodeURIComponent(phoneNumber)}`);
  await ada.call("POST", "/verification/check", { code: texts[0].code });
  canaries.push(texts[0].code);
  await answerSourceOfFunds(ada);
  await ada.call("POST", "/safe/deploy");
  await until(async () => (await ada.call("GET", "/safe/deploy")).body.status === "ok");
  const { address } = (await ada.call("GET", "/safe/config")).body;
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "100" });
  first.kill("SIGTERM");
  await first.exited;

  const withdrawal = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "7" });
  canaries.push(withdrawal.signature, withdrawal.message.salt);
  const { body } = await ada.call("POST", "/accounts/withdraw", withdrawal, { "Idempotency-Key": "once" });
  const jobs = await service.runtime.db.execute<{ text: string }>(
    sql`select j::text as text from graphile_worker._private_jobs j`,
  );
  expect(jobs.length).toBeGreaterThan(0);
  // Rejected: the same again, invalid JSON, an unsigned callback, a token in the wrong place.
  await ada.call("POST", "/accounts/withdraw", withdrawal);
  await ada.call("POST", "/accounts/withdraw", `{"signature":"${withdrawal.signature}"`);
  await ada.call("GET", `/user?token=${ada.token}&email=${email}`);
  const forged = JSON.stringify({ externalUserId: ada.userId, info: applicant, email });
  await fetch(`${ada.service.url}/callbacks/sumsub`, { method: "POST", body: forged });

  await start("worker", "taking jobs");
  await until(async () => (await ada.findDelay(body.data.id))?.status === "WAITING");
  await until(() => collector.text().includes("chain transaction"));
  partner = await registerPartner(ada, "canary-partner");
  await subscribe(ada, partner.id);
  await ada.acceptTerms();
  await createVirtual(ada);
  const [delivery] = await awaitAttempts(ada, "canary-partner", 1);
  expect(delivery?.verified).toBe(true);
  const places = {
    logs: processes.map(({ output }) => output()).join("\n"),
    traces: collector.text(),
    jobs: jobs.map(({ text }) => text).join("\n"),
  };
  expect(places.logs).toContain('"refused"');
  for (const [place, text] of Object.entries(places))
    for (const canary of canaries) {
      const found = matchWord(canary.replace(/^0x/, ""));
      expect([place, canary, found.test(text) || (canary.length > 40 && text.includes(canary.slice(2)))]).toEqual([
        place,
        canary,
        false,
      ]);
    }
});

test("a key that is added to the files works after SIGHUP, and an invalid one changes nothing", async () => {
  const [server] = processes;
  const path = join(folder, "server/ACCESS_TOKEN_KEYS");
  const [present] = JSON.parse(await Bun.file(path).text()).keys;
  const [added] = JSON.parse(drawSecrets()["ACCESS_TOKEN_KEYS"] ?? "").keys;
  const kids = async () =>
    (await (await fetch(`${ada.service.url}/.well-known/jwks.json`)).json()).keys.map(
      ({ kid }: { kid: string }) => kid,
    );
  await writeFile(path, JSON.stringify({ keys: [{ ...added, kid: "added" }, present] }));
  server?.kill("SIGHUP");
  await until(async () => (await kids()).length === 2);
  expect(await kids()).toEqual(["added", "drawn"]);
  // A token of the older key is valid still.
  expect((await ada.call("GET", "/user")).status).toBe(200);
  await writeFile(path, JSON.stringify({ keys: [{ ...added, kid: "added", d: "" }] }));
  server?.kill("SIGHUP");
  await server?.ready("Changed secrets were refused");
  expect(await kids()).toEqual(["added", "drawn"]);
});

test("nor when every operation fails halfway", async () => {
  // Signed in, but the tables are renamed.
  await service.ownerDb.execute(sql`alter schema public rename to elsewhere`);
  const [server] = processes;
  const before = server?.output().length ?? 0;
  const secrets = [ada.token ?? "", "canary-of-a-body"];
  const statuses: number[] = [];
  for (const { name, route } of listRoutes(routes)) {
    const input = examples[name]?.input ?? {};
    for (const [key, value] of Object.entries(input)) {
      if (secretFields.test(key) && typeof value === "string") secrets.push(value);
    }
    const path = route.path.replaceAll(/\{\w+\}/g, "canary-of-a-body");
    const body = Array.isArray(input) ? input : { ...input, otp: "canary-of-a-body" };
    const answer =
      route.method === "GET"
        ? await ada.call("GET", `${path}?${new URLSearchParams(input as Record<string, string>)}`)
        : await ada.call(route.method, path, body);
    statuses.push(answer.status);
    answers.push(JSON.stringify([answer.body, ...answer.headers]));
  }
  expect(statuses.filter((status) => status >= 500).length).toBeGreaterThan(statuses.length / 2);
  const said = server?.output().slice(before) ?? "";
  // A request that failed is in the log, so that a secret of it would be.
  expect(said.match(/"failed"/g)?.length ?? 0).toBeGreaterThanOrEqual(
    statuses.filter((status) => status >= 500).length / 2,
  );
  expect(secrets.length).toBeGreaterThan(10);
  for (const secret of secrets)
    expect([secret, secret.length > 16 ? said.includes(secret) : matchWord(secret).test(said)]).toEqual([
      secret,
      false,
    ]);
});

test("and no secret of the service is outside of its files: not in processes, logs, answers, traces, metrics and database", async () => {
  await service.ownerDb.execute(sql`alter schema elsewhere rename to public`);
  const read = async (response: Response) => answers.push(JSON.stringify([...response.headers]), await response.text());
  const bob = await new Person(ada.service).signIn();
  for (const partner of ["kyc", "mail"]) await ada.sandbox("PUT", `/faults/${partner}.down`, {});
  rpc.mood = "refuse";
  const failed = await bob.call("POST", "/auth/signup/otp", { email: "canary.bob@example.org" });
  expect(failed.status).toBe(502);
  answers.push(JSON.stringify([failed.body, ...failed.headers]));
  const asOperator = { headers: { Authorization: `Bearer ${values["OPERATOR_API_KEY"]}` } };
  for (const path of ["/readyz", "/metrics", "/operator"]) await read(await fetch(ada.service.url + path, asOperator));
  rpc.mood = "fine";
  const env = await moveSecretsToFiles(join(folder, "worker"), values, "worker");
  const asOwner = Object.assign(new URL(service.ownerUrl), { password: databasePassword });
  const migration = spawnProcess([process.execPath, fileURLToPath(import.meta.resolve("@cardkeep/runtime/migrate"))], {
    ...(await moveSecretsToFiles(join(folder, "migrate"), { ...values, DATABASE_URL: asOwner.href }, "migrate")),
  });
  const doctor = spawnCli(env, "doctor", "--json");
  const environments = await readProcesses([process.pid, migration.pid, ...processes.map(({ pid }) => pid)]);
  // What is away says where it was searched for.
  const away = { DATABASE_URL_FILE: join(folder, "away"), RPC_URL_FILE: join(folder, "away-node") };
  await writeFile(away.DATABASE_URL_FILE, Object.assign(new URL(values["DATABASE_URL"] ?? ""), { port: "1" }).href);
  await writeFile(away.RPC_URL_FILE, `http://127.0.0.1:1/v3/${nodeKey}`);
  const lost = await runCli({ ...env, ...away }, "doctor");
  expect(await migration.exited).toBe(0);
  const places = {
    environments,
    logs: [...processes, migration].map(({ output }) => output()).join("\n"),
    answers: answers.join("\n"),
    traces: collector.text(),
    doctor: JSON.stringify([await doctor, lost]),
    database: await dumpDatabase(),
  };
  const ofPartner = [partner.apiKey, partner.webhookSecret.replace("whsec_", "")];
  for (const [place, text] of Object.entries(places)) {
    expect([place, findSecrets(text)]).toEqual([place, []]);
    expect([place, ofPartner.filter((secret) => text.includes(secret))]).toEqual([place, []]);
  }
  expect(environments).toContain("DATABASE_URL_FILE=");
  expect(places.logs).toContain("ProviderUnavailable");
  expect([lost.code, lost.out.includes("identity provider")]).toEqual([1, true]);
  expect(places.logs).not.toMatch(/open to|params:/);
  // The search itself finds what is there, in any form.
  const key = Buffer.from(values["SECRETS_KEYS"] ?? "", "base64");
  for (const text of [key.toString("hex"), key.toString("base64url"), values["SECRETS_KEYS"] ?? ""])
    expect(findSecrets(`{"text":"${text}"}`)).toEqual(["SECRETS_KEYS"]);
  expect(findSecrets(`${nodeKey} ${databasePassword}`)).toEqual(["DATABASE_URL", "RPC_URL"]);
});

/** Every row of every table, bytes in hex, except those in which the sandbox's partners keep what they were given. */
async function dumpDatabase(): Promise<string> {
  const { db } = service.runtime;
  const tables = await db.execute<{ name: string }>(sql`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema', 'sandbox')`);
  expect(tables.map(({ name }) => name)).toContain("graphile_worker._private_jobs");
  const dumps = tables.map(({ name }) =>
    db.execute<{ text: string | null }>(sql`select string_agg(t::text, E'\n') as text from ${sql.raw(name)} t`),
  );
  return (await Promise.all(dumps)).map(([row]) => row?.text ?? "").join("\n");
}
