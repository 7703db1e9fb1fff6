import { afterAll, beforeAll, expect, test } from "bun:test";
import { deployments, spendingAllowanceKey } from "@cardkeep/chain/deployments";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { safes } from "@cardkeep/db/schema/tables";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { accountQuery, getAccountOwners, predictAddresses } from "@gnosispay/account-kit";
import { eq } from "drizzle-orm";
import { getAddress, parseAbi } from "viem";
import { deployParts } from "../support/griefing.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";

/** Every view of the four contracts that describes an account. */
const abi = parseAbi([
  "function VERSION() view returns (string)",
  "function nonce() view returns (uint256)",
  "function getOwners() view returns (address[])",
  "function getThreshold() view returns (uint256)",
  "function getModulesPaginated(address start, uint256 pageSize) view returns (address[], address)",
  "function getStorageAt(uint256 offset, uint256 length) view returns (bytes)",
  "function owner() view returns (address)",
  "function avatar() view returns (address)",
  "function target() view returns (address)",
  "function txCooldown() view returns (uint256)",
  "function txExpiration() view returns (uint256)",
  "function txNonce() view returns (uint256)",
  "function queueNonce() view returns (uint256)",
  "function allowances(bytes32 key) view returns (uint128, uint128, uint64, uint128, uint64)",
  "function defaultRoles(address module) view returns (bytes32)",
]);
const sentinel = "0x0000000000000000000000000000000000000001";
/** GnosisSafe 1.3.0: keccak256 of `guard_manager.guard.address` and of `fallback_manager.handler.address`. */
const guardSlot = 0x4a204f620c8c5ccdca3fd54d003badd85ba500436a431f0cbda4f558c93c34c8n;
const fallbackSlot = 0x6c9a6c4a39284e37ed1cf53d337577d14212a4870fb976a4366c693b939918d5n;

let service: Service;
let node: ReturnType<typeof openNode>;
let worker: Worker | null = null;
beforeAll(async () => {
  service = await startService({ worker: false });
  node = openNode(service.rpcUrl);
  worker = await startWorker(service.runtime);
});
afterAll(async () => {
  await worker?.stop();
  await service.stop();
});

interface Account {
  owner: Address;
  safe: Address;
  delay: Address;
  roles: Address;
  bouncer: Address;
}

async function findAccount(person: Person): Promise<Account> {
  const [row] = await service.runtime.db
    .select()
    .from(safes)
    .where(eq(safes.userId, person.userId ?? ""));
  if (row?.status !== "ok") throw new Error("not in service");
  return {
    owner: person.account.address,
    safe: row.address,
    delay: row.delayAddress,
    roles: row.rolesAddress,
    bouncer: row.bouncerAddress,
  };
}

/** A value in which an account's own addresses and its creator are replaced by names. */
function generalize({ owner, ...parts }: Account, value: unknown): unknown {
  const creators = [owner, service.runtime.services.policy.operatorAddress];
  const names = [...Object.entries(parts), ...creators.map((address) => ["creator", address] as const)];
  const text = names.reduce(
    (said, [name, address]) => said.replaceAll(new RegExp(address.slice(2), "gi"), name),
    JSON.stringify(value, (_, item) => (typeof item === "bigint" ? item.toString() : item)),
  );
  return JSON.parse(text);
}

async function describeAccount(account: Account) {
  const { safe, delay, roles, bouncer } = account;
  const { client } = node;
  const { chain } = service.runtime;
  const ask = async (address: Address, functionName: string, args: readonly unknown[] = []) => [
    functionName,
    await client.readContract({ address, abi, functionName, args } as Parameters<typeof client.readContract>[0]),
  ];
  const call = async ({ to, data }: { to: string; data: string }) =>
    (await client.call({ to: getAddress(to), data: data as Hex })).data ?? "0x";
  const modifier = (address: Address) =>
    Promise.all([
      ...["owner", "avatar", "target"].map((name) => ask(address, name)),
      ask(address, "getModulesPaginated", [sentinel, 10n]),
    ]);
  return generalize(account, {
    sdkQuery: await accountQuery({ account: safe, cooldown: 180 }, call),
    sdkOwners: await getAccountOwners(async (data) => ({ data: await call({ to: delay, data }) })),
    sdkAddresses: predictAddresses(safe),
    integrity: await chain
      .getAccountIntegrity({ addresses: { safe, delay, roles, bouncer }, cooldownSeconds: 180 })
      .then(({ status, allowance }) => ({ status, allowance })),
    owners: await chain.listOwners(delay),
    queue: await chain.getDelayState(delay),
    safe: await Promise.all([
      ...["VERSION", "nonce", "getOwners", "getThreshold"].map((name) => ask(safe, name)),
      ask(safe, "getModulesPaginated", [sentinel, 10n]),
      ask(safe, "getStorageAt", [0n, 1n]),
      ask(safe, "getStorageAt", [guardSlot, 1n]),
      ask(safe, "getStorageAt", [fallbackSlot, 1n]),
    ]),
    delay: [
      ...(await modifier(delay)),
      ...(await Promise.all(["txCooldown", "txExpiration", "txNonce", "queueNonce"].map((name) => ask(delay, name)))),
    ],
    roles: [
      ...(await modifier(roles)),
      await ask(roles, "allowances", [spendingAllowanceKey]),
      await ask(roles, "defaultRoles", [service.runtime.services.policy.spenderAddress]),
    ],
    code: await Promise.all([safe, delay, roles, bouncer].map((address) => client.getCode({ address }))),
  });
}

