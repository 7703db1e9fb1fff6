/** Migrations after the first release neither hold a lock for long nor break the release before. */
import { describe, expect, test } from "bun:test";
import { readMigrations } from "@cardkeep/db/applyMigrations";
import { Glob } from "bun";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filled } from "../support/filled.ts";
import { nextFiles } from "../support/nextRelease.ts";
import { root } from "./sources.ts";

/** They ran on empty databases alone. */
const initial = ["drizzle/0000_initial.sql", "drizzle/0001_guards.sql", "apps/sandbox/drizzle/0000_initial.sql"];

const files = ["drizzle", "apps/sandbox/drizzle"].flatMap((folder) => [...new Glob(`${folder}/*.sql`).scanSync(root)]);

/**
 * The files that databases were made by, with SHA-256 of each. Its first line says how it is applied. A new file adds a line here;
 * none changes and none goes.
 */
const digests: Readonly<Record<string, string>> = {
  "drizzle/0000_initial.sql": "b26ba6470f379abf13afa31c5d2562be99442e042cff0ac656e2b530aaa3a7e2",
  "drizzle/0001_guards.sql": "4fddbb055bf615eb5c18c653d59c061640852e8ce4ed43f96b469cb918e6506b",
  "apps/sandbox/drizzle/0000_initial.sql": "259480f016a96e4036b451bb15fe3927798118d3de39ea071de12091fb2666c5",
};

/** What `applyMigrations` does itself, and matters of taste. */
const excluded = [
  "require-lock-timeout",
  "require-statement-timeout",
  "prefer-text-field",
  "prefer-bigint-over-int",
  "prefer-bigint-over-smallint",
  "prefer-identity",
  "prefer-timestamp-tz",
];

interface Finding {
  rule_name: string;
  message: string;
}

/** What the linter says of a migration, as rule and text. */
function lint(text: string): string[] {
  const isStatementwise = text.startsWith("-- mode: statements");
  const { stdout } = Bun.spawnSync(
    [
      join(root, "node_modules/.bin/squawk"),
      "--reporter=json",
      "--pg-version=15",
      `--exclude=${excluded.join(",")}`,
      ...(isStatementwise ? [] : ["--assume-in-transaction"]),
    ],
    { stdin: new TextEncoder().encode(text.replaceAll("--> statement-breakpoint", "")) },
  );
  const findings: Finding[] = JSON.parse(stdout.toString());
  return findings
    .filter(({ message }) => !message.startsWith("Missing transaction"))
    .map(({ rule_name: rule, message }) => `${rule}: ${message}`);
}

test("each migration is as it was when the first database was made by it, in its place and with its way", () => {
  const digestOf = (path: string) =>
    createHash("sha256")
      .update(readFileSync(join(root, path)))
      .digest("hex");
  expect(Object.fromEntries(files.toSorted().map((path) => [path, digestOf(path)]))).toEqual(digests);
  for (const folder of ["drizzle", "apps/sandbox/drizzle"]) {
    const names = readMigrations(join(root, folder)).map(({ name }) => `${folder}/${name}.sql`);
    expect(names).toEqual(files.filter((path) => path.startsWith(`${folder}/`)).toSorted());
  }
});

test("no migration after the first ones locks a table for long, or takes from the release before what it uses", () => {
  expect(files).toEqual(expect.arrayContaining(initial));
  for (const file of filled(files))
    if (!initial.includes(file)) expect([file, lint(readFileSync(join(root, file), "utf8"))]).toEqual([file, []]);
});

describe("a planted migration", () => {
  test.each(Object.entries(nextFiles))("of a kind that runs online passes: %s", (_, text) =>
    expect(lint(text)).toEqual([]),
  );

  test.each([
    ["create index cards_a on cards (id);", "require-concurrent-index-creation"],
    [
      "create index concurrently if not exists a on cards (id); alter table cards add column b text;",
      "ban-concurrent-index-creation-in-transaction",
    ],
    ["alter table cards add constraint a check (id <> '');", "constraint-missing-not-valid"],
    [
      "alter table cards add constraint a check (id <> '') not valid; alter table cards validate constraint a;",
      "constraint-missing-not-valid",
    ],
    [
      "alter table cards add constraint a foreign key (user_id) references users (id);",
      "adding-foreign-key-constraint",
    ],
    ["alter table cards add constraint a unique (user_id);", "disallowed-unique-constraint"],
    ["alter table cards alter column region set not null;", "adding-not-nullable-field"],
    ["alter table cards add column a text not null;", "adding-required-field"],
    ["alter table cards add column a uuid default gen_random_uuid();", "adding-field-with-default"],
    ["alter table cards alter column id type uuid using id::uuid;", "changing-column-type"],
    ["alter table cards drop column region;", "ban-drop-column"],
    ["alter table cards rename column region to area;", "renaming-column"],
    ["drop table cards;", "ban-drop-table"],
    ["-- mode: statements\nalter table cards add column a text;", "prefer-robust-stmts"],
  ])("that locks for long or breaks the release before is refused: %s", (text, rule) =>
    expect(lint(text).map((finding) => finding.split(":")[0])).toContain(rule),
  );

  test("may take what no release uses any more, with a comment that names the rule", () =>
    expect(lint("-- squawk-ignore ban-drop-column\nalter table cards drop column region;")).toEqual([]));
});
