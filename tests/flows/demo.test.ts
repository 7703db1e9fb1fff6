import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePorts } from "../support/ports.ts";
import { type Service, startService } from "../support/service.ts";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../journey/journey.sh", import.meta.url));
const main = fileURLToPath(new URL("../../apps/local/src/demo/main.ts", import.meta.url));

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function runDemo(env: Record<string, string>): Promise<{ code: number; said: string; fault: string }> {
  const demo = Bun.spawn([process.execPath, main], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [said, fault] = await Promise.all([new Response(demo.stdout).text(), new Response(demo.stderr).text()]);
  return { code: await demo.exited, said, fault };
}

test("the demo plays the whole journey, and again with others", async () => {
  for (let round = 0; round < 2; round++) {
    const { code, said, fault } = await runDemo(service.env);
    expect([code, fault]).toEqual([0, ""]);
    expect(said).not.toContain("✗");
    expect(said).toContain("executed: 40 EURe left, 500 EURe a day");
    expect(said).toContain("webhook received");
  }
});

test("without a running service the demo names the command and exits 1", async () => {
  const [port = 0] = await findFreePorts(1);
  const { code, fault } = await runDemo({ PORT: String(port) });
  expect(code).toBe(1);
  expect(fault).toBe(
    `cardkeep demo: Nothing is ready at http://localhost:${port}. Run \`bun start\` first, or set PORT to its port.\n`,
  );
});

/** A folder for PATH with exactly these commands. */
async function linkCommands(names: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cardkeep-path-"));
  for (const name of names) await symlink(Bun.which(name) ?? `/missing/${name}`, join(folder, name));
  return folder;
}

// Not every machine has zsh; bash exists wherever `.ci/run` runs.
const other = Bun.which("zsh") === null ? "bash" : "zsh";

test.each([
  ["bash", "node"],
  [other, "bun"],
])("the first journey runs in %s with curl and %s alone", async (shell, engine) => {
  const PATH = await linkCommands([shell, "curl", "dirname", "grep", "sleep", engine]);
  const env = { PATH, API: `${service.url}/api/v1`, SANDBOX: service.sandboxUrl };
  const child = Bun.spawn([shell, script], { env, stdout: "pipe", stderr: "pipe" });
  const [said, steps] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await rm(PATH, { recursive: true });
  expect([await child.exited, steps.split("\n").at(-2)]).toEqual([0, "7. Balances after the withdrawal:"]);
  expect(said).toEndWith('{"total":"3000000000000000000","spendable":"3000000000000000000","pending":"0"}\n');
});
