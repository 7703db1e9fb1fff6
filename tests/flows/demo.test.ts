import { afterAll, beforeAll, expect, test } from "bun:test";
import { findFreePorts } from "../support/ports.ts";
import { type Service, startService } from "../support/service.ts";
import { fileURLToPath } from "node:url";

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

test("without a running service the demo says what to do and exits 1", async () => {
  const [port = 0] = await findFreePorts(1);
  const { code, fault } = await runDemo({ PORT: String(port) });
  expect(code).toBe(1);
  expect(fault).toBe(
    `cardkeep demo: nothing is ready at http://localhost:${port}: run \`bun start\` first, or set PORT to where it is\n`,
  );
});
