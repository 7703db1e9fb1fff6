/** `bun run check [name ...]`: all checks that do not run the program, or those named, in parallel. */
import { readFileSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

interface Finding {
  isGood: boolean;
  text: string;
}

const root = new URL("..", import.meta.url).pathname;

/**
 * Compiler and linter are Go programs that end within seconds: they collect garbage only when they near this size. Before, that took a
 * third of their processor time, at the same size.
 */
const memory = { GOGC: "off", GOMEMLIMIT: "3GiB" };

/** Runs one of the installed tools; its output counts only if it fails. */
const run = (...command: [string, ...string[]]): Promise<Finding> => runIn(root, ...command);

async function runIn(cwd: string, ...command: [string, ...string[]]): Promise<Finding> {
  const env = { ...memory, ...process.env };
  const child = Bun.spawn(command, { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [code, ...texts] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { isGood: code === 0, text: texts.join("") };
}

const tool = (name: string): string => join(root, "node_modules/.bin", name);

/** A lock file made through a mirror would name the mirror for all users. */
function checkLockFile(): Finding {
  const lines = readFileSync(join(root, "bun.lock"), "utf8").split("\n");
  const hosts = lines.flatMap((line, index) =>
    /"https?:\/\//.test(line) ? [`bun.lock:${index + 1}: ${line.trim()}`] : [],
  );
  return { isGood: hosts.length === 0, text: hosts.join("\n") };
}

/** The product's migrations and the sandbox's, each with the tables that they make. */
const migrationSets = [
  { migrations: "drizzle", schema: "./src/schema/tables.ts" },
  { migrations: "apps/sandbox/drizzle", schema: "./src/sandbox/tables.ts" },
];

async function checkMigrations(): Promise<Finding> {
  const findings = await Promise.all(migrationSets.map(checkMigrationSet));
  return { isGood: findings.every(({ isGood }) => isGood), text: findings.map(({ text }) => text).join("\n") };
}

/** Generates the migration that a copy of the folder lacks. There must be none. */
async function checkMigrationSet({ migrations, schema }: (typeof migrationSets)[number]): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), "cardkeep-migrations-"));
  try {
    const out = join(folder, "drizzle");
    const cwd = join(root, "packages/db");
    await cp(join(root, migrations), out, { recursive: true });
    const before = await readdir(out);
    // The tool reads an absolute path as relative to its own folder.
    const config = {
      dialect: "postgresql",
      schema,
      out: relative(cwd, out),
      casing: "snake_case",
    };
    const configFile = join(folder, "drizzle.config.json");
    await writeFile(configFile, JSON.stringify(config));
    const { isGood, text } = await runIn(
      cwd,
      join(cwd, "node_modules/.bin/drizzle-kit"),
      "generate",
      "--config",
      configFile,
    );
    const added = (await readdir(out)).filter((name) => !before.includes(name));
    if (isGood && added.length === 0) return { isGood, text };
    const missing = await Promise.all(added.map((name) => readFile(join(out, name), "utf8")));
    return {
      isGood: false,
      text: missing.length > 0 ? `No migration of ${migrations} says:\n${missing.join("\n")}` : text,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Builds the published libraries, and checks with two linters that other programs can import them. */
async function checkPackages(): Promise<Finding> {
  const out = await mkdtemp(join(tmpdir(), "cardkeep-packages-"));
  try {
    const libraries = ["@cardkeep/client", "@cardkeep/testing"];
    const packed = await run(process.execPath, "apps/pack/src/main.ts", ...libraries, "--out", out);
    if (!packed.isGood) return packed;
    const tarballs = await readdir(out);
    const findings = await Promise.all(
      tarballs.flatMap((tarball) => [
        runIn(out, tool("publint"), "--strict", join(out, tarball)),
        runIn(out, tool("attw"), join(out, tarball), "--profile", "esm-only", "--quiet"),
      ]),
    );
    return { isGood: findings.every(({ isGood }) => isGood), text: findings.map(({ text }) => text).join("\n") };
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** The compiler's results are kept, so that the next check covers only changes. */
const incremental = ["--incremental", "--tsBuildInfoFile", join(root, "node_modules/.cache/types.tsbuildinfo")];
/** Each checker resolves shared types again: four take twice the processor time of one, which the other checks need. */
const checkers = ["--checkers", "1"];

const checks: Readonly<Record<string, () => Finding | Promise<Finding>>> = {
  types: () => run(tool("tsc"), "--noEmit", "-p", ".", ...incremental, ...checkers),
  format: () => run(tool("oxfmt"), "--check", "."),
  lint: () => run(tool("oxlint"), "--type-aware", "--deny-warnings"),
  // The limit of each test of the runner: a test may read all migrations beside seven other checks.
  architecture: () => run(process.execPath, "test", "--timeout", "60000", "tests/architecture"),
  "unused code": () => run(tool("knip"), "--no-config-hints"),
  "lock file": checkLockFile,
  migrations: checkMigrations,
  packages: checkPackages,
};

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in checks));
if (unknown !== undefined) {
  process.stdout.write(`There is no check "${unknown}". There are: ${Object.keys(checks).join(", ")}\n`);
  process.exit(1);
}

const findings = await Promise.all(
  Object.entries(checks).map(async ([name, check]) => {
    if (asked.length > 0 && !asked.includes(name)) return true;
    const startedAt = performance.now();
    const { isGood, text } = await check();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(isGood ? `✓ ${name}  ${seconds} s\n` : `✗ ${name}  ${seconds} s\n${text.trim()}\n`);
    return isGood;
  }),
);
process.exit(findings.every(Boolean) ? 0 : 1);
