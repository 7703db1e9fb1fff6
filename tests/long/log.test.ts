import { expect, test } from "bun:test";
import { createTestDatabase } from "../support/database.ts";

const script = (url: string) => `
import { createLog } from "@cardkeep/runtime/log";
import { openDatabase } from "@cardkeep/db/client";
import { insertCode } from "@cardkeep/db/queries/core/codes";
const log = createLog({ part: "test", level: "info" });
log.info({ authorization: "Bearer s3cret", body: { otp: "s3cret", phoneNumber: "s3cret", signature: "s3cret" }, token: "s3cret" }, "hello");
const { db, reads, close } = openDatabase({ url: ${JSON.stringify(url)}, connectionsMax: 1, statementTimeoutMs: 5000, applicationName: "test" });
const row = { id: "1", purpose: "email", subject: "s3cret@example.org", receiver: "s3cret@example.org", codeHash: "s3cret", triesLeft: 5, expiresAt: new Date(), createdAt: new Date() };
await insertCode(db, row);
await insertCode(db, row).catch((err) => log.error({ err }, "failed"));
await reads\`create temporary table notes (note text primary key)\`;
const note = () => reads\`insert into notes values (\${"s3cret"})\`;
await note();
await note().catch((err) => log.error({ err }, "failed"));
await close();`;

test("neither a secret field nor a failed query's parameters reach the log", async () => {
  const database = await createTestDatabase();
  const child = Bun.spawn([process.execPath, "-e", script(database.url)], {
    cwd: new URL("..", import.meta.url).pathname,
    stdout: "pipe",
  });
  const said = await new Response(child.stdout).text();
  await database.drop();
  const lines = said
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { msg: "hello", token: "[redacted]" },
    { msg: "failed", err: { message: expect.stringContaining("duplicate key") } },
    { msg: "failed", err: { message: expect.stringContaining("duplicate key"), constraint: "notes_pkey" } },
  ]);
  expect(said).not.toContain("s3cret");
});

test.each([
  ["a rejection", 'Promise.reject(new Error("no one waits"))'],
  ["an error", 'throw new Error("no one waits")'],
])("%s that no code handles ends the process with 1, and the log holds lines of JSON alone", async (_, fault) => {
  const program = `
import { runUntilStopped } from "@cardkeep/runtime/runUntilStopped";
void runUntilStopped("test", async () => {
  process.emitWarning("too many");
  setTimeout(() => { ${fault}; }, 1);
  return { stop: async () => {} };
});`;
  const child = Bun.spawn([process.execPath, "-e", program], {
    cwd: new URL("..", import.meta.url).pathname,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [said, complained] = await Promise.all(
    [child.stdout, child.stderr].map((stream) => new Response(stream).text()),
  );
  expect([await child.exited, complained]).toEqual([1, ""]);
  expect(
    (said ?? "")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { level: 40, part: "test", err: { message: "too many" } },
    { level: 60, part: "test", err: { message: "no one waits" } },
  ]);
});

test("an erasure is logged by a server on its stdout, and by a cli on its stderr, also where the log is silent", async () => {
  const program = `
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
const settings = readSettings({ DATABASE_URL: "postgres://127.0.0.1:1/away", RPC_URL: "http://127.0.0.1:1", LOG_LEVEL: "silent" });
for (const part of ["server", "cli"]) {
  const { services, log, close } = await createRuntime(settings, part);
  log.info({}, "something else");
  services.erasureLog.info({ userId: "ada" }, "a person was erased");
  await close();
}`;
  const child = Bun.spawn([process.execPath, "-e", program], {
    cwd: new URL("..", import.meta.url).pathname,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout = "", stderr = ""] = await Promise.all(
    [child.stdout, child.stderr].map((each) => new Response(each).text()),
  );
  const erased = { userId: "ada", msg: "a person was erased" };
  expect(JSON.parse(stdout)).toMatchObject({ part: "server", ...erased });
  expect(JSON.parse(stderr)).toMatchObject({ part: "cli", ...erased });
});
