import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSpenderKey, suggestFees } from "@cardkeep/chain/relayer";
import { createLocalSigner } from "@cardkeep/chain/signer";
import {
  buildSignedSpend,
  buildSpend,
  buildSpendTypedData,
  findSpendLog,
  hasTransfer,
  nameTransfer,
} from "@cardkeep/chain/spending";
import { deployments } from "@cardkeep/chain/deployments";
import { tokens } from "@cardkeep/chain/tokens";
import { type Address, encodeFunctionData, keccak256, parseAbi, parseEther, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { deployTestContract } from "../support/contracts.ts";
import {
  approveThief,
  hideModule,
  hideOwner,
  type HostileOwner,
  installFakeSingleton,
  type Loot,
  pullApproved,
  runQueue,
  setBouncerAllowance,
  setFallbackHandler,
  takeAsModule,
  takeAsOwner,
} from "../support/attacks.ts";
import { catchError, chainId, openChain, prepareAccount, type TestChain } from "./support.ts";

const abi = parseAbi([
  "function masterCopy() view returns (address)",
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);
const token = tokens.EURe.address;
const cooldownSeconds = 180;
const deposit = 1_000n;

let chain: TestChain;
beforeAll(async () => {
  chain = await openChain();
});
afterAll(() => chain.stop());

/** An account with a deposit, its owner, and a thief without any right. */
async function deployHostile() {
  const account = prepareAccount();
  const { addresses, owner: key } = account;
  await chain.deploy(account.deployment);
  await chain.giveTokens(token, addresses.safe, deposit);
  const owner: HostileOwner = { rpcUrl: chain.rpcUrl, key, addresses, advance: chain.advance };
  const thief = privateKeyToAccount(generatePrivateKey());
  const loot: Loot = { token, amount: deposit, to: thief.address };
  const getMastercopy = () =>
    chain.node.readContract({ address: addresses.safe, abi, functionName: "masterCopy" }) as Promise<Address>;
  return {
    account,
    owner,
    thief,
    loot,
    getMastercopy,
    getLootTaken: () => chain.reader.getTokenBalance(token, thief.address),
    getStatus: async () => (await chain.reader.getAccountIntegrity({ addresses, cooldownSeconds })).status,
    /** A spend of the whole deposit, as the service sends it. */
    spend: async () => {
      const { settlement } = account;
      const spender = createSpenderKey(createLocalSigner(account.spenderPrivateKey));
      const salt = nameTransfer("spend");
      const spend = buildSpend({ roles: addresses.roles, chainId, token, settlement, amount: deposit, salt });
      const signature = await spender.signSpend(buildSpendTypedData(spend, chainId));
      const { status, logs } = await chain.send(buildSignedSpend(spend, signature));
      const moved = { token, from: addresses.safe, to: settlement, amount: deposit };
      return { status, hasSpendLog: findSpendLog(logs, spend) !== null, hasTransfer: hasTransfer(logs, moved) };
    },
  };
}

describe("an owner who queues a call on the Delay module", () => {
  test("replaces the Safe's code: spends log success and move nothing; only the proxy's masterCopy shows it", async () => {
    const { owner, thief, loot, getMastercopy, getLootTaken, getStatus, spend } = await deployHostile();
    const fake = await installFakeSingleton(owner, thief.address);
    await runQueue(owner);
    expect(await spend()).toEqual({ status: "success", hasSpendLog: true, hasTransfer: false });
    expect([await getStatus(), await getMastercopy()]).toEqual([0, fake]);
    await takeAsModule(owner, thief.address, loot);
    expect(await getLootTaken()).toBe(deposit);
  });

  test("grants a module outside the list: status and masterCopy look right, and it needs no cooldown", async () => {
    const { owner, thief, loot, getMastercopy, getLootTaken, getStatus } = await deployHostile();
    await hideModule(owner, thief.address);
    await runQueue(owner);
    expect([await getStatus(), await getMastercopy()]).toEqual([0, deployments.safeMastercopy]);
    await takeAsModule(owner, thief.address, loot);
    expect(await getLootTaken()).toBe(deposit);
  });

  test("grants an owner outside the list: status and masterCopy look right, and it needs no cooldown", async () => {
    const { owner, thief, loot, getMastercopy, getLootTaken, getStatus } = await deployHostile();
    await hideOwner(owner, thief.address);
    await runQueue(owner);
    expect([await getStatus(), await getMastercopy()]).toEqual([0, deployments.safeMastercopy]);
    await takeAsOwner(owner, thief, loot);
    expect(await getLootTaken()).toBe(deposit);
  });

  test("approves a thief: the status is right, and the next spend finds an empty Safe", async () => {
    const { owner, thief, loot, getLootTaken, getStatus, spend } = await deployHostile();
    await approveThief(owner, { token, thief: thief.address, amount: deposit });
    await runQueue(owner);
    expect(await getStatus()).toBe(0);
    await pullApproved(owner, thief.address, loot);
    expect(await getLootTaken()).toBe(deposit);
    expect(await spend()).toEqual({ status: "reverted", hasSpendLog: false, hasTransfer: false });
  });

  test("sets a fallback handler: the status is right, and the Safe accepts every signature", async () => {
    const { owner, getStatus } = await deployHostile();
    await setFallbackHandler(owner);
    await runQueue(owner);
    const args = [keccak256(toHex("anything")), "0x"] as const;
    const { safe: address } = owner.addresses;
    expect(await chain.node.readContract({ address, abi, functionName: "isValidSignature", args })).toBe("0x1626ba7e");
    expect(await getStatus()).toBe(0);
  });

  test("sets an allowance at the Bouncer: the status is right, and the owner chose the limit", async () => {
    const { account, owner, getStatus } = await deployHostile();
    const refill = parseEther("50000");
    await setBouncerAllowance(owner, { refill, periodSeconds: 60 });
    await runQueue(owner);
    expect(await getStatus()).toBe(0);
    const { addresses, spender } = account;
    const question = { token, addresses, cooldownSeconds, spender: spender.address, messageHashes: [] };
    const { allowance } = await chain.reader.getSpendingState(question);
    expect(allowance).toMatchObject({ balance: refill, maxRefill: refill, periodSeconds: 60n });
  });
});

test("an estimate with the fees that are signed refuses a contract that burns gas only where gas has a price", async () => {
  const to = await deployTestContract(chain.rpcUrl, "PricedWallet");
  const abi = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
  const data = encodeFunctionData({ abi, functionName: "isValidSignature", args: [`0x${"11".repeat(32)}`, "0x"] });
  const asked = { from: chain.relayer.address, call: { to, value: 0n, data } };
  expect(await chain.reader.estimateGas(asked)).toBeLessThan(100_000n);
  const fees = suggestFees(await chain.reader.getBlock());
  expect(await catchError(chain.reader.estimateGas({ ...asked, fees }))).toMatchObject({ name: "CallReverted" });
});
