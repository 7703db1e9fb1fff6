import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { accrueAllowance } from "@cardkeep/chain/allowance";
import { createSpenderKey } from "@cardkeep/chain/relayer";
import { createLocalSigner } from "@cardkeep/chain/signer";
import {
  buildReturn,
  buildSignedSpend,
  buildSpend,
  buildSpendTypedData,
  buildTransferTopics,
  findReturnTag,
  findSpendLog,
  hasTransfer,
  nameTransfer,
  proveSpend,
} from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import { deployments } from "@cardkeep/chain/deployments";
import { multicallAbi } from "@cardkeep/chain/abis";
import { type Address, encodeFunctionData, erc20Abi, type Hex, keccak256, parseAbi, parseEther } from "viem";
import { filled } from "../support/filled.ts";
import { catchError, chainId, openChain, prepareAccount, type TestChain } from "./support.ts";

const token = tokens.EURe.address;
const account = prepareAccount();
const { settlement, addresses } = account;
const { safe, roles } = addresses;
const spender = createSpenderKey(createLocalSigner(account.spenderPrivateKey));

let chain: TestChain;
beforeAll(async () => {
  chain = await openChain();
  await chain.deploy(account.deployment);
  await chain.node.setBalance({ address: spender.address, value: parseEther("10") });
  await chain.giveTokens(token, safe, 1_000n);
});
afterAll(() => chain.stop());

const prepare = (amount: bigint, name: string) =>
  buildSpend({ roles, chainId, token, settlement, amount, salt: nameTransfer(name) });
const sign = async (amount: bigint, name: string) => {
  const spend = prepare(amount, name);
  return { spend, call: buildSignedSpend(spend, await spender.signSpend(buildSpendTypedData(spend, chainId))) };
};
const ask = (messageHashes: Hex[]) =>
  chain.reader.getSpendingState({
    token,
    addresses,
    cooldownSeconds: 180,
    spender: spender.address,
    messageHashes,
  });

