/** Migrations after the first release neither hold a lock for long nor break the release before. */
import { expect, test } from "bun:test";
import { readMigrations } from "@cardkeep/db/applyMigrations";
import { Glob } from "bun";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filled } from "../support/filled.ts";
import { nextFiles } from "../support/nextRelease.ts";
import { root } from "./sources.ts";

/** They ran on empty databases alone. */
const initial = [
  "drizzle/0000_initial.sql",
  "drizzle/0001_guards.sql",
  "apps/sandbox/drizzle/0000_initial.sql",
  "apps/sandbox/drizzle/0001_mail_html.sql",
];

const files = ["drizzle", "apps/sandbox/drizzle"].flatMap((folder) => [...new Glob(`${folder}/*.sql`).scanSync(root)]);

/**
 * The files that databases were made by, with SHA-256 of each. Its first line says how it is applied. A new file adds a line here;
 * none changes and none goes.
 */
const digests: Readonly<Record<string, string>> = {
  "drizzle/0000_initial.sql": "8c7cbb45d3359db720c9ad30c9e097caf59d4b15efc979fbb6eb999d2d83f43e",
  "drizzle/0001_guards.sql": "4fddbb055bf615eb5c18c653d59c061640852e8ce4ed43f96b469cb918e6506b",
  "drizzle/0002_treasury.sql": "cd4d54ddba858a5d8b1541f259d3c882de2020d6f9b5dd4f6ed7bf45c472ea84",
  "drizzle/0003_treasury_checks.sql": "04549aa92221682c21d469a2f91fca94cc2a78a47fff57bafe308fe192903f22",
  "drizzle/0004_books.sql": "de7123a8af56c4309260443560793bccc0ff368a68eb133eb2c7a7cd9bbf88c0",
  "drizzle/0005_books_sources.sql": "8d06efecf54cf56ae760492cfa6938c8c29aa88a3f02e09f20b2ee253332c4ef",
  "drizzle/0006_payment_expiry.sql": "13b68ff84566aec0d09cfee9a46de016818a4756a104e286886703768db1e4b4",
  "drizzle/0007_iban_order_updates.sql": "ab8e8d9b1ca020bd6b9563d8d70e037813b6b05169b9e17ce63f8b0d47b76c19",
  "drizzle/0008_operators_api.sql": "49321fb7e84afff21cd9a206c18abcae19f1b5c6c5fc441409ca67f2d5ebc5f6",
  "drizzle/0009_operators_api_checks.sql": "b153b0948f5bada61ac881ce7b29d0a30fb3d7dd3fab6e7736d04e0a9ff8138f",
  "drizzle/0010_books_references.sql": "267cafa83046ec71d48251852ae49fb49e91cfd8de1b404fa20ca9c7dc6c38f5",
  "drizzle/0011_day_figures.sql": "b262b3da9ad75efd4b9fb1d4b533e121e10d3f1d322888cdeb09c60dd785d164",
  "drizzle/0012_book_lines_open.sql": "b1d9e29b61b8427207d54e49dae42efcded97c0314e4e64c60f5f55a1c94836f",
  "drizzle/0013_statement_volumes.sql": "2b9d2ce913e853e2917b0dc59a45a4fade28a9af3d2d502072043a7256c17b71",
  "drizzle/0014_card_envelope_outcomes.sql": "efb2836c9a00adf52d10c8ffef9bb94d7f457f3a1968f8965f80576dce1c06ff",
  "drizzle/0015_card_envelope_outcomes_check.sql": "ca8021e71ff61a2cfe6fd2cdb92c7a869f66463fe6ab640b9fdbc985e26dc7bb",
  "drizzle/0016_hand_refund_messages.sql": "003912d259b2b539673dfb0bbaff370923dbc3d4fc788ea1fce21da0984f81c9",
  "drizzle/0017_hand_refund_messages_check.sql": "4aad9694e128b8957f168e2ec3918b083c13df3cf7f9caf53e145db6e4268ff0",
  "drizzle/0018_erasure_requests.sql": "e88fced3260f58d300c0514a40c88497543fe2ee27949c2a2972b47f3f66202b",
  "drizzle/0019_hand_returns.sql": "064eee2c45b40e4ea07db2e5e35c26af089ee4fc5be4867792129bb5ab13acfa",
  "drizzle/0020_approvals_by_digest.sql": "f01d4ba9fd13e880972a452cb06b173083362f9607014811dd3b0f24fadcaa82",
  "drizzle/0021_payments_and_checks.sql": "e0fa0d76b558b02901a530eea633e687941521c67d6b61cf5091f4c72cda7d3f",
  "drizzle/0022_iban_orders_recorded.sql": "dce8da2fb7c0df44c1f05fbc6b468ac24acf5d8b82307de204f108c3961505e8",
  "drizzle/0023_search_paths.sql": "cce1591886509cec880a7fdf664915223a187f11704b3da0e70093dfd6dc6e42",
  "drizzle/0024_kept_rows.sql": "42fc521b55e2cc7607c63fdbf972ad1f874ec45b41b92243d35f15ae53a2bd67",
  "drizzle/0025_iban_of_former_safe.sql": "a1882bd466a7dbb1305a585d7474520e15e0593190f2428949e72e492fff86c2",
  "drizzle/0026_planned_once.sql": "d885ef922a1257b24239e555805c3c7fa030e4a8e17dbc707e9a92f5f67beee0",
  "drizzle/0027_set_up_history.sql": "09a8259afe47f039ee4aefb16cdf7511185cb7cf6097c01fc2bb3fd7cbff273d",
  "drizzle/0028_followed_blocks.sql": "d4600248a8925912965043c2d910ef941de4dc0d7e302f3180e22a3d859c97b7",
  "drizzle/0029_sequence_gaps.sql": "3c82d8252af3e3698a578fcd044a5f22af96b9e203a8d771df523dc9cd173cbe",
  "apps/sandbox/drizzle/0001_mail_html.sql": "1664c12c764cca33fee3a691fb532df645a9dbd3e3487b254b9f870f549cc45c",
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
  file: string;
  rule_name: string;
  message: string;
}

