import { lockData } from "@cardkeep/local/dataLock";
import { sweepData } from "@cardkeep/local/sweepData";
import { startCardkeep } from "@cardkeep/testing";
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
