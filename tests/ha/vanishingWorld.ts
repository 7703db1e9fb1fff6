/** The service of the plays about vanished machines: each way out of a program leads over a cable that a play takes down. */
import { migrate } from "@cardkeep/db/migrate";
import { startPostgres } from "@cardkeep/local/postgres";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { openStore, type SandboxRuntime } from "@cardkeep/sandbox/core/openStore";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { Person } from "../support/person.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp, spawnProcess } from "../support/process.ts";
import { type Service, startService } from "../support/service.ts";
import { addStandby, askServer, type Standby } from "../support/standby.ts";
import { makeMachine, type VanishingMachine } from "../support/vanishingMachine.ts";
import { openPayers } from "../support/withdrawalLoad.ts";
import { productionWorker } from "../support/workerSettings.ts";
import { forward } from "./forward.ts";

const peopleCount = 4;
export const withdrawalsMax = 1_000;

const forwarder = new URL("forward.ts", import.meta.url).pathname;

export interface World {
  service: Service;
  witness: SandboxRuntime;
  people: readonly Person[];
  machines: Readonly<Record<"programs" | "node" | "primary", VanishingMachine>>;
  primary: { url: string; pid: number };
  standby: Standby;
  /** The database, for programs on the machine `programs`. */
  databaseUrl: string;
  stop(): Promise<void>;
}

/** Two programs outside, which reach database and node through machines of their own, and no program on the third machine yet. */
export async function startWorld(folder: string): Promise<World> {
  const [programs, node, primaryMachine] = await Promise.all([makeMachine(), makeMachine(), makeMachine()]);
  const [port = 0, standbyPort = 0, serverPort = 0] = await findFreePorts(3);
  const dataDirectory = join(folder, "primary");
  const primary = await startPostgres({ dataDirectory, port, fsync: false, address: programs.address });
  const [files] = await askServer<{ hba: string }>(primary.url, "select current_setting('hba_file') as hba");
  await appendFile(files?.hba ?? "", `host all all ${programs.range} trust\n`);
  await askServer(primary.url, "select pg_reload_conf()");
  await migrate(primary.url);
  const copy = { name: "standby", dataDirectory: join(folder, "standby"), port: standbyPort };
  const standby = await addStandby({ ...primary, dataDirectory }, copy);
  const urlOf = (...hosts: string[]) => `postgres://cardkeep@${hosts.join()}/cardkeep`;
  const [direct, other] = [`127.0.0.1:${port}`, `127.0.0.1:${standbyPort}`];
  // The other machines reach the database, so its address is not this machine's own.
  const allowed = { RELAYED_OPERATIONS_PER_HOUR: "10000", ALLOW_DEVELOPMENT_KEYS: "true" };
  const env = { DATABASE_URL: urlOf(direct, other), ...allowed };
  const service = await startService({ worker: false, ownStore: true, env });
  const { port: nodePort } = new URL(service.rpcUrl);
  const ports = [nodePort, String(new URL(service.sandboxUrl).port)];
  const forwards = await Promise.all([
    ...ports.map((each) => forward(`${programs.address}:${each}`, `127.0.0.1:${each}`)),
    forward(`${node.address}:${nodePort}`, `127.0.0.1:${nodePort}`),
    forward(`${primaryMachine.address}:${port}`, direct),
  ]);
  const forwardOn = (machine: VanishingMachine, ...pairs: string[]): AppProcess =>
    spawnProcess([...machine.enter, process.execPath, forwarder, ...pairs], {});
  const forwarders = [
    forwardOn(programs, ...ports.flatMap((each) => [`127.0.0.1:${each}`, `${programs.address}:${each}`])),
    forwardOn(node, `${node.own}:${nodePort}`, `${node.address}:${nodePort}`),
    forwardOn(primaryMachine, `${primaryMachine.own}:${port}`, `${primaryMachine.address}:${port}`),
  ];
  await Promise.all(forwarders.map((one) => one.ready("forwards")));
  const outside = {
    ...service.env,
    PORT: String(serverPort),
    DATABASE_URL: urlOf(`${primaryMachine.own}:${port}`, other),
    RPC_URL: `http://${node.own}:${nodePort},${service.rpcUrl}`,
  };
  const apps = await Promise.all([
    spawnApp("server", outside),
    spawnApp("worker", { ...outside, ...productionWorker }),
  ]);
  await Promise.all([apps[0].ready("listening"), apps[1].ready("taking jobs")]);
  const place = { url: `http://127.0.0.1:${serverPort}`, sandboxUrl: service.sandboxUrl };
  const people = await openPayers(place, { people: peopleCount, withdrawalsMax: 4 * withdrawalsMax });
  const witness = openStore(await createRuntime(readSettings(service.env), "cli"));
  return {
    service,
    witness,
    people,
    machines: { programs, node, primary: primaryMachine },
    primary,
    standby,
    databaseUrl: urlOf(`${programs.address}:${port}`),
    stop: async () => {
      for (const one of [...apps, ...forwarders]) {
        one.kill("SIGKILL");
        await one.exited;
      }
      for (const one of forwards) one.close();
      await witness.close();
      await service.stop();
      await standby.stop();
      await primary.stop();
      for (const machine of [programs, node, primaryMachine]) await machine.remove();
    },
  };
}
