import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { delayMachine } from "@cardkeep/contract/accounts/delays";
import { delayTransactions, events } from "@cardkeep/db/schema/tables";
import { listJobsOf } from "@cardkeep/db/queue/inspect";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { eq } from "drizzle-orm";
import { createWalletClient, http, parseAbi, publicActions } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { Person } from "../support/person.ts";
import { isOfTable, type Move, recordMoves } from "../support/moves.ts";
import { openNode } from "../support/node.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";

const native = "0x0000000000000000000000000000000000000000";
const destination = "0x000000000000000000000000000000000000bEEF";
const delayAbi = parseAbi([
  "function executeNextTx(address to, uint256 value, bytes data, uint8 operation)",
  "function invalidate(bytes32 hash)",
]);

let service: Service;
let ada: Person;
let safe: `0x${string}`;
let worker: Worker | null = null;
let listMoves: () => Promise<Move[]>;
beforeAll(async () => {
  service = await startService({ worker: false });
  listMoves = await recordMoves(service.ownerDb, "delay_transactions");
  ada = new Person(service);
  await resume();
  safe = await ada.becomeAccountHolder();
  await ada.sandbox("POST", "/chain/faucet", { address: safe, token: "EURe", amount: "1000" });
  await ada.sandbox("POST", "/chain/faucet", {
    address: ada.account.address,
    token: "native",
    amount: "1000000000000000000",
  });
});
afterAll(async () => {
  await worker?.stop();
  await service.stop();
});

async function resume(): Promise<void> {
  worker ??= await startWorker(service.runtime);
}
async function pause(): Promise<void> {
  await worker?.stop();
  worker = null;
}
const hasDispatch = async (id: string): Promise<boolean> => {
  const jobs = await listJobsOf(service.runtime.db, { tasks: ["delay.dispatch"], subjectIds: [id] });
  return jobs.length > 0;
};
const submit = async (amount: string, tokenAddress: string = eure): Promise<string> => {
  const { status, body } = await ada.call(
    "POST",
    "/accounts/withdraw",
    await ada.signWithdrawal({ tokenAddress, to: destination, amount }),
  );
  expect(status).toBe(200);
  return body.data.id;
};
const getRow = async (id: string) => {
  const [row] = await service.runtime.db.select().from(delayTransactions).where(eq(delayTransactions.id, id));
  if (!row) throw new Error(`no row ${id}`);
  return row;
};
const reaches = (id: string, status: string) => until(async () => (await getRow(id)).status === status);
const advance = (seconds: number) => ada.sandbox("POST", "/chain/advance", { seconds });
const stranger = () =>
  createWalletClient({
    account: mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex: 8 }),
    transport: http(service.rpcUrl),
    pollingInterval: 20,
  }).extend(publicActions);
const received = () => service.runtime.chain.getTokenBalance(eure, destination);

