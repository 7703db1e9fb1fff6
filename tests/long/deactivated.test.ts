import { afterAll, beforeAll, expect, test } from "bun:test";
import { listRoutes } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { runCli } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";

const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test("a deactivated account holder reads and withdraws to the last unit, and every other route of the table refuses them", async () => {
  const ada = new Person(service);
  const safe = await ada.becomeAccountHolder();
  await ada.sandbox("POST", "/chain/faucet", { address: safe, token: "EURe", amount: "1000" });
  // Accepted before, so it is executed nevertheless.
  const before = await ada.call(
    "POST",
    "/accounts/withdraw",
    await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "400" }),
  );
  expect(before.status).toBe(200);
  expect((await runCli(service.env, "users", "deactivate", safe)).code).toBe(0);
  await ada.signIn();
  const asked = await Promise.all(
    listRoutes(routes)
      .filter(({ route }) => route.access === "user")
      .map(async ({ name, route }) => {
        const body = route.method === "GET" ? undefined : {};
        const answer = await ada.call(route.method, route.path.replaceAll(/\{\w+\}/g, "x"), body);
        return { name, isGet: route.method === "GET", ...answer };
      }),
  );
  const open = asked.filter(({ status }) => status !== 403).map(({ name }) => name);
  expect(open.sort()).toEqual(
    [...asked.filter(({ isGet }) => isGet).map(({ name }) => name), "accounts.withdraw"].sort(),
  );
  for (const { status, body } of filled(asked))
    if (status === 403) expect(body).toEqual({ error: "The user is deactivated and can only withdraw" });
  const rest = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "600" });
  const accepted = await ada.call("POST", "/accounts/withdraw", rest);
  expect([accepted.status, accepted.body.data.status]).toEqual([200, "QUEUING"]);
  const statusOf = async (id: string) => (await ada.findDelay(id))?.status;
  const ids: string[] = [before.body.data.id, accepted.body.data.id];
  for (const id of ids) await until(async () => (await statusOf(id)) === "WAITING");
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  for (const id of ids) await until(async () => (await statusOf(id)) === "EXECUTED");
  expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(1_000n);
});

test("through `bun run` an error is one line on stderr and nothing else, with the command's own exit code", async () => {
  const child = Bun.spawn([process.execPath, "run", "cardkeep", "users", "burn"], {
    cwd: new URL("../..", import.meta.url).pathname,
    env: { PATH: process.env["PATH"] ?? "" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect([await child.exited, out]).toEqual([2, ""]);
  expect(err).toMatch(/^cardkeep: Unknown verb "burn"[^\n]*\n$/);
});
