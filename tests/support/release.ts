/**
 * Releases: a filled database of each, with its chain, one folder a version in tests/releases.
 *
 * - database.sql.gz: all rows. - chain.json.gz: the state of the local chain. - archives: months that were moved out of the database. -
 *   release.json: which migrations it had, the key of the person in it, and what the API answered then.
 */
import { addMonths, monthOf } from "@cardkeep/db/partitions";
import { archiveMonths } from "@cardkeep/db/archives/archiveMonths";
import { migrate, migrateSandbox } from "@cardkeep/db/migrate";
import { productMigrations } from "@cardkeep/db/migrations";
import { readMigrations } from "@cardkeep/db/applyMigrations";
import { type Chain, startChain } from "@cardkeep/local/chain";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import postgres from "postgres";
import type { Hex } from "viem";
import { createEmptyDatabase, type TestDatabase } from "./database.ts";
import { readDatabase, writeDatabase } from "./databaseText.ts";
import { cutMigrations } from "./migrationFolder.ts";
import type { Service } from "./service.ts";

const cacheDirectory = fileURLToPath(new URL("../../.cardkeep/cache", import.meta.url));
const sandboxFolder = fileURLToPath(new URL("../../apps/sandbox/drizzle", import.meta.url));
/** The folder of all releases. */
const releasesFolder = fileURLToPath(new URL("../releases", import.meta.url));

/** What a release's folder says of itself. */
export interface Release {
  version: string;
  /** How many files of each folder it had. */
  migrations: number;
  sandboxMigrations: number;
  privateKey: Hex;
  /** Ids in the answers of the API, by path. */
  answers: Record<string, string[]>;
}

const names = { database: "database.sql.gz", chain: "chain.json.gz", release: "release.json" } as const;

/** Reads by which a person sees what there is. Their answers have ids that no later work changes. */
export const readPaths = [
  "/user",
  "/cards",
  "/cards/transactions",
  "/delay-relay",
  "/ibans/orders",
  "/order/",
  "/owners",
  "/safe/config",
  "/eoa-accounts",
  "/user/terms",
] as const;

/** The ids in an answer, sorted. */
export const listIds = (body: unknown): string[] => {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (/^(id|.*(?<!Task|chain)Id|cardToken|address)$/.test(name) && typeof inner === "string")
        found.add(`${name} ${inner}`);
      visit(inner);
    }
  };
  visit(body);
  return [...found].toSorted();
};

export interface KeptChain {
  readonly chain: Chain;
  /** The state of the stopped chain, compressed. */
  readState(): Promise<Uint8Array>;
  remove(): Promise<void>;
}

/** A chain whose state is kept in a file of a new folder; `state` is what it begins with. */
export async function startKeptChain(
  state: Uint8Array<ArrayBuffer> | null = null,
  clockOffsetSeconds = 0,
): Promise<KeptChain> {
  const folder = await mkdtemp(join(tmpdir(), "cardkeep-release-"));
  const stateFile = join(folder, "chain.json");
  if (state !== null) await writeFile(stateFile, gunzipSync(state));
  const chain = await startChain({ cacheDirectory, port: 0, stateFile, clockOffsetSeconds });
  return {
    chain,
    readState: async () => gzipSync(await readFile(stateFile), { level: 9 }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A declined payment two years ago, as if the database were that old; then it is moved into an archive. */
async function archiveOldPayment(url: string, folder: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {}, connection: { session_replication_role: "replica" } });
  try {
    const month = addMonths(monthOf(new Date()), -24);
    const at = new Date(`${month}-10T12:00:00Z`);
    const id = Bun.randomUUIDv7("hex", at.getTime());
    await client`select add_month(name, ${month}) from unnest(array['card_payments', 'card_clearings', 'card_decisions', 'card_transfers', 'ledger_entries']) name`;
    for (const table of ["card_payments", "card_decisions"]) {
      const key = table === "card_payments" ? "id" : "payment_id";
      await client.unsafe(
        `insert into ${table} select (jsonb_populate_record(kept, $1::text::jsonb)).* from ${table} kept
          where kept.${key} = (select id from card_payments where status = 'DECLINED' order by id limit 1)`,
        [
          JSON.stringify({
            [key]: id,
            created_at: at,
            updated_at: at,
            ...(key === "id" && { thread_id: "iauth_old" }),
          }),
        ],
      );
    }
    await client`insert into card_threads (thread_id, payment_id, user_id) select thread_id, id, user_id from card_payments where id = ${id}`;
    await client`set session_replication_role = origin`;
  } finally {
    await client.end();
  }
  await archiveMonths(url, { months: 12, folder, now: new Date() });
}

/** Writes the folder of a release from a service that ran; it ends the service. */
export async function writeRelease(
  service: Service,
  { release, kept }: { release: Pick<Release, "version" | "privateKey" | "answers">; kept: KeptChain },
): Promise<string> {
  const folder = join(releasesFolder, release.version);
  await rm(folder, { recursive: true, force: true });
  await archiveOldPayment(service.ownerUrl, join(folder, "archives"));
  const text = await writeDatabase(service.ownerUrl);
  await service.stop();
  await writeFile(join(folder, names.database), gzipSync(text, { level: 9 }));
  await writeFile(join(folder, names.chain), await kept.readState());
  const counts = {
    migrations: readMigrations(productMigrations.folder).length,
    sandboxMigrations: readMigrations(sandboxFolder).length,
  };
  await writeFile(join(folder, names.release), `${JSON.stringify({ ...release, ...counts }, null, 2)}\n`);
  return folder;
}

/** The versions that have a folder. */
export const listReleases = async (): Promise<string[]> => (await readdir(releasesFolder)).toSorted();

/** A release's database and chain as they were, and the folder of its archives. `close` removes what is left of them on the disk. */
export async function openRelease(version: string): Promise<{
  release: Release;
  database: TestDatabase;
  chain: Chain;
  archives: string;
  close: () => Promise<void>;
}> {
  const folder = join(releasesFolder, version);
  const release: Release = JSON.parse(await readFile(join(folder, names.release), "utf8"));
  const database = await createEmptyDatabase();
  const [product, sandbox] = await Promise.all([
    cutMigrations(productMigrations.folder, release.migrations),
    cutMigrations(sandboxFolder, release.sandboxMigrations),
  ]);
  await migrate(database.url, undefined, { set: { ...productMigrations, folder: product } });
  await migrateSandbox(database.url, sandbox);
  await readDatabase(
    database.url,
    new TextDecoder().decode(gunzipSync(await Bun.file(join(folder, names.database)).bytes())),
  );
  const client = postgres(database.url, { max: 1 });
  const [clock] = await client<{ offset: number }[]>`select offset_seconds::int as offset from clock`;
  await client.end();
  const kept = await startKeptChain(await Bun.file(join(folder, names.chain)).bytes(), clock?.offset ?? 0);
  return {
    release,
    database,
    chain: kept.chain,
    archives: join(folder, "archives"),
    close: async () => {
      for (const each of [product, sandbox]) await rm(each, { recursive: true, force: true });
      await kept.remove();
    },
  };
}
