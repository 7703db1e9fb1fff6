import { afterAll, beforeAll, expect, test } from "bun:test";
import { readAddresses } from "@cardkeep/local/demo/addresses";
import { announceLocal } from "@cardkeep/runtime/local";
import { readSettings } from "@cardkeep/runtime/settings";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineSettings } from "../support/engine.ts";
import { signInWithKey } from "../support/operatorPages.ts";
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
    env: { PATH: process.env["PATH"] ?? "", ...engineSettings, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [said, fault] = await Promise.all([new Response(demo.stdout).text(), new Response(demo.stderr).text()]);
  return { code: await demo.exited, said, fault };
}

/** The addresses behind the names in the list of what a demo made. */
const listLinks = (said: string): Map<string, string> =>
  new Map([...said.matchAll(/^ {2}(\S.*?) {2,}(http\S+)$/gm)].map(([, name = "", url = ""]) => [name, url]));

test("the demo plays the whole journey, again with another person, and links to the pages of what it made", async () => {
  const people = new Set<string>();
  for (let round = 0; round < 2; round++) {
    const { code, said, fault } = await runDemo(service.env);
    expect([code, fault]).toEqual([0, ""]);
    expect(said).not.toContain("✗");
    expect(said).not.toContain("\u001b");
    expect(said).toContain("executed: 40.00 EURe left, 500 EURe a day");
    expect(said).toContain("webhook received");
    const links = listLinks(said);
    const [[person = "", desk = ""] = []] = links;
    // Two people may have one name.
    people.add(desk);
    expect(await (await fetch(desk)).text()).toContain(person);
    const Cookie = await signInWithKey(service.url);
    for (const name of ["As the operator", "Order", "Card", "Payment", "Withdrawal", "Daily limit", "Documents"]) {
      const { status } = await fetch(links.get(name) ?? "", { headers: { Cookie }, redirect: "manual" });
      expect([name, status]).toEqual([name, 200]);
    }
    expect(said.split("\n").slice(-12).join("\n")).toContain("cardkeep users show ");
  }
  expect(people.size).toBe(2);
});

test("the demo finds the running start of its data folder, on any port, and the environment wins", async () => {
  const home = await mkdtemp(join(tmpdir(), "cardkeep-home-"));
  const settings = readSettings({ ...service.env, CARDKEEP_HOME: home });
  const runFile = announceLocal(settings, null);
  expect(readAddresses({ CARDKEEP_HOME: home })).toMatchObject({
    service: service.url.replace("127.0.0.1", "localhost"),
    sandbox: service.sandboxUrl.replace("127.0.0.1", "localhost"),
    home,
  });
  expect(readAddresses({ CARDKEEP_HOME: home, PORT: "1", SANDBOX_PORT: "2" })).toMatchObject({
    service: "http://localhost:1",
    sandbox: "http://localhost:2",
  });
  runFile.withdraw();
  expect(readAddresses({ CARDKEEP_HOME: home }).service).toBe("http://localhost:3000");
  await rm(home, { recursive: true });
});

test("without a running service the demo names the command and exits 1", async () => {
  const [port = 0] = await findFreePorts(1);
  const { code, fault } = await runDemo({ PORT: String(port) });
  expect(code).toBe(1);
  expect(fault).toBe(
    `cardkeep demo: Nothing is ready at http://localhost:${port}. Run \`bun start\` first.` +
      " If it runs elsewhere, set CARDKEEP_HOME to its data folder, or PORT and SANDBOX_PORT to its ports.\n",
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