describe("a signed spend", () => {
  test("moves money and allowance once, for any sender, and the chain shows at one block that it ran", async () => {
    const first = await sign(300n, "first");
    const second = prepare(300n, "second");
    const hashes = [second.messageHash, first.spend.messageHash];
    const before = await ask(hashes);
    expect(before).toMatchObject({ balance: 1_000n, txNonce: 0n, queueNonce: 0n, hasRun: [false, false] });
    const receipt = await chain.send(first.call);
    expect(receipt.status).toBe("success");
    expect(findSpendLog(receipt.logs, first.spend)?.transactionHash).toBe(receipt.transactionHash);
    expect(findSpendLog(receipt.logs, second)).toBeNull();
    expect(hasTransfer(receipt.logs, { token, from: safe, to: settlement, amount: 300n })).toBe(true);
    const after = await ask(hashes);
    expect(after).toMatchObject({ balance: 700n, hasRun: [false, true] });
    const funds = { token, safe, roles, spender: spender.address, messageHashes: hashes };
    const signed = { delay: addresses.delay, signer: spender.address, messageHash: first.spend.messageHash };
    expect(await chain.reader.getSigner({ ...signed, funds })).toEqual({
      isOwner: false,
      isConsumed: false,
      funds: { balance: 700n, hasRun: [false, true] },
    });
    const left = (state: typeof after) => (state.allowance ? accrueAllowance(state.allowance, state.timestamp) : null);
    expect(left(after)).toBe((left(before) ?? 0n) - 300n);
    expect(await catchError(chain.reader.estimateGas({ from: chain.relayer.address, call: first.call }))).toMatchObject(
      {
        errorName: "HashAlreadyConsumed",
      },
    );
  });

  test("is proved by the token's transfer after its own log: in a bundle one transfer never proves two", async () => {
    const spends = [await sign(2n, "bundle 1"), await sign(2n, "bundle 2"), await sign(3n, "bundle 3")];
    const calls = spends.map(({ call: { to: target, data: callData } }) => ({ target, callData, allowFailure: false }));
    const data = encodeFunctionData({ abi: multicallAbi, functionName: "aggregate3", args: [calls] });
    const { logs } = await chain.send({ to: deployments.multicall, value: 0n, data });
    const moved = { token, from: safe, to: settlement };
    const amounts = [2n, 2n, 3n];
    const prove = (of: typeof logs) =>
      spends.map(({ spend }, index) =>
        proveSpend(of, { ...spend, token, safe, settlement, amount: amounts[index] ?? 0n }),
      );
    expect(prove(logs)).toEqual(["moved", "moved", "moved"]);
    const transfers = logs.filter((log) => amounts.some((amount) => hasTransfer([log], { ...moved, amount })));
    expect(transfers).toHaveLength(3);
    const without = (index: number) => prove(logs.filter((log) => log !== transfers[index]));
    expect(without(0)).toEqual(["unmoved", "moved", "moved"]);
    expect(without(1)).toEqual(["moved", "unmoved", "moved"]);
    expect(without(2)).toEqual(["moved", "moved", "unmoved"]);
    const [first] = spends;
    if (!first) throw new Error("no spend");
    const question = { ...first.spend, token, safe, settlement };
    expect(proveSpend(logs, { ...question, amount: 3n })).toBe("unmoved");
    expect(proveSpend(logs, { ...question, amount: 2n, settlement: safe })).toBe("unmoved");
    expect(proveSpend(logs, { ...prepare(2n, "bundle 4"), token, safe, settlement, amount: 2n })).toBe("absent");
  });

  test("is refused if the Safe lacks the money, above the allowance, and to any other receiver", async () => {
    const refuse = async (call: { to: Address; value: bigint; data: Hex }) =>
      catchError(chain.reader.estimateGas({ from: chain.relayer.address, call }));
    expect(await refuse((await sign(10_000n, "poor")).call)).toMatchObject({ name: "CallReverted" });
    expect(await refuse((await sign(351n * 10n ** 18n, "limit")).call)).toMatchObject({
      errorName: "ConditionViolation",
    });
    const elsewhere = buildSpend({ roles, chainId, token, settlement: safe, amount: 1n, salt: nameTransfer("x") });
    const signature = await spender.signSpend(buildSpendTypedData(elsewhere, chainId));
    expect(await refuse(buildSignedSpend(elsewhere, signature))).toMatchObject({ errorName: "ConditionViolation" });
  });

  test("has the same name and hash each time it is planned, and another for each position in its thread", () => {
    expect(prepare(5n, "spend:thread:0")).toEqual(prepare(5n, "spend:thread:0"));
    expect(nameTransfer("spend:thread:0")).not.toBe(nameTransfer("spend:thread:1"));
  });
});

test("a return moves the settlement account's money within its approval, and its tag finds it again", async () => {
  const tag = nameTransfer("return:thread:1");
  const back = buildReturn({ token, from: settlement, to: safe, amount: 120n, tag });
  expect(await chain.reader.getApproval({ token, owner: settlement, spender: spender.address })).toBe(0n);
  expect(await catchError(chain.reader.estimateGas({ from: spender.address, call: back }))).toMatchObject({
    errorName: "ERC20InsufficientAllowance",
  });
  await chain.node.impersonateAccount({ address: settlement });
  await chain.node.setBalance({ address: settlement, value: parseEther("1") });
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender.address, 1_000n] });
  const approved = await chain.node.request({
    method: "eth_sendTransaction",
    params: [{ from: settlement, to: token, data: approval }],
  } as never);
  await chain.waitForReceipt(approved as Hex);
  expect(await chain.reader.getApproval({ token, owner: settlement, spender: spender.address })).toBe(1_000n);

  const receipt = await chain.send(back, spender);
  expect(receipt.status).toBe("success");
  const [log] = await chain.reader.getLogs({
    addresses: [token],
    topics: buildTransferTopics({ from: settlement, to: safe }),
    fromBlock: 0n,
    toBlock: receipt.blockNumber,
  });
  expect(log?.transactionHash).toBe(receipt.transactionHash);
  const sent = await chain.reader.findTransaction(receipt.transactionHash);
  expect(sent && findReturnTag(sent.data)).toBe(tag);
  expect(sent).toMatchObject({ from: spender.address, to: back.to, value: 0n });
  expect(sent?.raw && keccak256(sent.raw)).toBe(receipt.transactionHash);
  expect((await ask([])).balance).toBe(813n);
  expect(await chain.reader.findTransaction(`0x${"12".repeat(32)}`)).toBeNull();
});

