import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buildModuleCall } from "@cardkeep/chain/delay";
import { buildAddOwner, buildRemoveOwner } from "@cardkeep/chain/owners";
import { predictModules } from "@cardkeep/chain/predictAccount";
import { removesLastOwner } from "@cardkeep/domain/accounts/delays/queueHead";
import { NodeBehind } from "@cardkeep/domain/chain/guards/readHead";
import { delayTransactions, events } from "@cardkeep/db/schema/tables";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { and, eq } from "drizzle-orm";
import { createWalletClient, encodeAbiParameters, type Hex, http, publicActions } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { deployTestContract } from "../support/contracts.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { expectWithin, until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { askSdk } from "../support/sdk.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";
import { createWorkerContext } from "../support/workerContext.ts";

const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
let worker: Worker | null = null;
beforeAll(async () => {
  service = await startService({ worker: false });
  worker = await startWorker(service.runtime);
});
afterAll(async () => {
  await worker?.stop();
  await service.stop();
});

/** A person with a Safe that holds 1000 base units, and native coins for transactions without us. */
async function becomeHolder(): Promise<{ person: Person; safe: Hex; delay: Hex }> {
  const person = new Person(service);
  const safe = await person.becomeAccountHolder();
  await person.sandbox("POST", "/chain/faucet", { address: safe, token: "EURe", amount: "1000" });
  const { address } = person.account;
  await person.sandbox("POST", "/chain/faucet", { address, token: "native", amount: "1000000000000000000" });
  return { person, safe, delay: predictModules(safe).delay };
}

const advance = (person: Person, seconds: number) => person.sandbox("POST", "/chain/advance", { seconds });
const getRow = async (id: string) => {
  const [row] = await service.runtime.db.select().from(delayTransactions).where(eq(delayTransactions.id, id));
  if (!row) throw new Error(`no row ${id}`);
  return row;
};
const reaches = (id: string, status: string) => until(async () => (await getRow(id)).status === status);

/** Waits for the execution of an accepted operation, and returns its id. */
async function execute(person: Person, { status, body }: Awaited<ReturnType<Person["call"]>>): Promise<string> {
  expect([status, body]).toMatchObject([200, { data: { status: "QUEUING" } }]);
  await reaches(body.data.id, "WAITING");
  await advance(person, 181);
  await reaches(body.data.id, "EXECUTED");
  return body.data.id;
}

/** Our answer and the SDK's reading of the chain: the same owners in the same order. */
async function expectOwners(person: Person, safe: Hex, owners: string[]): Promise<void> {
  expect((await person.call("GET", "/owners")).body).toEqual({ data: { owners } });
  expect(await person.trpc().owners.list.query()).toEqual({ data: { owners: owners as Hex[] } });
  expect(await askSdk(service.rpcUrl, safe)).toMatchObject({ status: 0, owners });
}

const listEvents = async (userId: string | null, eventType: string) => {
  const ofUser = and(eq(events.userId, userId ?? ""), eq(events.eventType, eventType));
  return (await service.runtime.db.select().from(events).where(ofUser)).map((event) => event.data);
};

const connect = (person: Person) =>
  createWalletClient({ account: person.account, transport: http(service.rpcUrl), pollingInterval: 20 }).extend(
    publicActions,
  );

/** An owner enqueues a call without the service. */
async function enqueueAlone(person: Person, delay: Hex, call: ReturnType<typeof buildAddOwner>): Promise<void> {
  const client = connect(person);
  const hash = await client.sendTransaction({ to: delay, data: buildModuleCall(call), chain: null });
  expect((await openNode(service.rpcUrl).waitForReceipt(hash)).status).toBe("success");
}

