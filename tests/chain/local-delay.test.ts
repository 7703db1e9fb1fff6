import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buildEnqueue, buildModuleCall, generateSalt, hashModuleMessage } from "@cardkeep/chain/delay";
import { deployments } from "@cardkeep/chain/deployments";
import { buildCreation } from "@cardkeep/chain/account";
import { predictAccount } from "@cardkeep/chain/predictAccount";
import { buildSpend, findSpendLog, hasTransfer, nameTransfer } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import { patchSource } from "@cardkeep/local/patch";
import { readPackageFile } from "@cardkeep/local/packageFiles";
import {
  type Address,
  concat,
  decodeEventLog,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  parseAbi,
  zeroAddress,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { deployTestContract } from "../support/contracts.ts";
import { catchError, chainId, openChain, prepareAccount, signEnqueue, type TestChain } from "./support.ts";

const abi = parseAbi([
  "function deployModule(address masterCopy, bytes initializer, uint256 saltNonce) returns (address proxy)",
  "function setUp(bytes initParams)",
  "function owner() view returns (address)",
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
  "event Initialized(uint64 version)",
  "event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
  "event DelaySetup(address indexed initiator, address indexed owner, address indexed avatar, address target)",
  "event AvatarSet(address indexed previousAvatar, address indexed newAvatar)",
  "event TargetSet(address indexed previousTarget, address indexed newTarget)",
]);
const transfer = { to: "0x000000000000000000000000000000000000bEEF", value: 0n, data: "0x" } as const;

let chain: TestChain;
let revertingWallet: Address;
beforeAll(async () => {
  chain = await openChain();
  revertingWallet = await deployTestContract(chain.rpcUrl, "RevertingWallet");
});
afterAll(() => chain.stop());

/** A contract's signature in a Safe's own form, which names any contract; the Safe calls it to check. */
const nameContract = (wallet: Address): Hex =>
  concat([pad(wallet), numberToHex(65, { size: 32 }), "0x00", numberToHex(0, { size: 32 })]);

/** A genuine Safe 1.3.0 with the standard fallback handler, owned by `owner`. */
async function deploySafe(owner: Address): Promise<Address> {
  const identity = { creator: owner, saltNonce: BigInt(generatePrivateKey()) };
  await chain.send(buildCreation(identity));
  return predictAccount(identity).safe;
}

/** The result of sending a forged message of `wallet` to an account's Delay module. */
async function forge(account: ReturnType<typeof prepareAccount>, wallet: Address, signature: Hex) {
  const { delay } = account.addresses;
  const message = { delay, data: buildModuleCall(transfer), salt: generateSalt(new Date()) };
  const call = buildEnqueue({ ...message, signature, smartWallet: wallet });
  const refusal = await catchError(chain.reader.estimateGas({ from: chain.relayer.address, call }));
  const { status } = await chain.send(call);
  return { refusal, status, queueNonce: (await chain.reader.getDelayState(delay)).queueNonce };
}

async function deployWithOwner(wallet: Address) {
  const account = prepareAccount();
  await chain.deploy({ ...account.deployment, owners: [account.owner.address, wallet] });
  return account;
}

const refused = { refusal: { errorName: "NotAuthorized" }, status: "reverted", queueNonce: 0n };

describe("the local Delay module refuses a wallet that reverts with the magic value", () => {
  test("if the wallet is the owner itself", async () => {
    const account = await deployWithOwner(revertingWallet);
    const question = { address: revertingWallet, abi, functionName: "isValidSignature" } as const;
    await expect(chain.node.readContract({ ...question, args: [keccak256("0x"), "0x"] })).rejects.toThrow("0x1626ba7e");
    expect(await forge(account, revertingWallet, "0x00")).toMatchObject(refused);
  });

  test("if the owner is a genuine Safe, and the forged signature names that wallet", async () => {
    const key = privateKeyToAccount(generatePrivateKey());
    const victim = await deploySafe(key.address);
    const account = await deployWithOwner(victim);
    // The Safe forwards the revert, which is all that the attack needs.
    const question = { address: victim, abi, functionName: "isValidSignature" } as const;
    const args = [keccak256("0x"), nameContract(revertingWallet)] as const;
    await expect(chain.node.readContract({ ...question, args })).rejects.toThrow("0x1626ba7e");
    expect(await forge(account, victim, nameContract(revertingWallet))).toMatchObject(refused);
  });

  test("and accepts the Safe's own signature, and a key's", async () => {
    const key = privateKeyToAccount(generatePrivateKey());
    const safe = await deploySafe(key.address);
    const account = await deployWithOwner(safe);
    const { delay } = account.addresses;
    const message = { delay, data: buildModuleCall(transfer), salt: generateSalt(new Date()) };
    const hash = hashModuleMessage({ ...message, chainId });
    const signature = await key.signTypedData({
      domain: { chainId, verifyingContract: safe },
      primaryType: "SafeMessage",
      types: { SafeMessage: [{ type: "bytes", name: "message" }] },
      message: { message: encodeAbiParameters([{ type: "bytes32" }], [hash]) },
    });
    expect((await chain.send(buildEnqueue({ ...message, signature, smartWallet: safe }))).status).toBe("success");
    const { enqueue } = await signEnqueue(account.owner, delay, transfer);
    expect((await chain.send(enqueue)).status).toBe("success");
    expect((await chain.reader.getDelayState(delay)).queueNonce).toBe(2n);
  });
});

test("the local Roles module accepts that wallet as its spender, so a spender must not be a contract", async () => {
  const account = prepareAccount();
  const { deployment, settlement, addresses } = account;
  await chain.deploy({ ...deployment, config: { ...deployment.config, spender: revertingWallet } });
  const token = tokens.EURe.address;
  await chain.giveTokens(token, addresses.safe, 5n);
  const salt = nameTransfer("forged");
  const { roles } = addresses;
  const spend = buildSpend({ roles, chainId, token, settlement, amount: 5n, salt });
  const { data } = spend;
  const call = buildEnqueue({ delay: roles, data, salt, signature: "0x00", smartWallet: revertingWallet });
  const { logs } = await chain.send(call);
  expect(findSpendLog(logs, spend)).not.toBeNull();
  expect(hasTransfer(logs, { token, from: addresses.safe, to: settlement, amount: 5n })).toBe(true);
});

test("a Safe as its spender passes on the failure of a contract that a stranger names, so it must not be one either", async () => {
  const spender = await deploySafe(privateKeyToAccount(generatePrivateKey()).address);
  const account = prepareAccount();
  const { deployment, settlement, addresses } = account;
  await chain.deploy({ ...deployment, config: { ...deployment.config, spender } });
  const token = tokens.EURe.address;
  await chain.giveTokens(token, addresses.safe, 5n);
  const salt = nameTransfer("passed on");
  const { roles } = addresses;
  const spend = buildSpend({ roles, chainId, token, settlement, amount: 5n, salt });
  const signature = nameContract(revertingWallet);
  const call = buildEnqueue({ delay: roles, data: spend.data, salt, signature, smartWallet: spender });
  const { logs } = await chain.send(call);
  expect(hasTransfer(logs, { token, from: addresses.safe, to: settlement, amount: 5n })).toBe(true);
});

test("a set-up logs what the canonical module logs, in its order, and accepts owner 0", async () => {
  const avatar = chain.relayer.address;
  const types = ["address", "address", "address", "uint256", "uint256"].map((type) => ({ type }));
  const initParams = encodeAbiParameters(types, [zeroAddress, avatar, avatar, 0n, 0n]);
  const setUp = encodeFunctionData({ abi, functionName: "setUp", args: [initParams] });
  const args = [deployments.delayMastercopy, setUp, 0n] as const;
  const data = encodeFunctionData({ abi, functionName: "deployModule", args });
  const { logs } = await chain.send({ to: deployments.moduleProxyFactory, value: 0n, data });
  const delay = logs[0]?.address ?? zeroAddress;
  const events = logs
    .filter(({ address }) => address === delay)
    .map(({ topics, data }) => decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data }));
  expect(events).toMatchObject([
    { eventName: "OwnershipTransferred", args: { previousOwner: zeroAddress, newOwner: zeroAddress } },
    { eventName: "DelaySetup", args: { owner: zeroAddress, avatar, target: avatar } },
    { eventName: "AvatarSet", args: { previousAvatar: zeroAddress, newAvatar: avatar } },
    { eventName: "TargetSet", args: { previousTarget: zeroAddress, newTarget: avatar } },
    { eventName: "Initialized" },
  ]);
  expect(await chain.node.readContract({ address: delay, abi, functionName: "owner" })).toBe(zeroAddress);
});

test("an account's set-up emits 24 logs, as with the canonical contracts, after two of the Safe's creation", async () => {
  const { logs } = await chain.deploy(prepareAccount().deployment);
  expect(logs).toHaveLength(2 + 24);
});

test("a correction of a package's source fails after the published text has changed, and changes no other source", () => {
  const path = "contracts/signature/SignatureChecker.sol";
  const name = "@gnosis.pm/zodiac";
  const source = readPackageFile(name, path);
  expect(patchSource(`${name}/${path}`, source)).toContain("return success && bytes4(returnData)");
  expect(() => patchSource(`${name}/${path}`, source.replace("returnData) = signer", "answer) = signer"))).toThrow(
    "SignatureChecker.sol has changed",
  );
  expect(() => patchSource(`${name}/${path}`, source + source)).toThrow("found it 2 times");
  expect(patchSource(`${name}/contracts/core/Module.sol`, source)).toBe(source);
});
