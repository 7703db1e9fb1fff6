import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tokens } from "@cardkeep/chain/tokens";
import { address } from "@cardkeep/contract/core/primitives";
import { listOpenTreasuryItems } from "@cardkeep/db/queries/treasury/unannounced";
import { insertMove } from "@cardkeep/db/queries/treasury/moves";
import { settlementChanges, treasuryMoves } from "@cardkeep/db/schema/tables";
import { compareFunds, listFunds } from "@cardkeep/domain/chain/funds/compareFunds";
import { createContext } from "@cardkeep/domain/core/context";
import { listActions } from "@cardkeep/domain/core/operators/listActions";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { eq, sql } from "drizzle-orm";
import { randomUUID } from "node:crypto";
import { encodeFunctionData, erc20Abi } from "viem";
import { findShortfall } from "../support/funds.ts";
import { holdJob } from "../support/jobs.ts";
import { operatorOf } from "../support/operator.ts";
import { openNode } from "../support/node.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder, euro, follow, setHolding, untilSettled, use } from "../support/spending.ts";

const eure = tokens.EURe.address;

let service: Service;
let proxy: RpcProxy;
/** Compares through the proxy. */
let away: Runtime;
let ada: CardHolder;
let settlement: `0x${string}`;
beforeAll(async () => {
  service = await startService();
  proxy = startRpcProxy(service.rpcUrl);
  away = await createRuntime(readSettings({ ...service.env, RPC_URL: proxy.url }), "worker");
  settlement = service.runtime.settings.policy.settlementAddress;
  ada = await becomeCardHolder(service, 100n * euro);
  await setHolding(service, settlement, 0n);
});
afterAll(async () => {
  await away.close();
  proxy.stop();
  await service.stop();
});

const differenceOf = async (symbol: string) =>
  (await listFunds(service.runtime.services)).find(({ token }) => token === symbol)?.difference;
const onChain = () => service.runtime.chain.getTokenBalance(eure, settlement);
const readParts = async () => (await (await fetch(`${service.url}/readyz`)).json()).parts;

test("spent money is at the settlement account to the base unit, and returned money is not missing", async () => {
  const { threadId } = await use(ada, 3_000);
  await follow(ada, threadId, "clear");
  await untilSettled(service);
  expect(await findShortfall(service.runtime)).toBeNull();
  expect([await onChain(), await differenceOf("EURe")]).toEqual([30n * euro, 0n]);
  await follow(ada, threadId, "refund", { amount: 1_000 });
  await untilSettled(service);
  expect(await findShortfall(service.runtime)).toBeNull();
  expect([await onChain(), await differenceOf("EURe")]).toEqual([20n * euro, 0n]);
  // Summed and deleted: the ledger itself is not read again.
  expect(await service.runtime.db.select().from(settlementChanges)).toEqual([]);
});

test("a return that left the account after the rows were read is not a shortfall", async () => {
  const { threadId } = await use(ada, 500);
  await follow(ada, threadId, "clear");
  await untilSettled(service);
  let isReturned = false;
  proxy.intercept("eth_call", async (forward) => {
    await follow(ada, threadId, "refund", { amount: 500 });
    await untilSettled(service);
    isReturned = true;
    return forward();
  });
  expect(await findShortfall(away)).toBeNull();
  expect(isReturned).toBe(true);
  expect(await differenceOf("EURe")).toBe(0n);
});

test("a node that lacks the block of a booked spend shows no shortfall, also where another one named its head", async () => {
  const { number: staleAt } = await openNode(service.rpcUrl).client.getBlock();
  const { threadId } = await use(ada, 700);
  await follow(ada, threadId, "clear");
  await untilSettled(service);
  proxy.intercept("eth_getBlockByNumber", async (forward) => {
    proxy.mood = { staleAt };
    return forward();
  });
  const ctx = createContext(away.services, { log: service.runtime.log, requestId: "funds" });
  await compareFunds(ctx);
  expect(await differenceOf("EURe")).toBe(0n);
  proxy.mood = { staleAt };
  expect(await findShortfall(away)).toBeNull();
  expect([await differenceOf("EURe"), await listOpenTreasuryItems(service.runtime.db)]).toEqual([0n, []]);
  proxy.mood = "fine";
});