describe("owners", () => {
  test("are added and removed on chain as the SDK reads it; the new one moves money and the removed one cannot", async () => {
    const { person: ada, safe } = await becomeHolder();
    const bea = new Person(service);
    bea.token = ada.token;
    const [first, second] = [ada.account.address, bea.account.address];
    await execute(ada, await ada.call("POST", "/owners", await ada.signNewOwner(second.toLowerCase())));
    await expectOwners(ada, safe, [second, first]);
    expect(await listEvents(ada.userId, "safe.owner.added")).toEqual([
      { userId: ada.userId, owner: first, safeAddress: safe, addedOwner: second },
    ]);

    const transfer = { tokenAddress: eure, to: destination, amount: "10" };
    await execute(ada, await ada.call("POST", "/accounts/withdraw", await bea.signWithdrawal(transfer)));
    expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(10n);

    // Both ends of the list work alike: the first owner is behind the second.
    const removal = await ada.call("DELETE", "/owners", await bea.signRemoval(first.toLowerCase()));
    // From here on the first owner's operations would run after the removal.
    for (const { status, body, headers } of [
      await ada.call("POST", "/accounts/withdraw", await ada.signWithdrawal(transfer)),
      await ada.call("PUT", "/accounts/daily-limit", await ada.signLimit(100)),
    ])
      expect([status, body, headers.get("x-error-code")]).toEqual([
        422,
        { error: "Invalid signature" },
        "delays.signer_leaving",
      ]);
    await execute(ada, removal);
    await expectOwners(ada, safe, [second]);
    expect(await listEvents(ada.userId, "safe.owner.removed")).toEqual([
      { userId: ada.userId, safeAddress: safe, removedOwner: first },
    ]);
    const late = await ada.call("POST", "/accounts/withdraw", await ada.signWithdrawal(transfer));
    expect([late.status, late.body]).toEqual([422, { error: "Invalid signature" }]);
    const last = await ada.call("DELETE", "/owners", { ...(await bea.signNewOwner(first)), ownerToRemove: second });
    expect([last.status, last.body]).toEqual([422, { error: "The last owner cannot be removed" }]);
  });

  test("can also be changed over tRPC with the typed client", async () => {
    const { person: cleo, safe } = await becomeHolder();
    const { trpc, account } = { trpc: cleo.trpc(), account: cleo.account };
    const newOwner = privateKeyToAccount(generatePrivateKey()).address;
    const { data } = await trpc.owners.addData.query({ newOwner });
    const signature = await account.signTypedData(data);
    const added = await trpc.owners.add.mutate({ newOwner, signature, message: data.message });
    await execute(cleo, { status: 200, body: added, headers: new Headers() });
    await expectOwners(cleo, safe, [newOwner, account.address]);
    const removal = await trpc.owners.removeData.query({ ownerToRemove: newOwner });
    const removed = await trpc.owners.remove.mutate({
      ownerToRemove: newOwner,
      signature: await account.signTypedData(removal.data),
      message: removal.data.message,
    });
    await execute(cleo, { status: 200, body: removed, headers: new Headers() });
    await expectOwners(cleo, safe, [account.address]);
  });

  test("signed for an older list are refused, because their neighbour in the list is another", async () => {
    const { person: dora } = await becomeHolder();
    const [one, two] = [generatePrivateKey(), generatePrivateKey()].map((key) => privateKeyToAccount(key).address);
    await execute(dora, await dora.call("POST", "/owners", await dora.signNewOwner(one ?? "")));
    const signed = await dora.signRemoval(one ?? "");
    await execute(dora, await dora.call("POST", "/owners", await dora.signNewOwner(two ?? "")));
    const { status, body } = await dora.call("DELETE", "/owners", signed);
    expect([status, body]).toEqual([422, { error: "Signed message does not match the request" }]);
    await execute(dora, await dora.call("DELETE", "/owners", await dora.signRemoval(one ?? "")));
  });
});

