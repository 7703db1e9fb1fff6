import { listCommandWords } from "@cardkeep/cli/commandWords";
import { nouns } from "@cardkeep/cli/nouns";
import { renderCompletion } from "@cardkeep/cli/shells";
import { findVerbRow } from "@cardkeep/domain/core/operators/verbs";
import { programs } from "@cardkeep/terminal/programs";
import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mainOf } from "../support/bundles.ts";
import { runCli, spawnCli } from "../support/cli.ts";
import { listCommands } from "../support/commands.ts";
import { filled } from "../support/filled.ts";

const root = new URL("../..", import.meta.url).pathname;

/** Runs a script of the repository from another folder, without any settings. */
function runScript(script: string, ...words: string[]) {
  const cwd = mkdtempSync(join(tmpdir(), "cardkeep-elsewhere-"));
  const command = [process.execPath, "run", "--silent", `--cwd=${root}`, script, ...words];
  const home = { CARDKEEP_HOME: join(cwd, "home") };
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { env: { PATH: process.env["PATH"] ?? "", ...home } });
  rmSync(cwd, { recursive: true });
  return { code: exitCode, out: String(stdout), err: String(stderr) };
}

test("every program has a help text that runs nothing, as a command and as a script: exit code 0", async () => {
  for (const [name, { brief }] of Object.entries(programs)) {
    const asCommand = await spawnCli({}, name, "--help");
    expect([name, asCommand]).toEqual([name, { code: 0, out: expect.stringContaining(`\n${brief}.\n`), err: "" }]);
    if (name === "server") expect([name, runScript(name, "--help")]).toEqual([name, asCommand]);
    if (name === "start")
      for (const flag of filled(Object.keys(programs.start.flags))) expect(asCommand.out).toContain(`--${flag}`);
  }
});

test("a program refuses words that it does not take before it runs: exit code 2", async () => {
  const { code, out, err } = await spawnCli({}, "migrate", "now");
  expect([code, out]).toEqual([2, ""]);
  expect(err).toBe('cardkeep: Unexpected argument "now": the command takes none. See `cardkeep migrate --help`.\n');
  const start = await spawnCli({}, "start", "--porb-base", "4000");
  expect([start.code, start.err]).toEqual([2, expect.stringContaining("--porb-base")]);
});

test("a spelling of NODE_ENV that is none of the three is refused by every command, before it does anything", async () => {
  const elsewhere = "http://127.0.0.1:1";
  const env = { NODE_ENV: "Production", DATABASE_URL: "postgres://cardkeep@127.0.0.1:1/cardkeep" };
  for (const words of [
    ["migrate"],
    ["stops", "list"],
    ["stops", "list", "--server", elsewhere],
    ["trigger", "user.created", "--sandbox", elsewhere],
    ["faults", "clear", "--sandbox", elsewhere],
    ["operators", "sign-in", "--server", elsewhere],
    ["mcp", "--server", elsewhere],
  ]) {
    const refused = expect.stringContaining('NODE_ENV: must be "development", "test" or "production"');
    expect([words, await spawnCli(env, ...words)]).toEqual([words, { code: 1, out: "", err: refused }]);
  }
});

test("a command whose notes have no reader any more goes on, and ends as it would with one", async () => {
  const line = `exec 3> >(:); wait $!; exec "${process.execPath}" "${mainOf("cli")}" mcp --server http://127.0.0.1:1 2>&3`;
  const child = Bun.spawn(["bash", "-c", line], { env: { PATH: process.env["PATH"] ?? "" }, stdin: "ignore" });
  expect(await child.exited).toBe(0);
});

test("without a named installation nothing is changed, and what is read says where it looked", async () => {
  const home = join(tmpdir(), "cardkeep-none");
  const none = { CARDKEEP_HOME: home, CHAIN_PORT: "1" };
  const guess = `no start runs from ${home}, and DATABASE_URL is not set`;
  const change = await runCli(none, "coupons", "disable", "FREECARD");
  expect(change).toEqual({
    code: 1,
    out: "",
    err: `cardkeep: ${guess}: set DATABASE_URL or CARDKEEP_HOME to say where to change something\n`,
  });
  const read = await runCli(none, "coupons", "list");
  expect(read.err).toStartWith(`cardkeep: ${guess}; the database is guessed to be at 127.0.0.1:54329\n`);
  expect((await runCli(none, "doctor")).err).toStartWith(`cardkeep: ${guess}; the database is guessed to be at`);
  for (const words of [
    ["trigger", "user.created"],
    ["faults", "set", "worker.kill"],
    ["faults", "clear"],
  ])
    expect([words, await spawnCli(none, ...words)]).toEqual([
      words,
      { code: 1, out: "", err: expect.stringContaining(`No start runs from ${home}: run \`bun start\``) },
    ]);
  const demo = await spawnCli(none, "demo");
  expect([demo.code, demo.out, demo.err]).toEqual([1, "", expect.stringContaining("No start runs from this folder.")]);
  const where = await spawnCli({ ...none, PORT: "4000" }, "where", "--json");
  expect(JSON.parse(where.out)).toMatchObject({
    service: "http://localhost:4000",
    origins: { database: "guessed", service: "given", sandbox: "guessed" },
  });
});

