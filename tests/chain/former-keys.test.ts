import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buildSetAllowance } from "@cardkeep/chain/allowance";
import type { Call } from "@cardkeep/chain/call";
import { deployments, spendingRoleKey } from "@cardkeep/chain/deployments";
import { createRelayerKey, type RelayerKey } from "@cardkeep/chain/relayer";
import { createLocalSigner } from "@cardkeep/chain/signer";
import { buildSafeExecution, buildSafeTypedData } from "@cardkeep/chain/safeTransaction";
import { buildTransfer, tokens } from "@cardkeep/chain/tokens";
import { type Address, type Hex, nativeToken } from "@cardkeep/contract/core/primitives";
import { encodeFunctionData, erc20Abi, keccak256, parseAbi, parseEther, stringToBytes } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { openChain, prepareAccount, signEnqueue, type TestChain } from "./support.ts";

/** Every function of the four contracts that writes and could serve a thief. */
const abi = parseAbi([
  "function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)",
  "function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) returns (bool)",
  "function execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation) returns (bool)",
  "function execTransactionFromModuleReturnData(address to, uint256 value, bytes data, uint8 operation) returns (bool, bytes)",
  "function approveHash(bytes32 hash)",
  "function enableModule(address module)",
  "function disableModule(address prevModule, address module)",
  "function addOwnerWithThreshold(address owner, uint256 threshold)",
  "function removeOwner(address prevOwner, address owner, uint256 threshold)",
  "function swapOwner(address prevOwner, address oldOwner, address newOwner)",
  "function changeThreshold(uint256 threshold)",
  "function setFallbackHandler(address handler)",
  "function setGuard(address guard)",
  "function setUp(bytes initParams)",
  "function setAvatar(address avatar)",
  "function setTarget(address target)",
  "function transferOwnership(address newOwner)",
  "function renounceOwnership()",
  "function setTxCooldown(uint256 cooldown)",
  "function setTxExpiration(uint256 expiration)",
  "function setTxNonce(uint256 nonce)",
  "function executeNextTx(address to, uint256 value, bytes data, uint8 operation)",
  "function assignRoles(address module, bytes32[] roleKeys, bool[] memberOf)",
  "function setDefaultRole(address module, bytes32 roleKey)",
  "function allowTarget(bytes32 roleKey, address targetAddress, uint8 options)",
  "function scopeTarget(bytes32 roleKey, address targetAddress)",
  "function revokeTarget(bytes32 roleKey, address targetAddress)",
  "function allowFunction(bytes32 roleKey, address targetAddress, bytes4 selector, uint8 options)",
  "function revokeFunction(bytes32 roleKey, address targetAddress, bytes4 selector)",
  "function setTransactionUnwrapper(address to, bytes4 selector, address adapter)",
  "function setAllowance(bytes32 key, uint128 balance, uint128 maxRefill, uint128 refill, uint64 period, uint64 timestamp)",
  "function execTransactionWithRole(address to, uint256 value, bytes data, uint8 operation, bytes32 roleKey, bool shouldRevert) returns (bool)",
  "function execTransactionWithRoleReturnData(address to, uint256 value, bytes data, uint8 operation, bytes32 roleKey, bool shouldRevert) returns (bool, bytes)",
]);
const nonceAbi = parseAbi(["function nonce() view returns (uint256)"]);
const multiSendAbi = parseAbi(["function multiSend(bytes transactions)"]);
const sentinel = "0x0000000000000000000000000000000000000001";
const deadOwner = "0x0000000000000000000000000000000000000002";
const transferSelector = "0xa9059cbb";
const unlimited = 2n ** 128n - 1n;

const account = prepareAccount();
const { safe, delay, roles, bouncer } = account.addresses;
const { token, dailyLimit } = account.deployment.config;

let chain: TestChain;
let operator: RelayerKey;
let spender: RelayerKey;
let stranger: RelayerKey;
beforeAll(async () => {
  chain = await openChain();
  operator = createRelayerKey(createLocalSigner(account.operatorPrivateKey));
  spender = createRelayerKey(createLocalSigner(account.spenderPrivateKey));
  stranger = createRelayerKey(createLocalSigner(generatePrivateKey()));
  await chain.deploy(account.deployment);
  await chain.giveTokens(token, safe, 10n * dailyLimit);
  await chain.giveTokens(tokens.GBPe.address, safe, dailyLimit);
  for (const address of [operator.address, spender.address, stranger.address, safe]) {
    await chain.node.setBalance({ address, value: parseEther("100") });
  }
});
afterAll(() => chain.stop());

