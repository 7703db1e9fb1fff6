import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buildDeployment } from "@cardkeep/chain/account";
import type { AccountAddresses } from "@cardkeep/chain/predictAccount";
import { buildSetAllowance } from "@cardkeep/chain/allowance";
import type { Call } from "@cardkeep/chain/call";
import { buildDispatch, buildModuleCall } from "@cardkeep/chain/delay";
import { deployments, spendingRoleKey } from "@cardkeep/chain/deployments";
import { CallReverted } from "@cardkeep/chain/errors";
import { buildAddOwner } from "@cardkeep/chain/owners";
import { createRelayerKey } from "@cardkeep/chain/relayer";
import { buildSharedDeployment } from "@cardkeep/chain/sharedDeployment";
import { createLocalSigner } from "@cardkeep/chain/signer";
import { unpackSteps } from "@cardkeep/chain/packSteps";
import { buildTransfer, tokens } from "@cardkeep/chain/tokens";
import { nativeToken, type Address, type Hex } from "@cardkeep/contract/core/primitives";
import { accountQuery, populateDirectTransfer } from "@gnosispay/account-kit";
import { decodeFunctionData, encodeFunctionData, isHex, multicall3Abi, parseAbi, parseEther } from "viem";
import { generatePrivateKey } from "viem/accounts";
import {
  catchError,
  chainId,
  type Deployment,
  nothingPresent,
  openChain,
  prepareAccount,
  signEnqueue,
  type TestChain,
} from "./support.ts";
import { filled } from "../support/filled.ts";

const rolesAbi = parseAbi([
  "function execTransactionWithRole(address to, uint256 value, bytes data, uint8 operation, bytes32 roleKey, bool shouldRevert) returns (bool)",
  "function assignRoles(address module, bytes32[] roleKeys, bool[] memberOf)",
]);
const safeAbi = parseAbi([
  "function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) returns (bool)",
]);
const multiSendAbi = parseAbi(["function multiSend(bytes transactions)"]);

let chain: TestChain;
beforeAll(async () => {
  chain = await openChain();
});
afterAll(() => chain.stop());

/** The SDK's status, over a node without our reader. */
async function readStatusBySdk(safe: Address, cooldown = 180): Promise<number> {
  const { status } = await accountQuery({ account: safe, cooldown }, async ({ to, data }) => {
    const answer = await chain.node.call({ to: to as Address, data: data as Hex });
    return answer.data ?? "0x";
  });
  return status;
}

const judge = (addresses: AccountAddresses, cooldownSeconds = 180) =>
  chain.reader.getAccountIntegrity({ addresses, cooldownSeconds });

