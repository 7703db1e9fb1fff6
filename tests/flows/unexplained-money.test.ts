/** Money of the operator's that moves on chain without an event: it is seen, and two persons say whose it was. */
import { tokens } from "@cardkeep/chain/tokens";
import { closeItem, insertItem } from "@cardkeep/db/queries/treasury/unannounced";
import { explainMovement } from "@cardkeep/domain/books/explanations/explainMovement";
import { followChain } from "@cardkeep/domain/books/postings/followWitnesses";
import { postAll } from "@cardkeep/domain/books/postings/postBooks";
import { checkBooks } from "@cardkeep/domain/operations/health/checkBooks";
import type { Treasury } from "@cardkeep/domain/treasury/overview/showTreasury";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { type Address, encodeFunctionData, erc20Abi } from "viem";
import { askCli } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { openNode } from "../support/node.ts";
import { operatorOf } from "../support/operator.ts";
import { payFromNowhere } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";
import { euro } from "../support/spending.ts";
import { openTwoPersons } from "../support/twoPersons.ts";
import { createWorkerContext } from "../support/workerContext.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
  // The books begin with the first person.
  await (await new Person(service).signIn()).signUp();
});
afterAll(() => service.stop());

const { address: eure } = tokens.EURe;
const take = async (from: Address, amount: bigint) => {
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: "transfer",
    args: ["0x000000000000000000000000000000000000bEEF", amount],
  });
  await openNode(service.rpcUrl).sendAs(from, { to: eure, data });
};
/** Lets the hours pass in which the books wait for an event, and posts. */
const post = async () => {
  await openNode(service.rpcUrl).client.mine({ blocks: 40 });
  const ctx = createWorkerContext(service.runtime);
  await followChain(ctx);
  await new Person(service).sandbox("POST", "/chain/advance", { seconds: 3 * 3_600 });
  await postAll(ctx);
};
const listEntries = async () =>
  (await askCli<Treasury>(service, "treasury", "show")).unexplained.map(({ id, place, amount }) => ({
    id,
    place,
    amount,
  }));
const look = async () => {
  const { severity, text } = await checkBooks(service.runtime.services);
  return { severity, text };
};

test("is a fault where it left treasury or surplus, until two persons explain it; what came in is the operator's once they say so", async () => {
  const { settlementAddress, treasuryAddress } = service.runtime.settings.policy;
  const before = await listEntries();
  await payFromNowhere(service, { to: settlementAddress, amount: 300n * euro });
  await payFromNowhere(service, { to: treasuryAddress, amount: 200n * euro });
  await post();
  const came = (await listEntries()).slice(before.length);
  // Both moved within one look.
  expect(came.map(({ place, amount }) => [place, amount]).toSorted()).toEqual([
    ["settlement", "300"],
    ["treasury", "200"],
  ]);
  expect((await look()).severity).not.toBe("fault");
  await take(treasuryAddress, 150n * euro);
  await take(settlementAddress, 250n * euro);
  await post();
  const found = await look();
  expect(found).toEqual({ severity: "fault", text: expect.stringContaining("150 EURe of the treasury") });
  expect(found.text).toContain("250 EURe of the settlement");
  const persons = await openTwoPersons(service.runtime, ["treasury.explain"]);
  const entries = (await listEntries()).slice(before.length);
  expect(entries).toHaveLength(4);
  for (const { id, amount } of filled(entries)) {
    const account = amount.startsWith("-") ? "fraud-losses" : "capital";
    await persons.approve("grace", await persons.ask((ctx) => explainMovement(ctx, { id, account })));
  }
  expect(await listEntries()).toEqual(before);
  expect((await look()).severity).not.toBe("fault");
  const sums = await service.runtime.db.execute<{ account: string; euros: string }>(sql`
    select l.account, (sum(l.amount) / 1e18)::int::text as euros from book_lines l join book_postings p on p.id = l.posting_id
    where p.type = 'explanation' group by l.account order by l.account`);
  expect([...sums]).toEqual([
    { account: "capital:EUR", euros: "-500" },
    { account: "fraud-losses:EUR", euros: "400" },
    { account: "suspense:EUR", euros: "100" },
  ]);
  // An item that was explained explains nothing of a later day.
  const { db } = service.runtime;
  const item = { id: "item", token: "EURe", amount: 40n * euro, foundAt: await service.runtime.clock.now(db) } as const;
  await db.transaction(async (tx) => {
    await insertItem(tx, item);
    const end = { outcome: "explained", closedAt: item.foundAt, closedBy: "ada", reason: "A return" } as const;
    await closeItem(tx, item.id, end);
  });
  await new Person(service).sandbox("POST", "/chain/advance", { seconds: 2 * 86_400 });
  await take(settlementAddress, 40n * euro);
  await post();
  expect(await look()).toEqual({ severity: "fault", text: expect.stringContaining("40 EURe of the settlement") });
  const [{ id = "" } = {}] = entries;
  await expect(explainMovement(operatorOf(service.runtime, "again"), { id, account: "capital" })).rejects.toMatchObject(
    {
      code: "treasury.not_found",
    },
  );
});

test("is no line where strangers sent less than a cent, however often, and is one of a cent that came or of any part that left", async () => {
  const { treasuryAddress } = service.runtime.settings.policy;
  const before = await listEntries();
  const cent = euro / 100n;
  for (const amount of [1n, 1n, cent - 1n]) await payFromNowhere(service, { to: treasuryAddress, amount });
  await post();
  expect(await listEntries()).toEqual(before);
  await payFromNowhere(service, { to: treasuryAddress, amount: cent });
  await take(treasuryAddress, 1n);
  await post();
  const amounts = (await listEntries()).slice(before.length).map(({ amount }) => amount);
  expect(amounts.toSorted()).toEqual(["-0.000000000000000001", "0.01"]);
});
