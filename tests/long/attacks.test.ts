import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { AnswerLate } from "@cardkeep/chain/errors";
import { buildTransfer, tokens } from "@cardkeep/chain/tokens";
import { deployments } from "@cardkeep/chain/deployments";
import type { ChainReader } from "@cardkeep/chain/port";
import { buildAddOwner } from "@cardkeep/chain/owners";
import { accountViolations, queueEntries } from "@cardkeep/db/schema/tables";
import type { Address } from "@cardkeep/contract/core/primitives";
import { spendGasMax } from "@cardkeep/domain/chain/relay/gasLimits";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { sql } from "drizzle-orm";
import {
  approveThief,
  hideModule,
  type HostileOwner,
  installFakeSingleton,
  installGreedySingleton,
  openHostileOwner,
  pullApproved,
  queueCall,
  runQueue,
  setBouncerAllowance,
} from "../support/attacks.ts";
import { openNode } from "../support/node.ts";
import { until } from "../support/poll.ts";
import { awaitBlock } from "../support/reorganise.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder, euro, follow, untilSettled, use } from "../support/spending.ts";
import { readWorkerSettings } from "../support/workerSettings.ts";

const thief: Address = "0x000000000000000000000000000000000000bEEF";
const funds = 300n * euro;
const token = tokens.EURe.address;

let service: Service;
let workerRuntime: Runtime;
let worker: Worker;
beforeAll(async () => {
  service = await startService({ worker: false });
  workerRuntime = await createRuntime(readWorkerSettings(service.env), "worker");
  worker = await startWorker(workerRuntime);
});
afterAll(async () => {
  await worker.stop();
  await workerRuntime.close();
  await service.stop();
});

const openAttack = async (): Promise<{ holder: CardHolder; owner: HostileOwner }> => {
  const holder = await becomeCardHolder(service, funds);
  return { holder, owner: openHostileOwner(service, holder.person, holder.safe as Address) };
};

const configOf = async ({ person }: CardHolder) => (await person.call("GET", "/safe/config")).body;

/** How far the settlement account's real balance is above the ledger's. */
async function countSurplus(): Promise<bigint> {
  const { chain, settings, db } = service.runtime;
  const [row] = await db.execute<{ sum: string }>(sql`select coalesce(sum(settlement), 0) as sum from ledger_entries`);
  return (await chain.getTokenBalance(token, settings.policy.settlementAddress)) - BigInt(row?.sum ?? 0);
}

const untilDeclined = (holder: CardHolder, reason: string) =>
  until(async () => [reason, "cardholder_inactive"].includes((await use(holder, 1)).reason));

describe("an owner who changes the account without the service cannot take money from the operator", () => {
  // A delegatecall and a known call beyond its bounds; unit/entry-policy has the other attacks.
  const attacks: [string, (owner: HostileOwner) => Promise<unknown>][] = [
    ["a fake singleton", (owner) => installFakeSingleton(owner, thief)],
    [
      "a limit above the service's maximum",
      (owner) => setBouncerAllowance(owner, { refill: 50_000n * euro, periodSeconds: 60 }),
    ],
  ];

  test.each(attacks)(
    "%s: the card declines from its queueing on, the status is 2 after it ran, and no later use is approved",
    async (_name, attack) => {
      const { holder, owner } = await openAttack();
      const surplus = await countSurplus();
      const before = await use(holder, 1_000);
      expect(before).toMatchObject({ approved: true });
      await untilSettled(service);
      await attack(owner);
      // The follower of the chain may see the entry a moment later; until then the queue alone causes the decline.
      expect((await use(holder, 1_000)).approved).toBe(false);
      await untilDeclined(holder, "account_changed");
      expect(await configOf(holder)).toMatchObject({ accountStatus: 7, notices: [{ code: "account_changed" }] });
      await runQueue(owner);
      expect(await configOf(holder)).toMatchObject({ accountStatus: 2, notices: [{ code: "account_changed" }] });
      expect(await use(holder, 1_000)).toMatchObject({ approved: false });
      await untilDeclined(holder, "account_changed");
      // The merchant refunds real money, and only money that had moved can be refunded.
      await follow(holder, before.threadId, "clear", { amount: 1_000 });
      await untilSettled(service);
      expect(await countSurplus()).toBe(surplus);
    },
  );

  test("money that a thief takes between decision and spend is lost at most once: the next use is declined", async () => {
    const { holder, owner } = await openAttack();
    await approveThief(owner, { token, thief, amount: funds });
    await runQueue(owner);
    const used = await use(holder, 30_000);
    expect(used).toMatchObject({ approved: false });
    await pullApproved(owner, thief, { token, amount: funds, to: thief });
    expect(await use(holder, 1)).toMatchObject({ approved: false });
  });
});