describe("a change that an owner queued without us", () => {
  test("makes the service refuse others with 409, until it has run or expired", async () => {
    const { person: eva, safe, delay } = await becomeHolder();
    const foreign = privateKeyToAccount(generatePrivateKey()).address;
    await enqueueAlone(eva, delay, buildAddOwner(delay, foreign));
    const open = { status: 409, body: { error: "Another owner change is in progress" } };
    const newOwner = privateKeyToAccount(generatePrivateKey()).address;
    expect(await eva.call("POST", "/owners", await eva.signNewOwner(newOwner))).toMatchObject(open);
    // All other operations continue after it.
    const transfer = { tokenAddress: eure, to: destination, amount: "1" };
    await execute(eva, await eva.call("POST", "/accounts/withdraw", await eva.signWithdrawal(transfer)));
    await expectOwners(eva, safe, [foreign, eva.account.address]);
    await execute(eva, await eva.call("POST", "/owners", await eva.signNewOwner(newOwner)));
    await expectOwners(eva, safe, [newOwner, foreign, eva.account.address]);
  });

  test("and that expired without execution blocks no other", async () => {
    const { person: hal, safe, delay } = await becomeHolder();
    await enqueueAlone(hal, delay, buildAddOwner(delay, privateKeyToAccount(generatePrivateKey()).address));
    await advance(hal, 1_900);
    const newOwner = privateKeyToAccount(generatePrivateKey()).address;
    expect((await hal.call("POST", "/owners", await hal.signNewOwner(newOwner))).status).toBe(409);
    await advance(hal, 100);
    await execute(hal, await hal.call("POST", "/owners", await hal.signNewOwner(newOwner)));
    await expectOwners(hal, safe, [newOwner, hal.account.address]);
  });

  test("and that runs first never makes ours remove the last owner: ours expires", async () => {
    const { person: fay, safe, delay } = await becomeHolder();
    const other = privateKeyToAccount(generatePrivateKey()).address;
    await execute(fay, await fay.call("POST", "/owners", await fay.signNewOwner(other)));
    // The service accepted its operation first, but the owner's own transaction is faster.
    await worker?.stop();
    const { body } = await fay.call("DELETE", "/owners", await fay.signRemoval(other));
    const owners = [other, fay.account.address];
    await enqueueAlone(fay, delay, buildRemoveOwner({ delay, owners, owner: fay.account.address }));
    worker = await startWorker(service.runtime);
    await reaches(body.data.id, "WAITING");
    await advance(fay, 181);
    await until(async () => (await getRow(body.data.id)).reason === "The last owner cannot be removed");
    const row = await getRow(body.data.id);
    expect(row.status).toBe("WAITING");
    expect((await askSdk(service.rpcUrl, safe)).owners).toEqual([other]);
    // Another node of the same address may lag. It shows the owners before, and cannot answer about a block that it lacks.
    const ctx = createWorkerContext(service.runtime);
    const listOwners: typeof ctx.chain.listOwners = async (of, block) =>
      block === undefined ? owners : ctx.chain.listOwners(of, block);
    const { to, value, data, operation } = row;
    const head = { call: { to, value, data }, operation, createdAt: 0, isOurs: true, queueNonce: row.queueNonce ?? 0n };
    const lagging = { ...ctx, chain: { ...ctx.chain, listOwners } };
    expect(await removesLastOwner(lagging, row, head)).toBe(true);
    // Of two of them, the state may be from one and the owners from another.
    const later = { ...head, queueNonce: head.queueNonce + 1n };
    expect(await removesLastOwner(ctx, row, later).catch((error: unknown) => error)).toBeInstanceOf(NodeBehind);
    await advance(fay, 1_801);
    await reaches(body.data.id, "FAILED");
    expect((await getRow(body.data.id)).reason).toBe("The last owner cannot be removed");
    await expectOwners(fay, safe, [other]);
    expect(await listEvents(fay.userId, "safe.owner.removed")).toEqual([]);
  });
});

