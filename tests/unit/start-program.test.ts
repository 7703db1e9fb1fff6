import { lockData } from "@cardkeep/local/dataLock";
import { sweepData } from "@cardkeep/local/sweepData";
import { sweepTemplates } from "@cardkeep/local/sweepTemplates";
import { startCardkeep } from "@cardkeep/testing";
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "../support/poll.ts";

/** Prints what it got, and ends. */
const program = `
console.error([process.env.PARTNER_ID, process.env.DATABASE_URL].join());
console.error(process.argv.slice(1).join(" "));
process.exit(3);
`;

test("a program that ends before it is ready is a failed start with its last lines; it got settings and arguments", async () => {
  const started = startCardkeep({
    settings: { PARTNER_ID: "corner-shop" },
    command: [process.execPath, "-e", program, "start"],
  });
  await expect(started).rejects.toThrow("Cardkeep ended with code 3\ncorner-shop,\nstart --ephemeral --json");
});

test("a program that says nothing in time is a failed start too, and is asked to stop, so that it removes its data", async () => {
  const folder = await mkdtemp(join(tmpdir(), "start-program-"));
  const late = `
    process.on("SIGTERM", () => { require("node:fs").rmSync(${JSON.stringify(folder)}, { recursive: true }); process.exit(0); });
    for (let line = 1; line <= 1_000; line++) console.error("line " + line);
    setInterval(() => {}, 1_000);`;
  const started = startCardkeep({ command: [process.execPath, "-e", late], timeoutMs: 3_000 });
  const last = Array.from({ length: 15 }, (_, index) => `line ${986 + index}`).join("\n");
  await expect(started).rejects.toThrow(`Cardkeep was not ready within 3000 ms\n${last}`);
  expect(existsSync(folder)).toBe(false);
});

test("an ephemeral start removes what killed ones left, and nothing of those that run", async () => {
  const folder = await mkdtemp(join(tmpdir(), "start-program-"));
  const names = ["cardkeep-killed", "cardkeep-livess", "cardkeep-newnew", "other-killed"];
  const [killed = "", alive = "", young = "", other = ""] = names.map((name) => join(folder, name));
  for (const home of [killed, alive, young, other]) await mkdir(home);
  for (const home of [killed, other]) await writeFile(join(home, "start.lock"), "");
  const data = await mkdtemp(join(folder, "data-"));
  await symlink(data, join(killed, "postgres"));
  const unlock = lockData(alive);
  try {
    await sweepData(folder);
    expect([killed, data, alive, young, other].map((path) => existsSync(path))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  } finally {
    unlock();
    await rm(folder, { recursive: true });
  }
});

test("an ephemeral start removes templates that none used for 30 days, but for its own", async () => {
  const cache = await mkdtemp(join(tmpdir(), "start-program-"));
  const elsewhere = await mkdtemp(join(tmpdir(), "start-program-"));
  const nameOf = (digit: string) => `postgres-${digit.repeat(16)}`;
  const [own, old, killed, young, linked] = [
    nameOf("0"),
    nameOf("1"),
    `${nameOf("2")}.0198f000-0000-7000-8000-000000000001`,
    nameOf("3"),
    nameOf("4"),
  ];
  const data = join(elsewhere, "data");
  for (const path of [...[own, old, killed, young].map((name) => join(cache, name)), data]) await mkdir(path);
  await symlink(data, join(cache, linked));
  await writeFile(join(cache, "chain-0123456789abcdef.json"), "{}");
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000);
  for (const name of [own, old, killed, linked, "chain-0123456789abcdef.json"])
    await utimes(join(cache, name), daysAgo(31), daysAgo(31));
  await utimes(join(cache, young), daysAgo(29), daysAgo(29));
  // Two starts at once remove the same ones.
  await Promise.all([sweepTemplates(cache, join(cache, own)), sweepTemplates(cache, join(cache, own))]);
  expect((await readdir(cache)).toSorted()).toEqual(["chain-0123456789abcdef.json", own, young]);
  expect(await readdir(elsewhere)).toEqual([]);
  for (const folder of [cache, elsewhere]) await rm(folder, { recursive: true });
});

