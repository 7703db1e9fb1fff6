import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startPostgres, type Postgres } from "@cardkeep/local/postgres";
import { appendFile, rm } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { createDataFolder } from "../support/dataFolder.ts";
import { until } from "../support/poll.ts";
import { fillData } from "../support/postgres.ts";
import { spawnProcess } from "../support/process.ts";
import { makeMachine, mayMakeMachines, type VanishingMachine } from "../support/vanishingMachine.ts";

/** A machine that vanishes is a failure of at most so long for everybody else. */
const vanishedMs = 30_000;

describe.skipIf(!mayMakeMachines)("a machine that vanishes without a packet", () => {
  let folder: string;
  let machine: VanishingMachine;
  let server: Postgres;
  let admin: postgres.Sql;
  beforeAll(async () => {
    folder = await createDataFolder({ onDisk: false });
    machine = await makeMachine();
    const dataDirectory = join(folder, "data");
    await fillData(dataDirectory);
    server = await startPostgres({ dataDirectory, fsync: false, address: machine.address });
    admin = postgres(server.url, { max: 2 });
    const [files] = await admin<{ hba: string }[]>`select current_setting('hba_file') as hba`;
    await appendFile(files?.hba ?? "", `host all all ${machine.range} trust\n`);
    await admin`select pg_reload_conf()`;
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
    await machine.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test("keeps no lock and no pool from the others, notices it itself, and works again once it is back", async () => {
    const url = new URL(server.url);
    url.hostname = machine.address;
    const script = new URL("../support/vanishingClient.ts", import.meta.url).pathname;
    const client = spawnProcess([...machine.enter, process.execPath, script, url.href, "gone"], {});
    await client.ready("holds");
    machine.vanish();
    const vanishedAt = performance.now();
    await admin.begin((tx) => tx`select pg_advisory_xact_lock(42)`);
    await until(async () => {
      const [row] = await admin`select pg_try_advisory_xact_lock(hashtextextended('cardkeep:pool:gone', 0)) as free`;
      return row?.["free"] === true;
    });
    await client.ready("refused");
    await client.ready("lost");
    expect(performance.now() - vanishedAt).toBeLessThan(vanishedMs);
    machine.appear();
    await client.ready("answered again");
    client.kill("SIGKILL");
    await client.exited;
  });
});