type Args = Parameters<typeof encodeFunctionData<typeof abi>>[0];
const encode = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi, functionName, args } as Args);

/** Every call that a key could try, with a thief's aims. */
async function listAttempts(thief: RelayerKey, privateKey: Hex): Promise<Record<string, Call>> {
  const me = thief.address;
  const key = privateKeyToAccount(privateKey);
  const call = (to: Address, functionName: string, ...args: readonly unknown[]): Call => ({
    to,
    value: 0n,
    data: encode(functionName, args),
  });
  const loot = buildTransfer({ token, to: me, amount: 1n });
  const inner = [loot.to, 0n, loot.data, 0] as const;
  const takeOver = [sentinel, deadOwner, me] as const;
  const typed = (nonce: number) =>
    buildSafeTypedData({ safe, chainId: 100, nonce, to: loot.to, data: loot.data, operation: "CALL" });
  const signed = async (nonce: number) => buildSafeExecution(typed(nonce), await key.signTypedData(typed(nonce)));
  const approval = `0x${me.slice(2).padStart(64, "0")}${"00".repeat(32)}01`;
  const ofDeadOwner = `0x${deadOwner.slice(2).padStart(64, "0")}${"00".repeat(32)}01`;
  const send = (signatures: string) =>
    call(safe, "execTransaction", ...inner, 0n, 0n, 0n, nativeToken, nativeToken, signatures);
  const modifiers = Object.entries({ delay, roles }).flatMap(([name, to]): [string, Call][] => [
    [`${name}: enableModule`, call(to, "enableModule", me)],
    [`${name}: disableModule`, call(to, "disableModule", sentinel, name === "delay" ? account.owner.address : me)],
    [`${name}: setAvatar`, call(to, "setAvatar", me)],
    [`${name}: setTarget`, call(to, "setTarget", me)],
    [`${name}: transferOwnership`, call(to, "transferOwnership", me)],
    [`${name}: renounceOwnership`, call(to, "renounceOwnership")],
    [`${name}: setUp again`, call(to, "setUp", `0x${me.slice(2).padStart(64, "0").repeat(3)}${"00".repeat(64)}`)],
    [`${name}: execTransactionFromModule`, call(to, "execTransactionFromModule", ...inner)],
    [`${name}: execTransactionFromModuleReturnData`, call(to, "execTransactionFromModuleReturnData", ...inner)],
  ]);
  const allowance = buildSetAllowance({ bouncer, refill: unlimited, periodSeconds: 1, startsAt: 0 });
  return {
    "safe: execTransaction, signed for its next nonce": await signed(1),
    "safe: execTransaction, signed for its first nonce": await signed(0),
    "safe: execTransaction, approved as sender": send(approval),
    "safe: execTransaction, as the dead owner's approval": send(ofDeadOwner),
    "safe: execTransaction, without a signature": send("0x"),
    "safe: setup again": call(safe, "setup", [me], 1n, nativeToken, "0x", nativeToken, nativeToken, 0n, nativeToken),
    "safe: execTransactionFromModule": call(safe, "execTransactionFromModule", ...inner),
    "safe: execTransactionFromModuleReturnData": call(safe, "execTransactionFromModuleReturnData", ...inner),
    "safe: approveHash": call(safe, "approveHash", keccak256("0x00")),
    "safe: enableModule": call(safe, "enableModule", me),
    "safe: disableModule": call(safe, "disableModule", sentinel, delay),
    "safe: addOwnerWithThreshold": call(safe, "addOwnerWithThreshold", me, 1n),
    "safe: removeOwner": call(safe, "removeOwner", sentinel, deadOwner, 1n),
    "safe: swapOwner": call(safe, "swapOwner", ...takeOver),
    "safe: changeThreshold": call(safe, "changeThreshold", 1n),
    "safe: setFallbackHandler": call(safe, "setFallbackHandler", me),
    "safe: setGuard": call(safe, "setGuard", me),
    ...Object.fromEntries(modifiers),
    "delay: a signed call, relayed by a stranger": (await signEnqueue(key, delay, loot)).enqueue,
    "delay: setTxCooldown": call(delay, "setTxCooldown", 0n),
    "delay: setTxExpiration": call(delay, "setTxExpiration", 60n),
    "delay: setTxNonce": call(delay, "setTxNonce", 1n),
    "delay: executeNextTx": call(delay, "executeNextTx", ...inner),
    "roles: assignRoles": call(roles, "assignRoles", me, [spendingRoleKey], [true]),
    "roles: setDefaultRole": call(roles, "setDefaultRole", me, spendingRoleKey),
    "roles: allowTarget": call(roles, "allowTarget", spendingRoleKey, token, 3),
    "roles: scopeTarget": call(roles, "scopeTarget", spendingRoleKey, tokens.GBPe.address),
    "roles: revokeTarget": call(roles, "revokeTarget", spendingRoleKey, token),
    "roles: allowFunction": call(roles, "allowFunction", spendingRoleKey, token, transferSelector, 0),
    "roles: revokeFunction": call(roles, "revokeFunction", spendingRoleKey, token, transferSelector),
    "roles: setTransactionUnwrapper": call(roles, "setTransactionUnwrapper", me, "0x8d80ff0a", me),
    "roles: setAllowance": { ...allowance, to: roles },
    "bouncer: setAllowance": allowance,
    "bouncer: setAllowance of another key": call(
      bouncer,
      "setAllowance",
      keccak256(stringToBytes("OTHER")),
      unlimited,
      unlimited,
      unlimited,
      1n,
      0n,
    ),
    "bouncer: transferOwnership of the roles": call(bouncer, "transferOwnership", me),
    "bouncer: assignRoles": call(bouncer, "assignRoles", me, [spendingRoleKey], [true]),
  };
}

