/** A worker without a key of the chain: each key is at a signer of the sandbox, behind a connection that may be cut. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { checkHealth } from "@cardkeep/domain/operations/health/checkHealth";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { relayAttempts, relayTransactions } from "@cardkeep/db/schema/tables";
import { listPublicParts } from "@cardkeep/runtime/childEnvironment";
import { development } from "@cardkeep/runtime/development";
import { isUsedBy, type SettingName } from "@cardkeep/runtime/settingUses";
import { createServiceMetrics } from "@cardkeep/runtime/serviceMetrics";
import { readSettings } from "@cardkeep/runtime/settings";
import { sql } from "drizzle-orm";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { production } from "../support/production.ts";
import { type Service, startService } from "../support/service.ts";
import { findLaneFaults, loadWhileSignerDies } from "../support/signerKills.ts";
import { awsCredentials, buildSignerEnv, type CutProxy, heldAddresses, startCutProxy } from "../support/signers.ts";
import { becomeCardHolder, follow, historyOf, untilSettled, use } from "../support/spending.ts";
import { openPayers, startWithdrawals, untilExecuted, type WithdrawalLoad } from "../support/withdrawalLoad.ts";

let service: Service;
let proxy: CutProxy;
let worker: AppProcess;
let measures: string;
beforeAll(async () => {
  proxy = await startCutProxy();
  service = await startService({ worker: false, env: buildSignerEnv(proxy.url) });
  proxy.target = Number(new URL(service.sandboxUrl).port);
  await start();
});
afterAll(async () => {
  worker.kill("SIGKILL");
  await worker.exited;
  await service.stop();
  proxy.stop();
});

async function start(): Promise<void> {
  const [port = 0] = await findFreePorts(1);
  measures = `http://127.0.0.1:${port}/metrics`;
  worker = await spawnApp("worker", { ...service.env, ...awsCredentials, WORKER_PORT: String(port) });
  await worker.ready("taking jobs");
}

const set = (name: string, options: object = {}) => new Person(service).sandbox("PUT", `/faults/${name}`, options);
const clear = () => new Person(service).sandbox("DELETE", "/faults");
const readMetrics = async (): Promise<string> => {
  const { OPERATOR_API_KEY } = development;
  return (await fetch(measures, { headers: { Authorization: `Bearer ${OPERATOR_API_KEY}` } })).text();
};

/** A part of this worker's own `/readyz`, with its reason. */
async function readSigners() {
  const headers = { Authorization: `Bearer ${development.OPERATOR_API_KEY}` };
  const { parts } = await (await fetch(measures.replace("metrics", "readyz"), { headers })).json();
  return parts.signers;
}
const readServerSigners = async () => (await checkHealth(service.runtime.services)).parts.signers;
const examineSigners = async () => (await diagnose(service.runtime.services)).find(({ check }) => check === "signers");

/** Transactions whose nonce is reserved and that no signer has signed. */
const findUnsigned = () =>
  service.runtime.db
    .select({ id: relayTransactions.id })
    .from(relayTransactions)
    .where(sql`not exists (select from ${relayAttempts} where relay_transaction_id = ${relayTransactions.id})`);

/** Everything that a process was given by whom started it. */
const readEnvironment = ({ pid }: AppProcess): Promise<string> => Bun.file(`/proc/${pid}/environ`).text();

test("neither server nor worker is given a key of the chain, and the server serves with addresses alone", async () => {
  expect(await readEnvironment(worker)).not.toContain("PRIVATE_KEY");
  const own = Object.entries(production).filter(([name]) => isUsedBy(name as SettingName, "server"));
  const { DATABASE_URL = "", RPC_URL = "", CONTRACT_CODE = "" } = service.env;
  const [port = 0] = await findFreePorts(1);
  const server = await spawnApp("server", {
    ...Object.fromEntries(own),
    WEBHOOK_PUBLIC_KEYS: listPublicParts(readSettings(production))["WEBHOOK_PUBLIC_KEYS"] ?? "",
    DATABASE_URL,
    RPC_URL,
    CONTRACT_CODE,
    PORT: String(port),
    RELAYER_ADDRESSES: heldAddresses.relayers.join(","),
    OPERATOR_ADDRESS: heldAddresses.operator,
    SPENDER_ADDRESS: heldAddresses.spender,
  });
  try {
    await server.ready("listening");
    expect(await readEnvironment(server)).not.toMatch(/PRIVATE_KEY|SIGNER|SIGNING/);
    expect(server.output()).not.toContain("does not use");
    for (const path of ["/livez", "/readyz", "/api/v1/auth/nonce"])
      expect([path, (await fetch(`http://127.0.0.1:${port}${path}`)).status]).toEqual([path, 200]);
  } finally {
    server.kill("SIGKILL");
    await server.exited;
  }
});