describe("an honest account", () => {
  test("keeps its card after entries of every known kind, queued by any sender", async () => {
    const { holder, owner } = await openAttack();
    await queueCall(owner, buildTransfer({ token, to: thief, amount: euro }));
    await queueCall(owner, { to: thief, value: 0n, data: "0x" });
    await queueCall(owner, buildAddOwner(owner.addresses.delay, thief));
    await setBouncerAllowance(owner, { refill: 8_000n * euro, periodSeconds: 86_400 });
    await runQueue(owner);
    const config = await configOf(holder);
    expect(config.accountStatus).toBe(0);
    expect(config.notices).toBeUndefined();
    await until(async () => (await use(holder, 100)).approved);
  });

  test("is trusted again after an entry of no known kind has expired without running", async () => {
    const { holder, owner } = await openAttack();
    await approveThief(owner, { token, thief, amount: funds });
    await untilDeclined(holder, "account_changed");
    await owner.advance(180 + 1_800 + 60);
    await until(async () => (await use(holder, 100)).approved);
    const config = await configOf(holder);
    expect(config.accountStatus).toBe(0);
    expect(config.notices).toBeUndefined();
    const rows = await service.runtime.db.select().from(accountViolations);
    expect(rows.filter(({ status }) => status === "CLEARED")).toHaveLength(1);
  });

  test("is trusted after a reorganisation that drops a violation", async () => {
    const { holder, owner } = await openAttack();
    const node = openNode(service.rpcUrl);
    const snapshot = await node.client.request({ method: "evm_snapshot", params: undefined } as never);
    await approveThief(owner, { token, thief, amount: funds });
    await untilDeclined(holder, "account_changed");
    await awaitBlock(service);
    await node.client.request({ method: "evm_revert", params: [snapshot] } as never);
    await until(async () => (await use(holder, 100)).approved);
  });
});

test("the history of every account is checked again after its records were lost", async () => {
  const { holder, owner } = await openAttack();
  await approveThief(owner, { token, thief, amount: funds });
  await runQueue(owner);
  await untilDeclined(holder, "account_changed");
  const { db } = service.runtime;
  const count = async () => (await db.select().from(queueEntries)).length;
  const before = await count();
  // A worker that follows the chain meanwhile would record its block again.
  await worker.stop();
  await service.ownerDb.execute(sql`truncate queue_entries, account_violations`);
  await service.ownerDb.execute(sql`truncate checked_blocks`);
  worker = await startWorker(workerRuntime);
  await until(async () => (await count()) === before);
  await untilDeclined(holder, "account_changed");
  expect(await configOf(holder)).toMatchObject({ accountStatus: 2 });
});

test("a spend that the newest block refuses on a whole account opens a case with its reason, and the card declines", async () => {
  const { holder, owner } = await openAttack();
  const { db } = service.runtime;
  await untilSettled(service);
  await worker.stop();
  const used = await use(holder, 30_000);
  expect(used).toMatchObject({ approved: true });
  const { safe } = owner.addresses;
  await openNode(service.rpcUrl).sendAs(safe, { ...buildTransfer({ token, to: thief, amount: funds }), gas: 100_000n });
  worker = await startWorker(workerRuntime);
  await untilDeclined(holder, "account_owes");
  const cases = await db.execute<{ kind: string; note: string }>(sql`
    select kind, note from card_cases where status = 'OPEN' and payment_id =
      (select id from card_payments where thread_id = ${used.threadId})`);
  expect(cases.map(({ kind }) => kind)).toEqual(["refused_spend"]);
  expect(cases[0]?.note).toContain("The chain refuses to move");
  expect(
    await db.execute(sql`select 1 from account_violations v join safes s on s.id = v.safe_id
    where s.address = ${safe}`),
  ).toHaveLength(0);
});