/** A transaction by the spender's role, or by a key that claims it. */
const spend = (
  inner: Call,
  { operation = 0, role = spendingRoleKey, functionName = "execTransactionWithRole" } = {},
): Call => ({
  to: roles,
  value: 0n,
  data: encode(functionName, [inner.to, inner.value, inner.data, operation, role, true]),
});

/** The state that the thieves attack. */
const describeState = async () => ({
  integrity: await chain.reader
    .getAccountIntegrity({ addresses: account.addresses, cooldownSeconds: 180 })
    .then(({ status, allowance }) => ({ status, allowance })),
  owners: await chain.reader.listOwners(delay),
  queue: await chain.reader.getDelayState(delay),
  nonce: await chain.node.readContract({ address: safe, abi: nonceAbi, functionName: "nonce" }),
  held: await Promise.all(
    [token, tokens.GBPe.address, nativeToken].map((address) => chain.reader.getTokenBalance(address, safe)),
  ),
});

/** Mines each attempt, and returns those that did not revert. */
async function listSuccesses(attempts: Record<string, Call>, sender: RelayerKey): Promise<string[]> {
  const successes: string[] = [];
  for (const [name, call] of Object.entries(attempts)) {
    if ((await chain.send(call, sender)).status === "success") successes.push(name);
  }
  return successes;
}

/** The rightful caller of each contract; the Safe calls itself, moved by its Delay. */
const rightful: Record<string, Address> = { safe, delay: safe, roles: bouncer, bouncer: safe };