test("an account is deployed, a card is used and refunded, and money is withdrawn", async () => {
  const holder = await becomeCardHolder(service);
  const used = await use(holder, 1_000);
  expect(used.approved).toBe(true);
  await follow(holder, used.threadId, "clear");
  await untilSettled(service);
  await follow(holder, used.threadId, "refund", { amount: 400 });
  await untilSettled(service);
  const { results } = await historyOf(holder);
  const transactions = results.flatMap(
    (row: { transactions: { status: string; hash: string | null }[] }) => row.transactions,
  );
  expect(transactions.length).toBeGreaterThan(0);
  for (const { hash } of transactions) expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
  const load = startWithdrawals([holder.person], { withdrawalsMax: 1, pauseMs: 10 });
  await until(async () => load.countAcknowledged() === 1);
  await load.stop();
  expect(await untilExecuted(service, load)).toEqual([1n]);
  expect(await findLaneFaults(service)).toEqual([]);
  const metrics = await readMetrics();
  for (const signer of ["web3signer", "aws-kms"])
    expect(metrics).toMatch(
      new RegExp(
        `cardkeep_signer_call_seconds_count\\{signer="${signer}",address="0x\\w+",outcome="answered"\\} [1-9]`,
      ),
    );
});

test("a lane takes further nonces while its signer hangs, and a worker that starts without it waits and says so", async () => {
  // Two of three Safes share one of the two lanes.
  const payers = await openPayers(service, { people: 3, withdrawalsMax: 1 });
  await set("signer.hang");
  const loads: WithdrawalLoad[] = [];
  for (const [place, payer] of payers.entries()) {
    loads.push(startWithdrawals([payer], { withdrawalsMax: 1, pauseMs: 10 }));
    await until(async () => (await findUnsigned()).length === place + 1);
  }
  worker.kill("SIGKILL");
  await worker.exited;
  const target = proxy.target;
  proxy.target = null;
  proxy.cut();
  await start();
  await until(async () => (await readSigners()).status === "degraded", { timeoutMs: 30_000 });
  const [, second = ""] = heldAddresses.relayers;
  const wait = new RegExp(`aws-kms signer of ${second} does not answer or refuses since 20\\S+Z: AWS KMS `);
  await until(async () => wait.test((await readServerSigners()).reason ?? ""), { timeoutMs: 30_000 });
  expect((await readSigners()).reason).toMatch(wait);
  expect((await readSigners()).reason).toMatch(
    new RegExp(`web3signer signer of ${heldAddresses.spender} does not answer or refuses since \\S+: GET 127.0.0.1`),
  );
  expect(await examineSigners()).toMatchObject({ severity: "fault", text: expect.stringMatching(wait) });
  const gauge = new RegExp(`signer_failing\\{signer="aws-kms",address="${second}",fault="unavailable"\\} 1`);
  expect(await createServiceMetrics(service.runtime.services).metrics()).toMatch(gauge);
  proxy.target = target;
  await clear();
  await until(async () => (await findUnsigned()).length === 0, { timeoutMs: 30_000 });
  await until(async () => (await readServerSigners()).status === "ok", { timeoutMs: 30_000 });
  expect(await examineSigners()).toEqual({ check: "signers", severity: "ok", text: "4 answer" });
  for (const load of filled(loads)) {
    await load.stop();
    expect(await untilExecuted(service, load)).toEqual([1n]);
  }
  expect(await findLaneFaults(service)).toEqual([]);
}, 120_000);

test("a signature of another key is neither stored nor sent, and the work goes on afterwards", async () => {
  const payers = await openPayers(service, { people: 1, withdrawalsMax: 1 });
  await set("signer.wrong");
  const load = startWithdrawals(payers, { withdrawalsMax: 1, pauseMs: 10 });
  await until(async () => (await findUnsigned()).length === 1);
  await until(async () => (await readMetrics()).includes('outcome="wrong"'));
  expect(await findUnsigned()).toHaveLength(1);
  await until(async () => (await readServerSigners()).reason?.includes("uses another key since") === true);
  await clear();
  await until(async () => (await findUnsigned()).length === 0, { timeoutMs: 30_000 });
  await load.stop();
  expect(await untilExecuted(service, load)).toEqual([1n]);
  expect(await findLaneFaults(service)).toEqual([]);
}, 120_000);

test("a signer that dies again and again under load leaves no nonce gap, and nothing runs twice", async () => {
  await set("signer.slow", { ms: 30 });
  await set("signer.throttle", { rate: 0.2 });
  const report = await loadWhileSignerDies(service, proxy, { kills: 5, people: 3, withdrawalsMax: 3 });
  await clear();
  const { acknowledged, executions, surprises, laneFaults } = report;
  expect(surprises).toEqual([]);
  expect([acknowledged, executions]).toEqual([9, Array.from({ length: 9 }, () => 1n)]);
  expect(laneFaults).toEqual([]);
}, 180_000);
