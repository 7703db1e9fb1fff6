import { beforeAll, describe, expect, test } from "bun:test";
import { createCardkeepClient, once } from "@cardkeep/client/client";
import { findErrorCode } from "@cardkeep/client/errors";
import { delayTransactions } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import { fileURLToPath } from "node:url";
import { Person } from "../support/person.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";
import { eure } from "../support/tokens.ts";

let service: RunningService;
let ada: Person;
beforeAll(async () => {
  service = await shareService();
  ada = new Person(service);
  const address = await ada.becomeAccountHolder();
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1000" });
});

const clientOf = (person: Person) => createCardkeepClient({ url: service.url, token: () => person.token });

describe("the client", () => {
  test("executes a mutation once per key, and names an error by its code", async () => {
    const cardkeep = clientOf(ada);
    const { message, ...body } = await ada.signWithdrawal({
      tokenAddress: eure,
      to: "0x000000000000000000000000000000000000bEEF",
      amount: "5",
    });
    const input = { ...body, message } as Parameters<typeof cardkeep.accounts.withdraw.mutate>[0];
    const answers = [
      await cardkeep.accounts.withdraw.mutate(input, once("rent")),
      await cardkeep.accounts.withdraw.mutate(input, once("rent")),
    ];
    expect(answers[1]).toEqual(answers[0]);
    expect(await service.runtime.db.$count(delayTransactions, eq(delayTransactions.userId, ada.userId ?? ""))).toBe(1);
    const refusal = await cardkeep.accounts.withdraw.mutate(input).catch((error: unknown) => error);
    expect(findErrorCode(refusal)).toBe("delays.already_submitted");
  });

  test("sends the calls of one tick together, each with its own answer", async () => {
    const cardkeep = clientOf(ada);
    const [me, nonce, balances] = await Promise.all([
      cardkeep.users.me.query(),
      cardkeep.auth.nonce.query(),
      cardkeep.accounts.balances.query(),
    ]);
    expect(me.id).toBe(ada.userId ?? "");
    expect(nonce).not.toHaveLength(0);
    expect(balances.total).toBe("1000");
  });

  test("sends a file of megabytes in a request of its own, as its route allows", async () => {
    const cardkeep = clientOf(ada);
    const input = { threadId: "unknown", slot: "cashReceipt", file: "A".repeat(1_000_000) } as const;
    const sent = cardkeep.transactions.addEvidenceFile.mutate(input).catch(findErrorCode);
    const asked = cardkeep.users.me.query();
    expect(await sent).toBe("transactions.not_found");
    expect((await asked).id).toBe(ada.userId ?? "");
  });

  test("names the code of an answer that has not the form of tRPC, and sends a call with it once", async () => {
    let requests = 0;
    const front = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => {
        requests++;
        const headers = { "X-Error-Code": "request.too_large" };
        return Response.json({ error: "The request is too large" }, { status: 413, headers });
      },
    });
    const cardkeep = createCardkeepClient({ url: front.url.origin, token: ada.token });
    const refusal: unknown = await cardkeep.users.me.query().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "request.too_large", status: 413 });
    expect(requests).toBe(1);
    await front.stop(true);
  });

  test("sends no request line that a proxy refuses: long batches are divided, and a long input travels alone", async () => {
    const lengths: number[] = [];
    const front = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url, headers }) => {
        const { pathname, search } = new URL(url);
        lengths.push(pathname.length + search.length);
        return fetch(service.url + pathname + search, { headers });
      },
    });
    const cardkeep = createCardkeepClient({ url: front.url.origin, token: ada.token, retries: 0 });
    const ask = (length: number) =>
      cardkeep.cards.status.query({ cardId: "\u00e9".repeat(length) }).catch(findErrorCode);
    const answers = await Promise.all([200, 200, 200, 200, 200, 200, 900].map(ask));
    expect(new Set(answers).size).toBe(1);
    expect(lengths.length).toBeGreaterThan(2);
    expect(lengths.filter((length) => length > 4_096)).toHaveLength(1);
    await front.stop(true);
  });

  test("repeats a call as soon as Retry-After allows, and gives up at once where that is longer than it waits", async () => {
    const waits = ["0", "11"];
    const asked: string[] = [];
    const front = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) => {
        asked.push(url);
        const data = { code: "TOO_MANY_REQUESTS", httpStatus: 429, error: "request.rate_limited" };
        const headers = { "Retry-After": waits.shift() ?? "0" };
        return Response.json([{ error: { message: "Wait", code: -32_029, data } }], { status: 429, headers });
      },
    });
    const cardkeep = createCardkeepClient({ url: front.url.origin, token: ada.token, retries: 5 });
    const refusal = await cardkeep.users.me.query().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "request.rate_limited", retryAfterSeconds: 11 });
    expect(asked).toHaveLength(2);
    await front.stop(true);
  });

  test("its browser build contains only itself and tRPC, and runs in Node", async () => {
    const entry = fileURLToPath(new URL("../../packages/client/src/client.ts", import.meta.url));
    const built = await Bun.build({ entrypoints: [entry], target: "browser", format: "esm" });
    const [output] = built.outputs;
    const code = (await output?.text()) ?? "";
    expect(code).not.toMatch(/from "node:|require\(|process\.env|\bBun\./);
    // The client imports only types of the contract: schemas and their library stay at the server.
    expect(code).not.toContain("ZodType");
    const script = `${code}
      const { id } = await createCardkeepClient({ url: "${service.url}", token: "${ada.token}" }).users.me.query();
      console.log(id);`;
    const node = Bun.spawn(["node", "--input-type=module", "-e", script], { stdout: "pipe", stderr: "inherit" });
    expect(await new Response(node.stdout).text()).toBe(`${ada.userId}\n`);
  });
});