describe("after the hand-over", () => {
  test("each attempt below succeeds for its rightful sender, so it fails only because of its sender", async () => {
    const attempts = await listAttempts(operator, account.operatorPrivateKey);
    const refused: string[] = [];
    for (const [name, call] of Object.entries(attempts)) {
      const [contract = ""] = name.split(":");
      const isModule = name.includes("execTransactionFromModule");
      const from = isModule ? (contract === "safe" ? delay : account.owner.address) : (rightful[contract] ?? safe);
      await chain.reader.simulate({ from, call }).catch(() => refused.push(name));
    }
    expect(refused).toEqual([
      // Only by a signature that no key can make any more.
      "safe: execTransaction, signed for its next nonce",
      "safe: execTransaction, signed for its first nonce",
      "safe: execTransaction, approved as sender",
      "safe: execTransaction, as the dead owner's approval",
      "safe: execTransaction, without a signature",
      // Only once; only by an owner, and the last one stays.
      "safe: setup again",
      "safe: approveHash",
      "safe: removeOwner",
      "delay: setUp again",
      "roles: disableModule",
      "roles: setUp again",
      // An owner is no member of a role.
      "roles: execTransactionFromModule",
      "roles: execTransactionFromModuleReturnData",
      // Only what an owner signed; only from a queue that is not empty; only forward.
      "delay: a signed call, relayed by a stranger",
      "delay: setTxNonce",
      "delay: executeNextTx",
      // The Bouncer permits one function.
      "bouncer: transferOwnership of the roles",
      "bouncer: assignRoles",
    ]);
  });

  test("the operator's former key has no power: every call reverts, and nothing has changed", async () => {
    const before = await describeState();
    expect(before).toMatchObject({ integrity: { status: 0 }, nonce: 1n, owners: [account.owner.address] });
    const attempts = await listAttempts(operator, account.operatorPrivateKey);
    expect(Object.keys(attempts).length).toBeGreaterThan(40);
    expect(await listSuccesses(attempts, operator)).toEqual([]);
    expect(await listSuccesses(attempts, stranger)).toEqual([]);
    const pay = spend(buildTransfer({ token, to: account.settlement, amount: 1n }));
    expect(await listSuccesses({ pay }, operator)).toEqual([]);
    expect(await describeState()).toEqual(before);
  });

  test("the spender's key can pay the settlement address within the allowance, and nothing else", async () => {
    const before = await describeState();
    const attempts = await listAttempts(spender, account.spenderPrivateKey);
    expect(await listSuccesses(attempts, spender)).toEqual([]);
    const to = account.settlement;
    const erc20 = (functionName: "approve" | "transferFrom", args: readonly unknown[]): Call => ({
      to: token,
      value: 0n,
      data: encodeFunctionData({ abi: erc20Abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]),
    });
    const within = buildTransfer({ token, to, amount: 1n });
    const wrong: Record<string, Call> = {
      "over the allowance": spend(buildTransfer({ token, to, amount: dailyLimit + 1n })),
      "to itself": spend(buildTransfer({ token, to: spender.address, amount: 1n })),
      "to the Safe": spend(buildTransfer({ token, to: safe, amount: 1n })),
      "another token": spend(buildTransfer({ token: tokens.GBPe.address, to, amount: 1n })),
      "the native token": spend(buildTransfer({ token: nativeToken, to, amount: 1n })),
      "value with it": spend({ ...within, value: 1n }),
      "by DELEGATECALL": spend(within, { operation: 1 }),
      "by DELEGATECALL to MultiSend": spend(
        { to: deployments.multiSend, value: 0n, data: encodeFunctionData({ abi: multiSendAbi, args: ["0x"] }) },
        { operation: 1 },
      ),
      "in another role": spend(within, { role: keccak256(stringToBytes("OTHER")) }),
      "an approval": spend(erc20("approve", [spender.address, 1n])),
      "a transferFrom": spend(erc20("transferFrom", [safe, to, 1n])),
      "less than a transfer": spend({ to: token, value: 0n, data: transferSelector }),
      "calls of the Safe": spend({ to: safe, value: 0n, data: encode("enableModule", [spender.address]) }),
      "calls of the Delay": spend({ to: delay, value: 0n, data: encode("enableModule", [spender.address]) }),
      "calls of the Roles": spend({ to: roles, value: 0n, data: encode("transferOwnership", [spender.address]) }),
      "calls of the Bouncer": spend(buildSetAllowance({ bouncer, refill: unlimited, periodSeconds: 1, startsAt: 0 })),
      "over the allowance, for its return data": spend(buildTransfer({ token, to, amount: dailyLimit + 1n }), {
        functionName: "execTransactionWithRoleReturnData",
      }),
    };
    expect(await listSuccesses(wrong, spender)).toEqual([]);
    expect(await describeState()).toEqual(before);

    const first = spend(buildTransfer({ token, to, amount: dailyLimit - 5n }));
    expect((await chain.send(first, spender)).status).toBe("success");
    expect(await listSuccesses({ rest: spend(buildTransfer({ token, to, amount: 6n })) }, spender)).toEqual([]);
    expect((await chain.send(spend(buildTransfer({ token, to, amount: 5n })), spender)).status).toBe("success");
    expect(await listSuccesses({ one: spend(within) }, spender)).toEqual([]);
    expect(await chain.reader.getTokenBalance(token, to)).toBe(dailyLimit);
    const { allowance } = (await describeState()).integrity;
    expect(allowance?.balance).toBe(0n);
    await chain.advance(86_400);
    expect((await chain.send(spend(within), spender)).status).toBe("success");
  });
});
