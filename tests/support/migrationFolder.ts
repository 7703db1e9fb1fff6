/** A folder of migrations with further files, as a next release has it. */
import { cp, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MigrationSet, productMigrations } from "@cardkeep/db/migrations";

/** Copies the product's migrations and adds these, by their names. */
export async function extendMigrations(added: Readonly<Record<string, string>>): Promise<MigrationSet> {
  const folder = await mkdtemp(join(tmpdir(), "cardkeep-next-"));
  await cp(productMigrations.folder, folder, { recursive: true });
  const path = join(folder, "meta/_journal.json");
  const journal: { entries: { idx: number; when: number; tag: string }[] } = JSON.parse(await readFile(path, "utf8"));
  for (const [tag, text] of Object.entries(added)) {
    const last = journal.entries.at(-1);
    if (!last) throw new Error("The folder has no migrations");
    journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag });
    await writeFile(join(folder, `${tag}.sql`), text);
  }
  await writeFile(path, JSON.stringify(journal));
  return { ...productMigrations, folder };
}

/** A copy of a folder of migrations with its first files alone, as an older release has it. */
export async function cutMigrations(source: string, count: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cardkeep-older-"));
  await cp(source, folder, { recursive: true });
  const path = join(folder, "meta/_journal.json");
  const journal: { entries: unknown[] } = JSON.parse(await readFile(path, "utf8"));
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }));
  return folder;
}
