/**
 * The measured system: the production server as a process of its own, over a real Postgres and a real chain. People get
 * their accounts through the public API.
 *
 * A development service in this process sets them up, because production has no sandbox. Both share database, chain and
 * access token keys. During a measurement that service is idle and its worker is stopped.
 */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { startWorker } from "@cardkeep/worker/worker";
import { exportJWK, generateKeyPair } from "jose";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { atEnd } from "../support/ends.ts";
import { Person } from "../support/person.ts";
import { findFreePorts } from "../support/ports.ts";
import { serverVariable, startTestServer } from "../support/postgres.ts";
import { type AppProcess, spawnApp, spawnProcess } from "../support/process.ts";
import { production } from "../support/production.ts";
import { generous, type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";

export const destination = "0x000000000000000000000000000000000000bEEF";
const funds = "1000000000000000000";

export interface AccountHolder {
  readonly person: Person;
  readonly token: string;
  readonly userId: string;
}

export interface World {
  readonly service: Service;
  readonly relayerKeys: readonly Hex[];
  readonly databaseUrl: string;
  readonly holders: readonly AccountHolder[];
  /** The first of them. */
  readonly holder: AccountHolder;
  /** The production server. */
  readonly server: Listening;
}

export interface Listening {
  readonly port: number;
  readonly pid: number;
}

/** Starts a Postgres that writes to disk for all databases of the run, unless there is one. It is stopped at the end. */
export async function usePostgres(): Promise<void> {
  if (process.env[serverVariable] !== undefined) return;
  const postgres = await startTestServer({ fsync: true });
  process.env[serverVariable] = postgres.url;
  atEnd(async () => {
    delete process.env[serverVariable];
    await postgres.stop();
  });
}

/**
 * Starts a world with this many funded account holders; `prepare` runs while there is a worker. It is stopped at the
 * end of the run.
 */
export async function startWorld(input: {
  people: number;
  env?: Record<string, string>;
  /** Settings of the production server. */
  serverEnv?: Record<string, string>;
  prepare?: (holder: AccountHolder) => Promise<void>;
}): Promise<World> {
  await usePostgres();
  const accessTokenKeys = await generateAccessTokenKeys();
  const service = await startService({ worker: false, env: { ...input.env, ACCESS_TOKEN_KEYS: accessTokenKeys } });
  atEnd(service.stop);
  const workerRuntime = await createRuntime(readSettings(service.env), "worker");
  atEnd(workerRuntime.close);
  const worker = await startWorker(workerRuntime);
  const prepareHolder = async () => {
    const holder = await becomeHolder(service);
    await input.prepare?.(holder);
    return holder;
  };
  const holders = await Promise.all(Array.from({ length: input.people }, prepareHolder)).finally(worker.stop);
  const databaseUrl = service.ownerUrl;
  const [holder] = holders;
  if (!holder) throw new Error("A world needs people");
  const server = await startProductionServer(service, accessTokenKeys, input.serverEnv);
  const relayerKeys = service.runtime.settings.relayerPrivateKeys;
  return { service, relayerKeys, databaseUrl, holders, holder, server };
}

/** Requests of a person to withdraw the smallest amount, each signed separately. */
export async function createWithdrawals({ person }: AccountHolder) {
  const transfer = { tokenAddress: eure, to: destination, amount: "1" };
  const { body } = await person.call("GET", `/accounts/withdraw/transaction-data?${new URLSearchParams(transfer)}`);
  return async () => {
    const message = { ...body.data.message, salt: `0x${randomBytes(32).toString("hex")}` };
    return { ...transfer, message, signature: await person.account.signTypedData({ ...body.data, message }) };
  };
}

/** Lets all people withdraw this many times in parallel, with a pause of `everyMs` between two withdrawals. */
export async function acceptWithdrawals({ holders }: World, perPerson: number, everyMs = 0): Promise<void> {
  const accept = async (holder: AccountHolder) => {
    const sign = await createWithdrawals(holder);
    for (let count = 0; count < perPerson; count++) {
      const [{ status }] = await Promise.all([
        holder.person.call("POST", "/accounts/withdraw", await sign()),
        Bun.sleep(everyMs),
      ]);
      if (status !== 200) throw new Error(`A withdrawal was refused with ${status}`);
    }
  };
  await Promise.all(holders.map(accept));
}

async function becomeHolder(service: Service): Promise<AccountHolder> {
  const person = new Person(service);
  const address = await person.becomeAccountHolder();
  await person.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: funds });
  const { token, userId } = person;
  if (token === null || userId === null) throw new Error("An account holder could not sign up");
  return { person, token, userId };
}

async function startProductionServer(
  service: Service,
  accessTokenKeys: string,
  env: Record<string, string> = {},
): Promise<Listening> {
  const [port = 0] = await findFreePorts(1);
  const app = await spawnApp("server", {
    ...production,
    PORT: String(port),
    DATABASE_URL: service.env["DATABASE_URL"] ?? "",
    RPC_URL: service.rpcUrl,
    CONTRACT_CODE: service.env["CONTRACT_CODE"] ?? "",
    ACCESS_TOKEN_KEYS: accessTokenKeys,
    RELAYED_OPERATIONS_PER_HOUR: "1000000",
    // Counted like any quota, and never exhausted.
    ...generous,
    READS_PER_MINUTE: "1000000000",
    ...env,
  });
  return listening(app, port);
}

/** Starts one of the compared programs in `targets/`; a `.mjs` runs on Node. */
export async function startTarget(file: string, env: Record<string, string>): Promise<Listening> {
  const [port = 0] = await findFreePorts(1);
  const program = file.endsWith(".mjs") ? Bun.which("node") : process.execPath;
  if (program === null) throw new Error(`${file} runs on Node, and there is none on the PATH`);
  const command = [program, fileURLToPath(new URL(`targets/${file}`, import.meta.url))];
  return listening(spawnProcess(command, { NODE_ENV: "production", PORT: String(port), ...env }), port);
}

async function listening(app: AppProcess, port: number): Promise<Listening> {
  atEnd(async () => {
    app.kill("SIGKILL");
    await app.exited;
  });
  await app.ready("listening");
  return { port, pid: app.pid };
}

async function generateAccessTokenKeys(): Promise<string> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return JSON.stringify({ keys: [{ ...(await exportJWK(privateKey)), kid: "bench" }] });
}