describe("a contract wallet (ERC-1271) that is an owner", () => {
  let gus: Person;
  let safe: Hex;
  let wallet: Hex;
  /** The key that signs for the wallet; the Safe does not know it. */
  let key: Person;
  beforeAll(async () => {
    ({ person: gus, safe } = await becomeHolder());
    key = new Person(service);
    key.token = gus.token;
    const argument = encodeAbiParameters([{ type: "address" }], [key.account.address]);
    wallet = await deployTestContract(service.rpcUrl, "TestWallet", argument);
    await execute(gus, await gus.call("POST", "/owners", await gus.signNewOwner(wallet)));
  });

  const withdrawal = async (by: Person, smartWalletAddress?: string) => ({
    ...(await by.signWithdrawal({ tokenAddress: eure, to: wallet, amount: "7" })),
    smartWalletAddress,
  });

  test("withdraws, changes the limit and changes owners, all executed on chain", async () => {
    await execute(gus, await gus.call("POST", "/accounts/withdraw", await withdrawal(key, wallet.toLowerCase())));
    expect(await service.runtime.chain.getTokenBalance(eure, wallet)).toBe(7n);
    const limit = { ...(await key.signLimit(800)), smartWalletAddress: wallet };
    await execute(gus, await gus.call("PUT", "/accounts/daily-limit", limit));
    const third = privateKeyToAccount(generatePrivateKey()).address;
    const change = { ...(await key.signNewOwner(third)), smartWalletAddress: wallet };
    await execute(gus, await gus.call("POST", "/owners", change));
    await expectOwners(gus, safe, [third, wallet, gus.account.address]);
    expect(await listEvents(gus.userId, "safe.owner.added")).toContainEqual({
      userId: gus.userId,
      owner: wallet,
      safeAddress: safe,
      addedOwner: third,
    });
  });

  test("cannot be represented by another key, nor by its own without its name", async () => {
    const invalid = { status: 422, body: { error: "Invalid signature" } };
    expect(await gus.call("POST", "/accounts/withdraw", await withdrawal(key))).toMatchObject(invalid);
    expect(await gus.call("POST", "/accounts/withdraw", await withdrawal(gus, wallet))).toMatchObject(invalid);
  });

  test("a key that names itself as the wallet signs as a key", async () => {
    const body = await withdrawal(gus, gus.account.address);
    await execute(gus, await gus.call("POST", "/accounts/withdraw", body));
  });

  test("a key's signature that ends in 0 or 1 counts like one that ends in 27 or 28", async () => {
    const body = await withdrawal(gus);
    const last = body.signature.endsWith("1b") ? "00" : "01";
    const low = { ...body, signature: `${body.signature.slice(0, -2)}${last}` };
    await execute(gus, await gus.call("POST", "/accounts/withdraw", low));
  });

  for (const name of ["LoopingWallet", "FloodingWallet"]) {
    test(`${name} is refused as an owner; one that becomes it later costs at most 5 seconds`, async () => {
      const node = openNode(service.rpcUrl);
      const known = await deployTestContract(service.rpcUrl, name);
      const asked = await gus.call("GET", `/owners/add/transaction-data?newOwner=${known}`);
      expect([asked.status, asked.body]).toEqual([422, { error: "This address cannot be an owner" }]);
      const hostile = await deployTestContract(service.rpcUrl, "YesHandler");
      await execute(gus, await gus.call("POST", "/owners", await gus.signNewOwner(hostile)));
      const bytecode = await node.client.getCode({ address: known });
      await node.client.setCode({ address: hostile, bytecode: bytecode ?? "0x" });
      await expectWithin(5_000, async () => {
        const body = await withdrawal(gus, hostile);
        const startedAt = performance.now();
        const { status, body: said } = await gus.call("POST", "/accounts/withdraw", body);
        expect([status, said]).toEqual([422, { error: "Invalid signature" }]);
        return performance.now() - startedAt;
      });
    });
  }

  test("one that wastes gas is accepted, but no relayer pays for it: its operation ends FAILED with that reason", async () => {
    const wasteful = await deployTestContract(service.rpcUrl, "WastefulWallet");
    await execute(gus, await gus.call("POST", "/owners", await gus.signNewOwner(wasteful)));
    const { status, body } = await gus.call("POST", "/accounts/withdraw", await withdrawal(gus, wasteful));
    expect(status).toBe(200);
    await reaches(body.data.id, "FAILED");
    expect((await getRow(body.data.id)).reason).toBe("It needs more gas than is paid for");
  });

  test("while the node is down every request about owners and limits is 503", async () => {
    const body = await withdrawal(key, wallet);
    const owner = await gus.signNewOwner(privateKeyToAccount(generatePrivateKey()).address);
    const [port] = await findFreePorts(1);
    const runtime = await createRuntime(
      readSettings({ ...service.env, RPC_URL: `http://127.0.0.1:${port}` }),
      "server",
    );
    const server = createServer(runtime);
    const ask = async (method: string, path: string, content?: object) => {
      const headers = { Authorization: `Bearer ${gus.token}`, "Content-Type": "application/json" };
      const init = { method, headers, ...(content && { body: JSON.stringify(content) }) };
      const response = await server.handle(new Request(`http://localhost/api/v1${path}`, init));
      return [response.status, response.headers.has("retry-after"), await response.json()];
    };
    const away = [503, true, { message: "An unexpected error occurred." }];
    expect(await ask("GET", "/owners")).toEqual(away);
    expect(await ask("POST", "/owners", owner)).toEqual(away);
    expect(await ask("GET", "/accounts/daily-limit")).toEqual(away);
    expect(await ask("POST", "/accounts/withdraw", body)).toEqual(away);
    await runtime.close();
  });
});