/** A use whose spend its block refuses: the money leaves the Safe before it, and is back after it. */
async function useRefusedByBlock({ holder, owner }: { holder: CardHolder; owner: HostileOwner }) {
  const { db } = service.runtime;
  await untilSettled(service);
  const { safe } = owner.addresses;
  const { client } = openNode(service.rpcUrl);
  await client.setAutomine(false);
  await client.setIntervalMining({ interval: 0 });
  const used = await use(holder, 1_000);
  expect(used).toMatchObject({ approved: true });
  const isSent = async () =>
    (
      await db.execute(sql`select 1 from relay_attempts a join relay_transactions t on t.id = a.relay_transaction_id
        where t.purpose = 'card.spend' and t.status = 'SIGNED' and a.broadcast_at is not null`)
    ).length === 1;
  await until(isSent);
  const move = async (from: Address, to: Address, fees: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }) => {
    await client.impersonateAccount({ address: from });
    await client.setBalance({ address: from, value: 10n ** 18n });
    const { data } = buildTransfer({ token, to, amount: funds });
    await client.sendTransaction({ account: from, chain: null, to: token, data, gas: 100_000n, ...fees });
  };
  const gwei = 10n ** 9n;
  await move(safe, thief, { maxFeePerGas: 100n * gwei, maxPriorityFeePerGas: 50n * gwei });
  await move(thief, safe, { maxFeePerGas: gwei, maxPriorityFeePerGas: 1n });
  await client.mine({ blocks: 1 });
  await client.setIntervalMining({ interval: 1 });
  await client.setAutomine(true);
  await until(
    async () =>
      (
        await db.execute(
          sql`select 1 from relay_transactions where purpose = 'card.spend' and status = 'REVERTED' and subject_id in
          (select id from card_transfers where safe_id = (select id from safes where address = ${safe}))`,
        )
      ).length === 1,
  );
  await untilSettled(service);
  return used;
}

test("a spend that a block refuses, and that the newest block would run, opens no case", async () => {
  const { holder, owner } = await openAttack();
  const { db, chain } = service.runtime;
  const used = await useRefusedByBlock({ holder, owner });
  expect(await chain.getTokenBalance(token, owner.addresses.safe)).toBeGreaterThan(0n);
  expect(
    await db.execute(sql`select 1 from card_cases where kind = 'refused_spend' and payment_id =
    (select id from card_payments where thread_id = ${used.threadId})`),
  ).toHaveLength(0);
});

test("a spend that a block refuses is settled where code answers nothing within more gas than a spend has", async () => {
  const attack = await openAttack();
  const { services } = workerRuntime;
  const simulate: ChainReader["simulate"] = (input) =>
    input.gasMax !== undefined && input.gasMax <= spendGasMax
      ? services.chain.simulate(input)
      : Promise.reject(new AnswerLate("eth_call: the node did not answer in time"));
  await worker.stop();
  worker = await startWorker({ ...workerRuntime, services: { ...services, chain: { ...services.chain, simulate } } });
  try {
    await useRefusedByBlock(attack);
  } finally {
    await worker.stop();
    worker = await startWorker(workerRuntime);
  }
});

test("a withdrawal is queued once where an owner made the relayers' keys and Multicall3 owners, which need no signature", async () => {
  const { holder, owner } = await openAttack();
  const { delay } = owner.addresses;
  const { chain, services } = service.runtime;
  const forwarders = [...services.policy.relayerAddresses, deployments.multicall];
  for (const each of forwarders) await queueCall(owner, buildAddOwner(delay, each));
  await runQueue(owner);
  const { queueNonce: before } = await chain.getDelayState(delay);
  const { body, status } = await holder.person.call(
    "POST",
    "/accounts/withdraw",
    await holder.person.signWithdrawal({ tokenAddress: token, to: thief, amount: "1000" }),
  );
  expect([status, body.error]).toEqual([status, undefined]);
  const { db } = service.runtime;
  await until(async () => {
    const rows = await db.execute<{ status: string }>(sql`
      select status from delay_transactions where delay_address = ${delay} and kind = 'withdrawal'`);
    return rows[0]?.status === "WAITING";
  });
  await untilSettled(service);
  expect((await chain.getDelayState(delay)).queueNonce).toBe(before + 1n);
});