describe("a refund by hand", () => {
  const refund = (reference: string, amount: string, reason: string | null = "The goods never came") =>
    refundPayment(operatorOf(service.runtime, reason), { reference, amount });
  const holdingOf = () => service.runtime.chain.getTokenBalance(eure, address.parse(ada.safe));
  /** The Safe holds so much, and the settlement account exactly what the ledger says. */
  const expectHolding = async (amount: bigint) => {
    await untilSettled(service);
    expect(await holdingOf()).toBe(amount);
    expect([await findShortfall(service.runtime), await differenceOf("EURe")]).toEqual([null, 0n]);
  };

  test("returns money from the settlement account, and a later refund by the issuer what is left", async () => {
    const start = await holdingOf();
    const { threadId } = await use(ada, 2_000);
    await follow(ada, threadId, "clear");
    await expectHolding(start - 20n * euro);
    for (const wrong of ["0", "20.01", "-1", "1e1", "", " 5", "5.0000000000000000001", "999999999999999999"])
      await expect(refund(threadId, wrong)).rejects.toMatchObject({ code: "payments.refund_amount" });
    await expect(refund(threadId, "5", null)).rejects.toMatchObject({ code: "operators.reason_required" });
    await expect(refund("unknown", "5")).rejects.toMatchObject({ code: "transactions.not_found" });
    expect(await refund(threadId, "5")).toMatchObject({ amount: "5", tokenSymbol: "EURe", safeAddress: ada.safe });
    await expectHolding(start - 15n * euro);
    // Two at once: the second finds the transfer of the first.
    const both = await Promise.allSettled([refund(threadId, "8"), refund(threadId, "8")]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expectHolding(start - 7n * euro);
    await expect(refund(threadId, "7.01")).rejects.toMatchObject({ code: "payments.refund_amount" });
    await follow(ada, threadId, "refund", { amount: 500 });
    await expectHolding(start - 2n * euro);
    await follow(ada, threadId, "refund", { amount: 1_500 });
    await expectHolding(start);
    await expect(refund(threadId, "0.01")).rejects.toMatchObject({ code: "payments.refund_amount" });
  });

  test("is recorded with its reason, its amount and what could still be returned", async () => {
    const [action] = await listActions(service.runtime.services, { verb: "payments.refund", limit: 1 });
    expect(action).toMatchObject({
      subjectKind: "payment",
      reason: "The goods never came",
      before: { returnable: "15", token: "EURe" },
      after: { returnable: "7", refunded: "8" },
    });
  });
});

test("money that left the account without us is missing: /readyz, doctor and /metrics show how much", async () => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [eure, 7n * euro] });
  await openNode(service.rpcUrl).sendAs(settlement, { to: eure, data });
  expect(await findShortfall(service.runtime)).toContain("7 EURe less than the ledger says");
  expect((await readParts()).funds).toMatchObject({ status: "degraded", reason: expect.stringContaining("7 EURe") });
  const [finding] = (await diagnose(service.runtime.services)).filter(({ check }) => check === "settlement funds");
  expect(finding).toMatchObject({ severity: "fault", text: expect.stringContaining("7 EURe less") });
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toContain('cardkeep_settlement_difference_cents{token="EURe"} -700');
  await setHolding(service, settlement, (await onChain()) + 7n * euro);
  expect(await findShortfall(service.runtime)).toBeNull();
  expect((await readParts()).funds).toEqual({ status: "ok" });
});

test("an item stays open, and the alarm on, while a planned sweep may still take as much; it closes once the money is back", async () => {
  const { db, services } = service.runtime;
  const listItems = () => listOpenTreasuryItems(db);
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [eure, 7n * euro] });
  await openNode(service.rpcUrl).sendAs(settlement, { to: eure, data });
  expect(await findShortfall(service.runtime)).toContain("7 EURe less");
  await findShortfall(service.runtime);
  const [item] = await listItems();
  expect(item).toMatchObject({ token: "EURe", amount: 7n * euro });
  const createdAt = await services.clock.now(db);
  const sweep = { id: randomUUID(), kind: "sweep", token: "EURe", amount: 8n * euro, source: settlement } as const;
  const asked = { destination: services.policy.treasuryAddress, askedBy: "ada", note: "weekly", requestId: "test" };
  await holdJob(service, "treasury.move", { moveId: sweep.id, requestId: "test" });
  await db.transaction((tx) => insertMove(tx, { ...sweep, ...asked, createdAt }));
  expect(await findShortfall(service.runtime)).toContain("7 EURe less");
  expect(await listItems()).toEqual(item ? [item] : []);
  expect((await readParts()).funds).toMatchObject({ status: "degraded", reason: expect.stringContaining("7 EURe") });
  // What comes back closes as much of it.
  await setHolding(service, settlement, (await onChain()) + 3n * euro);
  expect(await findShortfall(service.runtime)).toContain("4 EURe less");
  expect(await listItems()).toMatchObject([{ id: item?.id, amount: 4n * euro }]);
  await setHolding(service, settlement, (await onChain()) + 4n * euro);
  expect([await findShortfall(service.runtime), await listItems()]).toEqual([null, []]);
  expect((await readParts()).funds).toEqual({ status: "ok" });
  await db.delete(treasuryMoves).where(eq(treasuryMoves.id, sweep.id));
});

test("the stored sum equals the ledger's", async () => {
  const [row] = await service.runtime.db.execute<{ kept: string; ledger: string }>(sql`
    select (select sum(folded) from settlement_funds) + coalesce((select sum(amount) from settlement_changes), 0) as kept,
      (select sum(settlement) from ledger_entries) as ledger`);
  expect(row?.kept).toBe(row?.ledger ?? "");
});