describe("the relay", () => {
  test("finds its own bytes relayed by a stranger, and completes them once", async () => {
    await pause();
    const id = await submit("1");
    const row = await getRow(id);
    const client = stranger();
    const hash = await client.sendTransaction({ to: row.delayAddress, data: row.enqueueData, chain: null });
    await openNode(service.rpcUrl).waitForReceipt(hash);
    await resume();
    await reaches(id, "WAITING");
    expect((await getRow(id)).enqueuedHash).toBe(hash);
    await advance(181);
    await reaches(id, "EXECUTED");
    expect(await received()).toBe(1n);
  });

  test("records an execution by a stranger with the stranger's transaction", async () => {
    const id = await submit("2");
    await reaches(id, "WAITING");
    await pause();
    await advance(181);
    const { delayAddress, to, value, data } = await getRow(id);
    const client = stranger();
    const hash = await client.writeContract({
      address: delayAddress,
      abi: delayAbi,
      functionName: "executeNextTx",
      args: [to, value, data, 0],
      chain: null,
    });
    await openNode(service.rpcUrl).waitForReceipt(hash);
    await resume();
    await reaches(id, "EXECUTED");
    expect((await getRow(id)).executedHash).toBe(hash);
    expect(await received()).toBe(3n);
  });

  test("executes several operations of one Safe in the order of their acceptance, equal ones once each", async () => {
    const ids = [await submit("4"), await submit("4"), await submit("8")];
    await Promise.all(ids.map((id) => reaches(id, "WAITING")));
    const nonces = (await Promise.all(ids.map(getRow))).map((row) => row.queueNonce ?? -1n);
    expect(nonces).toEqual([...nonces].sort((a, b) => Number(a - b)));
    expect(new Set(nonces).size).toBe(3);
    await advance(181);
    await Promise.all(ids.map((id) => reaches(id, "EXECUTED")));
    expect(await received()).toBe(19n);
  });

  test("ends an operation that its signer invalidated as FAILED with that reason, with an event", async () => {
    await pause();
    const id = await submit("16");
    const { delayAddress, messageHash } = await getRow(id);
    const client = createWalletClient({
      account: ada.account,
      transport: http(service.rpcUrl),
      pollingInterval: 20,
    }).extend(publicActions);
    const hash = await client.writeContract({
      address: delayAddress,
      abi: delayAbi,
      functionName: "invalidate",
      args: [messageHash],
      chain: null,
    });
    await openNode(service.rpcUrl).waitForReceipt(hash);
    await resume();
    await reaches(id, "FAILED");
    expect((await getRow(id)).reason).toBe("The signer invalidated the signed message");
    expect(await ada.findDelay(id)).toBeNull();
    const failed = await service.runtime.db
      .select()
      .from(events)
      .where(eq(events.eventType, "account.withdrawal.failed"));
    expect(failed.map((event) => event.data)).toEqual([
      { userId: ada.userId, error: "The signer invalidated the signed message" },
    ]);
  });

  test("skips operations that expired while the worker was down, and executes later ones", async () => {
    const late = await submit("32");
    await reaches(late, "WAITING");
    await pause();
    await advance(180 + 1800 + 60);
    await resume();
    await reaches(late, "FAILED");
    expect((await getRow(late)).reason).toContain("expired");
    const next = await submit("64");
    await reaches(next, "WAITING");
    await advance(181);
    await reaches(next, "EXECUTED");
    expect(await received()).toBe(19n + 64n);
  });

  test("a head that the chain rejects gets the reason, is given up when it expires, and does not affect the others", async () => {
    const head = await submit("500");
    await reaches(head, "WAITING");
    const client = stranger();
    // The money leaves without a queue entry.
    await client.request({ method: "anvil_impersonateAccount" as never, params: [safe] as never });
    await client.request({ method: "anvil_setBalance" as never, params: [safe, "0xde0b6b3a7640000"] as never });
    const transfer = `0xa9059cbb${"dead".padStart(64, "0")}${(900).toString(16).padStart(64, "0")}`;
    await client.request({
      method: "eth_sendTransaction" as never,
      params: [{ from: safe, to: eure, data: transfer }] as never,
    });
    await advance(900);
    await until(async () => (await getRow(head)).reason !== null);
    expect((await getRow(head)).status).toBe("WAITING");
    const behind = await submit("5", native);
    await reaches(behind, "WAITING");
    // A minute after its cooldown an operation behind others is looked at.
    await advance(250);
    // From then on only the head is.
    await until(async () => !(await hasDispatch(behind)));
    expect(await hasDispatch(head)).toBe(true);
    await advance(1_000);
    await reaches(head, "FAILED");
    expect((await getRow(head)).reason).toStartWith(`Module transaction failed: ERC20InsufficientBalance(${safe}, `);
    await reaches(behind, "EXECUTED");
    expect(await service.runtime.chain.getNativeBalance(destination)).toBe(5n);
  });
  test("moved operations along the machine's table only", async () => {
    const moves = await listMoves();
    expect(moves.length).toBeGreaterThan(30);
    expect(moves.filter((move) => !isOfTable(delayMachine, move))).toEqual([]);
  });
});