describe("an account that the operator sets up", () => {
  const account = prepareAccount();
  const { safe, delay, roles, bouncer } = account.addresses;

  test("is missing before its set-up, by status 1", async () => {
    expect(await judge(account.addresses)).toMatchObject({ status: 1, allowance: null });
    expect(await chain.reader.hasCode([safe, delay, roles, bouncer])).toEqual([false, false, false, false]);
  });

  test("is whole by the SDK's own query, with its owner, limits and delay", async () => {
    const { config } = account.deployment;
    expect((await chain.deploy(account.deployment)).status).toBe("success");
    expect(await readStatusBySdk(safe)).toBe(0);
    expect(await judge(account.addresses)).toEqual({
      status: 0,
      allowance: {
        balance: config.dailyLimit,
        refill: config.dailyLimit,
        maxRefill: config.dailyLimit,
        periodSeconds: 86_400n,
        timestamp: BigInt(config.allowanceStartsAt),
      },
      timestamp: expect.any(Number),
      txNonce: 0n,
      queueNonce: 0n,
    });
    expect(await chain.reader.hasCode([safe, delay, roles, bouncer])).toEqual([true, true, true, true]);
    expect(await chain.reader.listOwners(delay)).toEqual([account.owner.address]);
    expect(await chain.reader.getDelayState(delay)).toEqual({
      txNonce: 0n,
      queueNonce: 0n,
      cooldownSeconds: 180,
      expirationSeconds: 1_800,
      head: null,
    });
  });

  test("is misconfigured for a caller that requires a longer cooldown", async () => {
    expect((await judge(account.addresses, 181)).status).toBe(6);
  });

  test("cannot be set up twice", async () => {
    const again = await buildDeployment({ ...account.deployment, present: nothingPresent });
    const error = await catchError(chain.reader.estimateGas({ from: chain.relayer.address, call: again }));
    expect(error).toBeInstanceOf(CallReverted);
    expect(error).toMatchObject({ reason: "Multicall3: call failed", errorName: "Error" });
  });

  test("is out of the operator's control", async () => {
    const { operator } = account;
    const from = operator.address;
    const transfer = buildTransfer({ token: nativeToken, to: from, amount: 1n });
    await chain.node.setBalance({ address: safe, value: parseEther("1") });

    // With the signature of its former owner.
    const signed = await populateDirectTransfer(
      { account: safe, chainId, nonce: 1 },
      { token: tokens.EURe.address, to: from, amount: 0n },
      ({ domain, types, message }) => operator.signTypedData({ domain, types, primaryType: "SafeTx", message }),
    );
    if (!isHex(signed.data)) throw new Error("The SDK gave no calldata");
    const bySignature = { to: safe, value: 0n, data: signed.data };
    // By an approval, which a Safe accepts from an owner that sends the transaction itself.
    const approval: Hex = `0x${from.slice(2).padStart(64, "0")}${"00".repeat(32)}01`;
    const args = [from, 1n, "0x", 0, 0n, 0n, 0n, nativeToken, nativeToken, approval] as const;
    const bySender = { to: safe, value: 0n, data: encodeFunctionData({ abi: safeAbi, args }) };
    const enqueued = await signEnqueue(operator, delay, transfer);
    const membership = encodeFunctionData({
      abi: rolesAbi,
      functionName: "assignRoles",
      args: [from, [spendingRoleKey], [true]],
    });
    const setAllowance = buildSetAllowance({ bouncer, refill: 1n, periodSeconds: 1, startsAt: 0 });
    const attempts: [Call, string][] = [
      [bySignature, "GS026"],
      [bySender, "GS026"],
      [enqueued.enqueue, "NotAuthorized"],
      [{ to: delay, value: 0n, data: buildModuleCall(transfer) }, "NotAuthorized"],
      [buildAddOwner(delay, from), "OwnableUnauthorizedAccount"],
      [{ ...setAllowance, to: roles }, "OwnableUnauthorizedAccount"],
      [{ to: roles, value: 0n, data: membership }, "OwnableUnauthorizedAccount"],
      [spend(buildTransfer({ token: tokens.EURe.address, to: from, amount: 1n })), "NotAuthorized"],
    ];
    for (const [call, reason] of attempts) {
      const error = await catchError(chain.reader.simulate({ from, call }));
      expect(error).toBeInstanceOf(CallReverted);
      expect((error as CallReverted).reason).toContain(reason);
    }
    expect(await catchError(chain.reader.simulate({ from, call: setAllowance }))).toBeInstanceOf(CallReverted);
  });

  test("lets the spender pay the settlement address within the allowance, and no other sender move money", async () => {
    const from = account.spender.address;
    const token = tokens.EURe.address;
    const limit = account.deployment.config.dailyLimit;
    await chain.giveTokens(token, safe, 2n * limit);
    const pay = (to: Address, amount: bigint) =>
      chain.reader.simulate({ from, call: spend(buildTransfer({ token, to, amount })) });
    expect(BigInt(await pay(account.settlement, limit))).toBe(1n);
    const overLimit = await catchError(pay(account.settlement, limit + 1n));
    const elsewhere = await catchError(pay(from, 1n));
    for (const error of [overLimit, elsewhere]) expect(error).toMatchObject({ errorName: "ConditionViolation" });
  });

  test("is paused while an operation is queued, and whole again after it ran", async () => {
    const to = prepareAccount().settlement;
    const call = buildTransfer({ token: nativeToken, to, amount: 5n });
    const { enqueue } = await signEnqueue(account.owner, delay, call);
    expect((await chain.send(enqueue)).status).toBe("success");
    expect([await readStatusBySdk(safe), (await judge(account.addresses)).status]).toEqual([7, 7]);
    await chain.advance(180);
    expect((await chain.send(buildDispatch({ delay, call, operation: "CALL" }))).status).toBe("success");
    expect([await readStatusBySdk(safe), (await judge(account.addresses)).status]).toEqual([0, 0]);
    expect(await chain.reader.getNativeBalance(to)).toBe(5n);
  });

  const spend = ({ to, value, data }: Call): Call => ({
    to: roles,
    value: 0n,
    data: encodeFunctionData({
      abi: rolesAbi,
      functionName: "execTransactionWithRole",
      args: [to, value, data, 0, spendingRoleKey, true],
    }),
  });
});