/** All storage values of the four contracts. Their slots depend on addresses and cannot be compared. */
async function listStorage(account: Account) {
  const dump = await node.client.request<{ Method: "anvil_dumpState"; Parameters: []; ReturnType: Hex }>({
    method: "anvil_dumpState",
    params: [],
  });
  const { accounts } = JSON.parse(new TextDecoder().decode(Bun.gunzipSync(Buffer.from(dump.slice(2), "hex")))) as {
    accounts: Record<string, { storage: Record<string, string> }>;
  };
  const { safe, delay, roles, bouncer } = account;
  const storages = [safe, delay, roles, bouncer].map((address) => {
    const found = accounts[address.toLowerCase()];
    if (!found) throw new Error(`${address} is not in the state`);
    return Object.values(found.storage);
  });
  return (generalize(account, storages) as string[][]).map((values) => values.sort());
}

/** The contracts' logs during their creation, in order; a hash of a Safe transaction differs per account. */
async function listLogs(account: Account) {
  const { safe, delay, roles, bouncer } = account;
  const logs = await node.client.getLogs({ address: [safe, delay, roles, bouncer], fromBlock: 0n });
  const executionSuccess = "0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e";
  const said = logs.map(({ address, topics, data }) => ({
    address,
    topics,
    data: topics[0] === executionSuccess ? "its own hash" : data,
  }));
  return generalize(account, said);
}

async function openByDeployment(): Promise<Account> {
  const person = new Person(service);
  await person.becomeAccountHolder();
  return findAccount(person);
}

async function openByOlderWay(): Promise<Account> {
  const person = new Person(service);
  await person.becomeSafeOwner();
  await person.call("PATCH", "/account/deploy-safe-modules", { signature: await person.signSetUp() });
  return findAccount(person);
}

test("both ways create the same account: every query, the code, the storage and the logs agree", async () => {
  const [newer, older] = [await openByDeployment(), await openByOlderWay()];
  const [described, other] = [await describeAccount(newer), await describeAccount(older)];
  expect(other).toEqual(described);
  const stored = await listStorage(newer);
  expect(stored.map((values) => values.length > 3)).toEqual([true, true, true, false]);
  expect(await listStorage(older)).toEqual(stored);
  expect(await listLogs(older)).toEqual(await listLogs(newer));

  // And this is the account on which they agree.
  expect(described).toMatchObject({
    sdkQuery: { status: 0, allowance: { refill: (350n * 10n ** 18n).toString(), period: "86400" } },
    sdkOwners: ["0xcreator"],
    owners: ["0xcreator"],
    queue: { txNonce: "0", queueNonce: "0", cooldownSeconds: 180, expirationSeconds: 1800, head: null },
    safe: [
      ["VERSION", "1.3.0"],
      ["nonce", "1"],
      ["getOwners", ["0x0000000000000000000000000000000000000002"]],
      ["getThreshold", "1"],
      ["getModulesPaginated", [["0xdelay", "0xroles"], sentinel]],
      ["getStorageAt", `0x${deployments.safeMastercopy.slice(2).toLowerCase().padStart(64, "0")}`],
      ["getStorageAt", `0x${"00".repeat(32)}`],
      ["getStorageAt", `0x${deployments.fallbackHandler.slice(2).toLowerCase().padStart(64, "0")}`],
    ],
  });
  expect(await service.runtime.chain.listOwners(newer.delay)).toEqual([newer.owner]);
  expect(await service.runtime.chain.listOwners(older.delay)).toEqual([older.owner]);
});

test("so does a deployment after a stranger deployed all of its contracts", async () => {
  const plain = await openByDeployment();
  const person = await new Person(service).becomeApproved();
  await worker?.stop();
  await person.call("POST", "/safe/deploy");
  const [row] = await service.runtime.db
    .select()
    .from(safes)
    .where(eq(safes.userId, person.userId ?? ""));
  if (!row) throw new Error("no Safe");
  await deployParts(service, node, row, ["safe", "delay", "roles", "bouncer"]);
  worker = await startWorker(service.runtime);
  await until(async () => (await person.call("GET", "/safe/deploy")).body.status === "ok");
  const griefed = await findAccount(person);
  expect(griefed.safe).toBe(row.address);
  expect(await describeAccount(griefed)).toEqual(await describeAccount(plain));
  expect(await listStorage(griefed)).toEqual(await listStorage(plain));
});