test("an entry that an older policy let pass is checked again once, and its account's card declines", async () => {
  const { holder, owner } = await openAttack();
  await setBouncerAllowance(owner, { refill: 8_000n * euro, periodSeconds: 86_400, startsAt: 2n ** 64n - 1n });
  await untilDeclined(holder, "account_changed");
  const { db } = service.runtime;
  // As an older program left them: an entry of a known kind, and no violation.
  await worker.stop();
  await db.execute(sql`update queue_entries set kind = 'limit' where delay_address = ${owner.addresses.delay}`);
  await db.execute(sql`delete from account_violations where safe_id in
    (select id from safes where address = ${owner.addresses.safe})`);
  await db.execute(sql`update checked_blocks set policy_version = policy_version - 1`);
  worker = await startWorker(workerRuntime);
  await untilDeclined(holder, "account_changed");
  await until(async () => (await db.execute(sql`select 1 from checked_blocks where policy_version = 2`)).length === 1);
  await runQueue(owner);
  expect(await configOf(holder)).toMatchObject({ accountStatus: 2, notices: [{ code: "account_changed" }] });
  await untilDeclined(holder, "account_changed");
});

describe("an account whose code its owner replaced owes what is captured", () => {
  /** What a thread moved, step by step and without collections, and what is owed of it. */
  const readThread = async ({ threadId }: { threadId: string }) => {
    const [row] = await service.runtime.db.execute<{ statuses: string[]; owed: string }>(sql`
      select owed, (select array_agg(status order by ordinal) from card_transfers
        where payment_id = p.id and not is_collection) as statuses
      from card_payments p where thread_id = ${threadId}`);
    return { statuses: row?.statuses, owed: BigInt(row?.owed ?? 0) };
  };
  const captureMore = async (
    replaceCode: (owner: HostileOwner) => Promise<unknown>,
    beforeCapture?: () => Promise<void>,
  ) => {
    const { holder, owner } = await openAttack();
    const used = await use(holder, 1_000);
    expect(used).toMatchObject({ approved: true });
    await untilSettled(service);
    await replaceCode(owner);
    await untilDeclined(holder, "account_changed");
    await runQueue(owner);
    expect(await configOf(holder)).toMatchObject({ accountStatus: 2 });
    // While it only waits in the queue, a slow estimate is no refusal.
    const changed = sql`select 1 from account_violations v join safes s on s.id = v.safe_id
      where s.address = ${holder.safe} and v.status = 'EXECUTED'`;
    await until(async () => (await service.runtime.db.execute(changed)).length > 0);
    await beforeCapture?.();
    await follow(holder, used.threadId, "clear", { amount: 1_200 });
    await until(async () => (await readThread(used)).statuses?.length === 2);
    await untilSettled(service);
    return readThread(used);
  };

  test("if it asks for a block of gas, and no other card notices", async () => {
    const { holder: other } = await openAttack();
    const ended = await captureMore(installGreedySingleton);
    expect(ended).toEqual({ statuses: ["DONE", "FAILED"], owed: 2n * euro });
    const spends = sql`select 1 from relay_transactions where purpose = 'card.spend' and status = 'SIGNED'`;
    expect(await service.runtime.db.execute(spends)).toHaveLength(0);
    await other.person.sandbox("POST", "/chain/advance", { seconds: 61 });
    expect((await use(other, 100)).approved).toBe(true);
  });

  test("if it is so slow that no node answers what it costs", async () => {
    const { services } = workerRuntime;
    const estimateGas = () => Promise.reject(new AnswerLate("eth_estimateGas: the node did not answer in time"));
    try {
      const ended = await captureMore(
        (owner) => hideModule(owner, thief),
        async () => {
          await worker.stop();
          worker = await startWorker({
            ...workerRuntime,
            services: { ...services, chain: { ...services.chain, estimateGas } },
          });
        },
      );
      expect(ended).toEqual({ statuses: ["DONE", "FAILED"], owed: 2n * euro });
    } finally {
      await worker.stop();
      worker = await startWorker(workerRuntime);
    }
  });
});