describe("strangers who deploy parts first do not prevent a set-up", () => {
  const parts = ["safe", "delay", "roles", "bouncer"] as const;
  const combinations: (readonly (typeof parts)[number][])[] = [
    ...parts.map((part) => [part]),
    ["delay", "roles"],
    parts,
  ];

  for (const taken of combinations) {
    test(`after they deployed ${taken.join(", ")}`, async () => {
      const stranger = createRelayerKey(createLocalSigner(generatePrivateKey()));
      await chain.node.setBalance({ address: stranger.address, value: parseEther("10") });
      const account = prepareAccount();
      const deployer = await listDeployments(account.deployment);
      for (const part of filled(taken)) expect((await chain.send(deployer[part], stranger)).status).toBe("success");

      const { safe, delay, roles, bouncer } = account.addresses;
      const found = await chain.reader.hasCode([safe, delay, roles, bouncer]);
      const present = Object.fromEntries(parts.map((part, index) => [part, found[index]])) as typeof nothingPresent;
      expect(parts.filter((part) => present[part])).toEqual([...taken]);

      const naive = await buildDeployment({ ...account.deployment, present: nothingPresent });
      const from = chain.relayer.address;
      expect(await catchError(chain.reader.simulate({ from, call: naive }))).toBeInstanceOf(CallReverted);

      expect((await chain.deploy(account.deployment, present)).status).toBe("success");
      expect([await readStatusBySdk(safe), (await judge(account.addresses)).status]).toEqual([0, 0]);
      expect(await chain.reader.listOwners(delay)).toEqual([account.owner.address]);
    });
  }

  test("just before a deployment that accounts share: it burns no gas of the others, and they are whole", async () => {
    const stranger = createRelayerKey(createLocalSigner(generatePrivateKey()));
    await chain.node.setBalance({ address: stranger.address, value: parseEther("10") });
    const accounts = await Promise.all(
      [...parts, null].map(async (taken) => {
        const { addresses, deployment } = prepareAccount();
        return {
          taken,
          addresses,
          deployment: await buildDeployment({ ...deployment, present: nothingPresent }),
          parts: await listDeployments(deployment),
        };
      }),
    );
    const from = chain.relayer.address;
    const all = buildSharedDeployment(accounts);
    const gas = await chain.reader.estimateGas({ from, call: all });
    const alone = await Promise.all(accounts.map(({ deployment: call }) => chain.reader.estimateGas({ from, call })));
    expect(gas).toBeLessThan(alone.reduce((sum, each) => sum + each));
    for (const { taken, parts: calls } of accounts) if (taken) await chain.send(calls[taken], stranger);

    expect(await catchError(chain.reader.estimateGas({ from, call: all }))).toBeInstanceOf(CallReverted);
    // Its gas limit is enough for two accounts.
    const { status } = await chain.send(buildSharedDeployment(accounts, { allowFailure: true }));
    expect(status).toBe("success");
    const found = await Promise.all(accounts.map(async ({ addresses }) => (await judge(addresses)).status));
    expect(found.map((each) => each === 0)).toEqual(accounts.map(({ taken }) => taken === null));
  });

  /** The calls that deploy each part, as a stranger could copy them from a set-up. */
  async function listDeployments(deployment: Deployment) {
    const { data } = await buildDeployment({ ...deployment, present: nothingPresent });
    const { args } = decodeFunctionData({ abi: multicall3Abi, data });
    const [creation, setUp] = (args?.[0] ?? []) as readonly { target: Address; callData: Hex }[];
    if (!creation || !setUp) throw new Error("Expected a creation and a set-up");
    const batch = decodeFunctionData({ abi: safeAbi, data: setUp.callData }).args[2];
    const steps = unpackSteps(decodeFunctionData({ abi: multiSendAbi, data: batch }).args[0]);
    const [delay, roles] = steps.filter(({ to }) => to === deployments.moduleProxyFactory);
    const bouncer = steps.find(({ to }) => to === deployments.singletonFactory);
    if (!delay || !roles || !bouncer) throw new Error("Expected three deployments");
    return { safe: { to: creation.target, value: 0n, data: creation.callData }, delay, roles, bouncer };
  }
});

test("an account without owners is not built: the operator would own it", async () => {
  const { deployment } = prepareAccount();
  expect(await catchError(buildDeployment({ ...deployment, owners: [], present: nothingPresent }))).toBeInstanceOf(
    Error,
  );
});