test("a start for tests reads no `.env` of the program under test", async () => {
  const folder = await mkdtemp(join(tmpdir(), "start-program-"));
  const names = [".env", ".env.local", ".env.test", ".env.development"];
  for (const name of names) await writeFile(join(folder, name), "DATABASE_URL=postgres://127.0.0.1/mine\n");
  const caller = join(folder, "caller.ts");
  const started = `startCardkeep({ command: [process.execPath, "-e", ${JSON.stringify(program)}] })`;
  const kit = fileURLToPath(import.meta.resolve("@cardkeep/testing"));
  await writeFile(
    caller,
    `import { startCardkeep } from ${JSON.stringify(kit)};
    await ${started}.catch((error) => console.log(process.env.DATABASE_URL + " " + error.message));`,
  );
  const run = Bun.spawn([process.execPath, caller], {
    cwd: folder,
    env: { PATH: process.env["PATH"] },
    stdout: "pipe",
  });
  const said = await new Response(run.stdout).text();
  await rm(folder, { recursive: true });
  expect(said).toStartWith("postgres://127.0.0.1/mine Cardkeep ended with code 3\n,\n");
});

test("a run that forgets to stop an instance ends all the same", async () => {
  const folder = await mkdtemp(join(tmpdir(), "start-program-"));
  const caller = join(folder, "caller.ts");
  const ready = `console.log('{"api":"http://localhost:1"}'); process.stdin.resume(); setTimeout(() => process.exit(), 20_000);`;
  const kit = fileURLToPath(import.meta.resolve("@cardkeep/testing"));
  await writeFile(
    caller,
    `import { startCardkeep } from ${JSON.stringify(kit)};
    const { api } = await startCardkeep({ command: [process.execPath, "-e", ${JSON.stringify(ready)}] });
    console.log(api);`,
  );
  const startedAt = Date.now();
  const run = Bun.spawn([process.execPath, caller], { cwd: folder, stdout: "pipe" });
  expect(await new Response(run.stdout).text()).toBe("http://localhost:1\n");
  expect([await run.exited, Date.now() - startedAt < 15_000]).toEqual([0, true]);
  await rm(folder, { recursive: true });
});

/** Notes when it is asked to stop, and needs longer for that than the launcher's next look at its parent. */
const stopped = `
const { appendFileSync } = require("node:fs");
const note = (word) => appendFileSync(process.env.NOTES, word + " ");
process.on("SIGTERM", () => { note("asked"); setTimeout(() => { note("ended"); process.exit(0); }, 1_300); });
setInterval(() => {}, 1_000);
note("started");
`;

test("the launcher asks its program to stop once, when its parent has ended", async () => {
  const folder = await mkdtemp(join(tmpdir(), "start-program-"));
  const modules = join(folder, "node_modules");
  for (const path of ["cardkeep/bin", "cardkeep/apps/cli/src", "bun/bin"])
    await mkdir(join(modules, path), { recursive: true });
  const launcher = join(modules, "cardkeep/bin/cardkeep.mjs");
  await copyFile(join(import.meta.dir, "../../apps/pack/launcher/cardkeep.mjs"), launcher);
  await writeFile(join(modules, "cardkeep/apps/cli/src/main.js"), stopped);
  await writeFile(join(modules, "bun/package.json"), '{ "name": "bun" }');
  await symlink(process.execPath, join(modules, "bun/bin/bun.exe"));
  const notes = join(folder, "notes");
  const parent = Bun.spawn(["sh", "-c", `"${process.execPath}" "${launcher}" & wait`], {
    env: { PATH: process.env["PATH"], NOTES: notes },
  });
  const read = () => (existsSync(notes) ? readFileSync(notes, "utf8") : "");
  await until(() => read().includes("started"));
  parent.kill("SIGKILL");
  await until(() => read().includes("ended") || read().split("asked").length > 2);
  expect(read()).toBe("started asked ended ");
  await rm(folder, { recursive: true });
});