describe("while no relay transaction is mined, an owner could empty an account before its spends run", () => {
  const readHealth = async () => (await fetch(`${service.url}/readyz`)).json();

  test("so all cards decline once an approved spend is unmined for a third of the cooldown", async () => {
    const { holder } = await openAttack();
    await worker.stop();
    try {
      expect((await use(holder, 100)).approved).toBe(true);
      await holder.person.sandbox("POST", "/chain/advance", { seconds: 61 });
      expect(await use(holder, 100)).toMatchObject({ approved: false, reason: "chain_stale" });
      expect((await readHealth()).parts.spends).toMatchObject({ status: "degraded" });
    } finally {
      worker = await startWorker(workerRuntime);
    }
    await untilSettled(service);
    expect((await use(holder, 100)).approved).toBe(true);
    expect((await readHealth()).parts.spends).toEqual({ status: "ok" });
  });

  test("but a spend of a changed account, one that waits for the operator's word and one whose spender's key no setting names say nothing about the cards of others", async () => {
    const open = async () => (await openAttack()).holder;
    const [changed, waiting, keyless, other] = [await open(), await open(), await open(), await open()];
    const { ownerDb } = service;
    const isKeyless = sql`address = ${keyless.safe}`;
    const [before] = await ownerDb.execute<{ spender: string }>(sql`select spender from safes where ${isKeyless}`);
    await untilSettled(service);
    await worker.stop();
    const pay = async (holder: CardHolder): Promise<string> => {
      const used = await use(holder, 100);
      expect(used).toMatchObject({ approved: true });
      return used.threadId;
    };
    await pay(changed);
    const discrepancyId = `transfer:${await pay(waiting)}`;
    await pay(keyless);
    await ownerDb.execute(sql`
      insert into account_violations (id, safe_id, queue_nonce, status, reason, hash, block_number, seen_at, updated_at)
      select 'changed', id, 1000, 'EXECUTED', 'by hand', ${`0x${"11".repeat(32)}`}, 0, now(), now() from safes
      where address = ${changed.safe}`);
    await ownerDb.execute(sql`
      insert into discrepancies (id, kind, text, found_at) values (${discrepancyId}, 'transfer', 'by hand', now())`);
    await ownerDb.execute(sql`update safes set spender = ${thief} where ${isKeyless}`);
    try {
      await other.person.sandbox("POST", "/chain/advance", { seconds: 61 });
      expect((await use(other, 100)).approved).toBe(true);
      for (const holder of [changed, waiting, keyless])
        expect((await use(holder, 100)).reason).toBeOneOf(["chain_stale", "account_changed"]);
    } finally {
      await ownerDb.execute(sql`delete from account_violations where id = 'changed'`);
      await ownerDb.execute(sql`delete from discrepancies where id = ${discrepancyId}`);
      await ownerDb.execute(sql`update safes set spender = ${before?.spender} where ${isKeyless}`);
      worker = await startWorker(workerRuntime);
    }
    await untilSettled(service);
  });

  test("so all cards decline while the newest block is older than that by the service's clock", async () => {
    const { holder } = await openAttack();
    const move = (seconds: number) =>
      service.runtime.db.execute(sql`update clock set offset_seconds = offset_seconds + ${seconds}`);
    await move(61 + 10);
    try {
      expect(await use(holder, 100)).toMatchObject({ approved: false, reason: "chain_stale" });
      expect((await readHealth()).parts.chain).toMatchObject({ status: "degraded" });
    } finally {
      await move(-61 - 10);
    }
    expect((await use(holder, 100)).approved).toBe(true);
  });
});
