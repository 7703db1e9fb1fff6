#!/usr/bin/env node
// Runs the bundled command line with the Bun that npm installed beside this package.
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const parentCheckMs = 500;

/** It runs the other programs too. */
const program = "apps/cli/src/main.js";

/** Smaller files stand in for a binary that was not installed. */
const binaryBytesMin = 1_000_000;

/** The path of Bun's binary; null if there is none for this machine. Its install script moves it, if scripts are run at all. */
function findBun() {
  const manifest = createRequire(import.meta.url).resolve("bun/package.json");
  const require = createRequire(manifest);
  const architecture = process.arch === "arm64" ? "aarch64" : process.arch;
  const candidates = ["", "-musl"].flatMap((suffix) => {
    try {
      const found = require.resolve(`@oven/bun-${process.platform}-${architecture}${suffix}/package.json`);
      return [join(dirname(found), "bin/bun")];
    } catch {
      // npm installs the one package that fits the machine.
      return [];
    }
  });
  return (
    [join(dirname(manifest), "bin/bun.exe"), ...candidates].find(
      (path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > binaryBytesMin,
    ) ?? null
  );
}

const bun = findBun();
if (bun === null) {
  process.stderr.write(
    `cardkeep: there is no Bun for ${process.platform} ${process.arch} here; it runs on Linux and macOS, x64 and arm64\n`,
  );
  process.exit(1);
}

const child = spawn(bun, [join(root, program), ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, CARDKEEP_LAUNCHER: "1" },
});
let isAsked = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    isAsked = true;
    child.kill(signal);
  });

// The program that started this one may be killed, and then this one has to stop what runs here. A second SIGTERM would end it at once.
const parent = process.ppid;
const look = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(look);
  if (!isAsked) child.kill("SIGTERM");
}, parentCheckMs);
look.unref();

child.on("error", (error) => {
  process.stderr.write(`cardkeep: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
