import { afterAll, beforeAll, expect, test } from "bun:test";
import { examples } from "@cardkeep/contract/examples";
import { listRoutes } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
import { sql } from "drizzle-orm";
import { type Collector, startCollector } from "../support/collector.ts";
import { answerSourceOfFunds } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type Service, startService } from "../support/service.ts";

const secretFields = /email|phone|signature|salt|code|otp|encrypted|pan|pin|iv|address1|name/i;
const eure = "0xcB444e90D8198415266c6a2724b7900fb12FC56E";
const destination = "0x000000000000000000000000000000000000bEEF";
const email = "canary.ada@example.org";
const phoneNumber = "+4915299887766";
const applicant = { firstName: "Canarya", lastName: "Lovelacex", address1: "Canary Wharf 99" };

let service: Service;
let collector: Collector;
let ada: Person;
const processes: AppProcess[] = [];
const start = async (app: string, env: Record<string, string>, ready: string): Promise<AppProcess> => {
  const process = await spawnApp(app, env);
  processes.push(process);
  await process.ready(ready);
  return process;
};
beforeAll(async () => {
  collector = startCollector();
  service = await startService({ worker: false, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  const [port = 0] = await findFreePorts(1);
  await start("server", { ...service.env, PORT: String(port) }, "listening");
  ada = new Person({ url: `http://127.0.0.1:${port}`, sandboxUrl: service.sandboxUrl });
});
afterAll(async () => {
  for (const process of processes) process.kill("SIGKILL");
  await Promise.all(processes.map(({ exited }) => exited));
  await service.stop();
  await collector.stop();
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
  const first = await start("worker", service.env, "taking jobs");
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

  await start("worker", service.env, "taking jobs");
  await until(async () => (await ada.findDelay(body.data.id))?.status === "WAITING");
  await until(() => collector.text().includes("chain transaction"));
  const places = {
    logs: processes.map(({ output }) => output()).join("\n"),
    traces: collector.text(),
    jobs: jobs.map(({ text }) => text).join("\n"),
  };
  expect(places.logs).toContain('"refused"');
  for (const [place, text] of Object.entries(places))
    for (const canary of canaries) {
      // As a whole word: six digits may occur inside a hash.
      const found = new RegExp(`(?<![0-9a-zA-Z])${RegExp.escape(canary.replace(/^0x/, ""))}(?![0-9a-zA-Z])`, "i");
      expect([place, canary, found.test(text) || (canary.length > 40 && text.includes(canary.slice(2)))]).toEqual([
        place,
        canary,
        false,
      ]);
    }
});

test("nor when every operation fails halfway", async () => {
  // Signed in, but the tables are renamed.
  await service.runtime.db.execute(sql`alter schema public rename to elsewhere`);
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
  }
  expect(statuses.filter((status) => status >= 500).length).toBeGreaterThan(statuses.length / 2);
  const said = server?.output().slice(before) ?? "";
  expect(said).toContain('"failed"');
  for (const secret of secrets) expect([secret, said.includes(secret)]).toEqual([secret, false]);
});