test("an account is whole exactly if account-kit's own query says so, after any change", async () => {
  const { delay } = addresses;
  const agree = async (): Promise<boolean> => {
    const { isWhole } = await ask([]);
    const { status } = await chain.reader.getAccountIntegrity({ addresses, cooldownSeconds: 180 });
    expect(isWhole).toBe(status === 0 || status === 7);
    return isWhole;
  };
  const act = async (from: Address, to: Address, signature: string, args: readonly unknown[]): Promise<void> => {
    const data = encodeFunctionData({ abi: parseAbi([`function ${signature}`] as never), args } as never);
    await chain.node.impersonateAccount({ address: from });
    await chain.node.setBalance({ address: from, value: parseEther("1") });
    const hash = await chain.node.request({ method: "eth_sendTransaction", params: [{ from, to, data }] } as never);
    expect((await chain.waitForReceipt(hash as Hex)).status).toBe("success");
  };
  expect(await agree()).toBe(true);
  const sentinel = "0x0000000000000000000000000000000000000001";
  await act(safe, delay, "setTxCooldown(uint256)", [1n]);
  expect(await agree()).toBe(false);
  await act(safe, delay, "setTxCooldown(uint256)", [181n]);
  expect(await agree()).toBe(true);
  await act(safe, safe, "enableModule(address)", [settlement]);
  expect(await agree()).toBe(false);
  await act(safe, safe, "disableModule(address,address)", [sentinel, settlement]);
  expect(await agree()).toBe(true);
  await act(safe, safe, "addOwnerWithThreshold(address,uint256)", [settlement, 1n]);
  expect(await agree()).toBe(false);
  await act(safe, safe, "removeOwner(address,address,uint256)", [sentinel, settlement, 1n]);
  expect(await agree()).toBe(true);
  await act(addresses.bouncer, roles, "transferOwnership(address)", [settlement]);
  expect(await agree()).toBe(false);
  await act(settlement, roles, "transferOwnership(address)", [addresses.bouncer]);
  expect(await agree()).toBe(true);
  const undeployed = prepareAccount().addresses;
  const other = { addresses: undeployed, cooldownSeconds: 180 };
  expect((await chain.reader.getAccountIntegrity(other)).status).toBe(1);
});

test("an account is read whose Safe's code burns all gas, or leaves any rest of it", async () => {
  const before = await ask([]);
  const { status } = await chain.reader.getAccountIntegrity({ addresses, cooldownSeconds: 180 });
  expect([before.isWhole, status]).toEqual([true, 0]);
  const code = await chain.node.getCode({ address: safe });
  /** Burns all gas but for a rest, in a call of itself without data. */
  const burnBut = (rest: number): Hex =>
    `0x36600557fe5b5a620f424010601057005b600060006000600060003062${rest.toString(16).padStart(6, "0")}5a03f100`;
  const rests = Array.from({ length: 30 }, (_, index) => 2_000 * (index + 1));
  for (const bytecode of filled<Hex>(["0xfe", ...rests.map(burnBut)])) {
    await chain.node.setCode({ address: safe, bytecode });
    const { balance, txNonce, isWhole, allowance } = await ask([]);
    expect([balance, txNonce, isWhole, allowance]).toEqual([before.balance, before.txNonce, false, before.allowance]);
    const state = await chain.reader.getAccountIntegrity({ addresses, cooldownSeconds: 180 });
    expect([state.status === 0 || state.status === 7, state.allowance]).toEqual([false, before.allowance]);
  }
  await chain.node.setCode({ address: safe, bytecode: code ?? "0x" });
});