test("each command that changes something refuses to guess where, by the table of verbs", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cardkeep-guess-"));
  const none = { CARDKEEP_HOME: join(folder, "home"), CHAIN_PORT: "1" };
  const wrong: string[] = [];
  const changing = listCommands(folder).filter(({ verbs }) => verbs.some((verb) => findVerbRow(verb).isChange));
  for (const { name, words } of filled(changing)) {
    const { code, err } = await runCli(none, ...words);
    if (code !== 1 || !err.includes("to say where to change something")) wrong.push(`${name}: ${code} ${err}`);
  }
  rmSync(folder, { recursive: true });
  expect(wrong).toEqual([]);
});

test("the first journey refuses to guess where it makes its person", () => {
  const env = { PATH: process.env["PATH"] ?? "", CARDKEEP_HOME: join(tmpdir(), "cardkeep-none") };
  const { exitCode, stderr } = Bun.spawnSync(["bash", join(root, "tests/journey/journey.sh")], { cwd: tmpdir(), env });
  expect([exitCode, String(stderr)]).toEqual([
    1,
    "No start runs from this folder. Run `bun start` first, or set API and SANDBOX.\n",
  ]);
});

test("the first journey finds the installation by npx where Bun itself is not there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cardkeep-path-"));
  for (const name of ["dirname", "grep", "cut", "bash"]) symlinkSync(Bun.which(name) ?? "", join(folder, name));
  // Nothing is fetched here: it has the package, as npm keeps it.
  await Bun.write(
    join(folder, "npx"),
    `#!/bin/bash\n[ "$1 $2" = "-y bun@${Bun.version}" ] && exec ${process.execPath} "\${@:3}"\n`,
  );
  chmodSync(join(folder, "npx"), 0o755);
  const env = { PATH: folder, CARDKEEP_HOME: join(folder, "home") };
  const { stderr } = Bun.spawnSync(["bash", join(root, "tests/journey/journey.sh")], { cwd: folder, env });
  expect(String(stderr)).toStartWith("No start runs from this folder.");
  rmSync(folder, { recursive: true });
});

const completions: [string, string[]][] = [
  ["ca", ["cards", "callbacks", "cases"]],
  ["cards ", ["list", "show", "freeze", "unfreeze", "lost", "stolen", "reissue", "restore", "--help"]],
  ["users list --sta", ["--status"]],
  ["users list --status ", ["ACTIVE", "DEACTIVATED"]],
  ["where --j", ["--json"]],
  ["start --port", ["--port-base"]],
  ["partners show shop --ex", ["--exact"]],
];

test.each(completions)("bash completes `cardkeep %s`", (typed, expected) => {
  const words = ["cardkeep", ...typed.split(" ")];
  const script = `${renderCompletion("bash", listCommandWords(nouns))}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
    _cardkeep; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = Bun.spawnSync(["bash", "-c", script]);
  expect(String(stdout).trim().split("\n")).toEqual(expected);
});

test.skipIf(Bun.which("fish") === null)("fish completes a verb, and says what it does", () => {
  const script = `${renderCompletion("fish", listCommandWords(nouns))}\ncomplete -C 'cardkeep cards fr'`;
  const { stdout } = Bun.spawnSync(["fish", "-c", script]);
  expect(String(stdout)).toStartWith("freeze\tFreezes an active card");
});

for (const shell of ["zsh", "fish"] as const)
  // Not every machine has it.
  test.skipIf(Bun.which(shell) === null)(`${shell} accepts its completion`, () => {
    const script = renderCompletion(shell, listCommandWords(nouns));
    expect(script).toContain("cards");
    const { exitCode, stderr } = Bun.spawnSync([shell, "-n"], { stdin: Buffer.from(script) });
    expect([exitCode, String(stderr)]).toEqual([0, ""]);
  });
