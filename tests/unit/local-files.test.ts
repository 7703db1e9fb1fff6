import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { startChild } from "@cardkeep/local/child";
import { locateData } from "@cardkeep/local/postgresFiles";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/poll.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cardkeep-files-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Locks the folder once its input has a line, says so, and holds the lock until the input ends. */
const lockProgram = `
import { lockData } from ${JSON.stringify(Bun.resolveSync("@cardkeep/local/dataLock", import.meta.dir))};
process.stdout.write("ready\\n");
for await (const _ of console) {
  try {
    lockData(process.argv[1]);
    process.stdout.write("locked\\n");
  } catch (error) {
    process.stdout.write(error.message + "\\n");
  }
}
`;

function startLocker() {
  const child = Bun.spawn([process.execPath, "-e", lockProgram, home], { stdin: "pipe", stdout: "pipe" });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  const read = async () => decoder.decode((await reader.read()).value).trim();
  const go = async () => {
    void child.stdin.write("go\n");
    await child.stdin.flush();
    return read();
  };
  return { child, read, go };
}

test("of eight starts at the same time after a kill, one locks the data and the others name it", async () => {
  const killed = startLocker();
  const others = Array.from({ length: 8 }, startLocker);
  try {
    await Promise.all([killed, ...others].map(({ read }) => read()));
    expect(await killed.go()).toBe("locked");
    expect(await others[0]?.go()).toContain(`Process ${killed.child.pid} already uses ${home}.`);
    killed.child.kill("SIGKILL");
    await killed.child.exited;
    const said = await Promise.all(others.map(({ go }) => go()));
    expect(said.filter((line) => line === "locked")).toHaveLength(1);
    expect(said.filter((line) => line.includes("already uses"))).toHaveLength(7);
  } finally {
    for (const { child } of [killed, ...others]) child.kill("SIGKILL");
  }
});

describe("the log of a running program", () => {
  test("is emptied when it is long; what is older stays beside it", async () => {
    const logFile = join(home, "logs/part.log");
    const script = "let n = 0; setInterval(() => console.log('line ' + n++ + ' '.repeat(200)), 1)";
    const child = startChild({
      command: process.execPath,
      args: ["-e", script],
      logFile,
      logLimit: { bytesMax: 10_000, everyMs: 20 },
      leash: { kind: "input" },
    });
    try {
      const lastOf = (path: string) => Number(/line (\d+) *\n?$/.exec(readFileSync(path, "utf8").trimEnd())?.[1] ?? 0);
      // It is looked at every 20 ms, on a busy machine later.
      const isShort = () => statSync(logFile).size < 300 * 200;
      await until(() => existsSync(`${logFile}.1`) && lastOf(logFile) > 300 && isShort());
      expect(readdirSync(join(home, "logs")).toSorted()).toEqual(["part.log", "part.log.1"]);
      expect(readFileSync(logFile, "utf8")).not.toContain("\0");
    } finally {
      await child.stop("SIGKILL", "SIGKILL", 0);
    }
  });
});

describe.if(process.getuid?.() === 0)("data that root's Postgres keeps elsewhere", () => {
  test("is gone at the next start after its link was deleted, and stays while the link is there", () => {
    const wanted = join(home, "postgres");
    const place = locateData(wanted);
    try {
      expect(lstatSync(wanted).isSymbolicLink()).toBe(true);
      writeFileSync(join(place, "PG_VERSION"), "18");
      expect(locateData(wanted)).toBe(place);
      expect(existsSync(join(place, "PG_VERSION"))).toBe(true);
      rmSync(home, { recursive: true });
      mkdirSync(home, { mode: 0o700 });
      const next = locateData(wanted);
      expect(existsSync(join(place, "PG_VERSION"))).toBe(false);
      expect(readdirSync(next)).toEqual([]);
      rmSync(next, { recursive: true, force: true });
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});