/** What the linter says of migrations, as rule and text. Those of one mode are one run. */
function lintAll(texts: readonly string[]): string[][] {
  const folder = mkdtempSync(join(tmpdir(), "cardkeep-lint-"));
  const named = texts.map((text, index) => {
    const isStatementwise = text.startsWith("-- mode: statements");
    writeFileSync(join(folder, `${index}.sql`), text.replaceAll("--> statement-breakpoint", ""));
    return { name: `${index}.sql`, isStatementwise };
  });
  const run = (isStatementwise: boolean): Finding[] => {
    const names = named.filter((each) => each.isStatementwise === isStatementwise).map(({ name }) => name);
    if (names.length === 0) return [];
    const mode = isStatementwise ? [] : ["--assume-in-transaction"];
    const flags = ["--reporter=json", "--pg-version=15", `--exclude=${excluded.join(",")}`, ...mode];
    const command = [join(root, "node_modules/.bin/squawk"), ...flags, ...names];
    return JSON.parse(Bun.spawnSync(command, { cwd: folder }).stdout.toString());
  };
  const findings = [...run(true), ...run(false)].filter(({ message }) => !message.startsWith("Missing transaction"));
  rmSync(folder, { recursive: true });
  return named.map(({ name }) =>
    findings.filter(({ file }) => file === name).map(({ rule_name: rule, message }) => `${rule}: ${message}`),
  );
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
  const later = files.filter((path) => !initial.includes(path));
  const found = lintAll(later.map((path) => readFileSync(join(root, path), "utf8")));
  expect(later.map((path, index) => [path, found[index]])).toEqual(later.map((path) => [path, []]));
});

/** Migrations that lock for long or break the release before, and the rule that says so. */
const planted = [
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
  ["alter table cards add constraint a foreign key (user_id) references users (id);", "adding-foreign-key-constraint"],
  ["alter table cards add constraint a unique (user_id);", "disallowed-unique-constraint"],
  ["alter table cards alter column region set not null;", "adding-not-nullable-field"],
  ["alter table cards add column a text not null;", "adding-required-field"],
  ["alter table cards add column a uuid default gen_random_uuid();", "adding-field-with-default"],
  ["alter table cards alter column id type uuid using id::uuid;", "changing-column-type"],
  ["alter table cards drop column region;", "ban-drop-column"],
  ["alter table cards rename column region to area;", "renaming-column"],
  ["drop table cards;", "ban-drop-table"],
  ["-- mode: statements\nalter table cards add column a text;", "prefer-robust-stmts"],
] as const;

test("a migration of each kind that runs online passes, and so does one that takes what no release uses, with a comment that names the rule", () => {
  const dropping = "-- squawk-ignore ban-drop-column\nalter table cards drop column region;";
  const texts = [...Object.values(nextFiles), dropping];
  expect(lintAll(texts)).toEqual(texts.map(() => []));
});

test("a migration that locks for long, or breaks the release before, is refused", () => {
  const found = lintAll(planted.map(([text]) => text));
  for (const [index, [text, rule]] of filled(planted.entries()))
    expect([text, found[index]?.some((each) => each.startsWith(`${rule}: `))]).toEqual([text, true]);
});
