/** Money of the operator's that moves on chain without an event: it is seen, and two persons say whose it was. */
import { deployments } from "@cardkeep/chain/deployments";
import { buildMulticall } from "@cardkeep/chain/multicall";
import { tokens } from "@cardkeep/chain/tokens";
import type { Hex } from "@cardkeep/contract/core/primitives";
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
import { becomeComplete } from "../support/completePerson.ts";
import { filled } from "../support/filled.ts";
import { openNode } from "../support/node.ts";
import { operatorOf } from "../support/operator.ts";
import { fullPrice, order, payFromNowhere } from "../support/orders.ts";
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
/** Posts what a run leaves to the next: it ends the suspense of what the run before booked. */
const postEnds = async () => {
  await post();
  await post();
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

interface Transfer {
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
}

/** Moves tokens of several senders in one transaction. Answers its hash. */
async function moveTogether(transfers: readonly Transfer[]): Promise<Hex> {
  const node = openNode(service.rpcUrl);
  for (const { from } of transfers) {
    const args = [deployments.multicall, 1_000n * euro] as const;
    await node.sendAs(from, { to: eure, data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }) });
  }
  const calls = transfers.map(({ from, to, amount }) => {
    const args = [from, to, amount] as const;
    return { to: eure, data: encodeFunctionData({ abi: erc20Abi, functionName: "transferFrom", args }) };
  });
  return node.send(buildMulticall(calls));
}

test("what another sender moved in the transaction of an order is in suspense, before and after the order is booked", async () => {
  const { treasuryAddress: to } = service.runtime.settings.policy;
  const stranger: Address = "0x00000000000000000000000000000000000000A1";
  await payFromNowhere(service, { to: stranger, amount: 100n * euro });
  await payFromNowhere(service, { to, amount: 100n * euro });
  await post();
  const own = (await listEntries()).length;
  const buy = async () => {
    const person = await becomeComplete(new Person(service));
    await payFromNowhere(service, { to: person.account.address, amount: 2n * fullPrice });
    const id = await order(person);
    return {
      from: person.account.address,
      pay: async (transactionHash: Hex) => {
        await openNode(service.rpcUrl).client.mine({ blocks: 40 });
        expect((await person.call("PUT", `/order/${id}/attach-transaction`, { transactionHash })).status).toBe(200);
        expect((await person.call("PUT", `/order/${id}/confirm-payment`)).status).toBe(200);
      },
    };
  };
  const listNew = async () => (await listEntries()).slice(own).map(({ place, amount }) => [place, amount]);
  // What others moved is known after the order.
  const first = await buy();
  await first.pay(
    await moveTogether([
      { from: first.from, to, amount: fullPrice },
      { from: stranger, to, amount: 7n * euro },
      { from: to, to: stranger, amount: 9n * euro },
    ]),
  );
  await post();
  expect(await listNew()).toEqual([["treasury", "-2"]]);
  // All of it is unannounced, until one of its senders orders: what the order used is no more, and the rest stays as it was.
  const second = await buy();
  const hash = await moveTogether([
    { from: stranger, to, amount: 3n * euro },
    { from: second.from, to, amount: fullPrice },
  ]);
  await post();
  expect(await listNew()).toEqual([
    ["treasury", "-2"],
    ["treasury", "3"],
    ["treasury", "30.23"],
  ]);
  const rest = (await listEntries()).at(-2);
  await second.pay(hash);
  await postEnds();
  expect(await listNew()).toEqual([
    ["treasury", "-2"],
    ["treasury", "3"],
  ]);
  expect((await listEntries()).at(-1)).toEqual(rest);
  // An order of two transfers ends more than its own: what is left of all is in suspense anew.
  const third = await buy();
  const parts = await moveTogether([
    { from: stranger, to, amount: 4n * euro },
    { from: third.from, to, amount: fullPrice },
    { from: third.from, to, amount: fullPrice / 2n },
    { from: stranger, to, amount: 5n * euro },
  ]);
  await post();
  await third.pay(parts);
  await postEnds();
  expect(await listNew()).toEqual([
    ["treasury", "-2"],
    ["treasury", "3"],
    ["treasury", "5"],
    ["treasury", "4"],
  ]);
  const differences = await service.runtime.db.execute(sql`
    select account, sum(amount) as sum from (
      select account, amount from book_witness_entries where witness = 'chain'
      union all select account, -amount from book_lines where account ~ '^(settlement|treasury):') both_sides
    group by account having sum(amount) <> 0`);
  expect([...differences]).toEqual([]);
  await postEnds();
  expect(await listNew()).toHaveLength(4);
}, 120_000);
