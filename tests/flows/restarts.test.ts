import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { bringUpSandbox } from "@cardkeep/local/bringUpParts";
import { startPart } from "@cardkeep/local/part";
import { watchPart } from "@cardkeep/local/watchPart";
import { readSettings } from "@cardkeep/runtime/settings";
import { plainColors } from "@cardkeep/terminal/colors";
import { createProgress } from "@cardkeep/terminal/progress";
import { statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/poll.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cardkeep-restarts-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a part of the program", () => {
  const failures: string[] = [];
  const watch = async (script: string) => {
    const main = join(folder, "part.ts");
    const logFile = join(folder, "part.log");
    await writeFile(main, script);
    const env = { PATH: process.env["PATH"] };
    return watchPart({
      name: "part",
      logFile,
      start: () => startPart({ main, env, logFile, isWatching: false }),
      fail: (message) => failures.push(message),
    });
  };

  test("that is restarted or stopped is no failure; one that ends by itself is, with the end of its log", async () => {
    const part = await watch("setInterval(() => {}, 1_000);");
    await Promise.all([part.restart((each) => each.kill()), part.restart((each) => each.kill())]);
    await part.stop();
    await part.restart((each) => each.kill());
    expect(failures).toEqual([]);
    // A log names people: it is its owner's alone.
    expect(statSync(join(folder, "part.log")).mode & 0o777).toBe(0o600);
    await watch('console.log("no more memory"); process.exit(3);');
    await until(() => failures.length === 1);
    expect(failures[0]).toMatch(/^the part ended \(code 3\); the end of .*part\.log:\nno more memory$/);
  });

  test("that is watched ends as on SIGTERM when a file of it changes, and starts again with the new one", async () => {
    const [main, word, logFile] = ["watched.ts", "word.ts", "watched.log"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const hasSaid = (text: string) => until(async () => (await Bun.file(logFile).text()).includes(text));
    await writeFile(word, 'export const word = "old";');
    await writeFile(
      main,
      `import { word } from "./word.ts";
      process.on("SIGTERM", () => { console.log(word, "ends"); process.exit(0); });
      setInterval(() => {}, 1_000);
      console.log(word, "runs");`,
    );
    const part = startPart({ main, env: { PATH: process.env["PATH"] }, logFile, isWatching: true });
    await hasSaid("old runs");
    await writeFile(word, 'export const word = "new";');
    await hasSaid("old ends\nnew runs");
    await part.stop();
    expect(await Bun.file(logFile).text()).toEndWith("new ends\n");
  });
});

test("a sandbox that does not stop is ended in time for chain and Postgres to stop within the 10 s", async () => {
  const hang = join(folder, "hang.ts");
  const script = `process.on("SIGTERM", () => {}); console.log("hangs"); setTimeout(() => process.exit(), 60_000); await new Promise(() => {});`;
  await writeFile(hang, script);
  const stops: (() => Promise<void>)[] = [];
  await bringUpSandbox(
    {
      settings: readSettings({ CARDKEEP_HOME: folder }),
      cacheDirectory: folder,
      isEphemeral: true,
      isWatching: false,
      progress: createProgress({ lines: process.stderr, activity: null }),
      colors: plainColors,
      stops,
      restarts: {},
      ending: new AbortController().signal,
      fail: (message) => {
        throw new Error(message);
      },
    },
    { PATH: process.env["PATH"], BUN_OPTIONS: `--preload ${hang}` },
  );
  await until(async () => (await Bun.file(join(folder, "logs/sandbox.log")).text()).includes("hangs"));
  const askedAt = Date.now();
  await stops[0]?.();
  expect(Date.now() - askedAt).toBeWithin(1_000, 5_000);
});
