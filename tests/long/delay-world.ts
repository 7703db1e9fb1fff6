/** A Delay before a Safe on the test's own chain, with one transaction per block at a chosen second. */
import { deployments } from "@cardkeep/chain/deployments";
import { describeRevert } from "@cardkeep/chain/revert";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { localAccounts } from "@cardkeep/local/accounts";
import {
  decodeEventLog,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  numberToHex,
  parseAbi,
  zeroAddress,
} from "viem";
import type { Outcome } from "./delay-model.ts";

export const delayAbi = parseAbi([
  "function setUp(bytes initParams)",
  "function execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation) returns (bool success)",
  "function execTransactionFromModuleReturnData(address to, uint256 value, bytes data, uint8 operation) returns (bool success, bytes returnData)",
  "function executeNextTx(address to, uint256 value, bytes data, uint8 operation)",
  "function skipExpired()",
  "function setTxNonce(uint256 nonce)",
  "function setTxCooldown(uint256 cooldown)",
  "function setTxExpiration(uint256 expiration)",
  "function enableModule(address module)",
  "function disableModule(address prevModule, address module)",
  "function invalidate(bytes32 hash)",
  "function txNonce() view returns (uint256)",
  "function queueNonce() view returns (uint256)",
  "function txCooldown() view returns (uint256)",
  "function txExpiration() view returns (uint256)",
  "function getTxHash(uint256 nonce) view returns (bytes32)",
  "function getTxCreatedAt(uint256 nonce) view returns (uint256)",
  "function getTransactionHash(address to, uint256 value, bytes data, uint8 operation) pure returns (bytes32)",
  "function getModulesPaginated(address start, uint256 pageSize) view returns (address[] array, address next)",
  "event TransactionAdded(uint256 indexed queueNonce, bytes32 indexed txHash, address to, uint256 value, bytes data, uint8 operation)",
  "event HashExecuted(bytes32 hash)",
  "event HashInvalidated(bytes32 hash)",
  "event TxCooldownSet(uint256 cooldown)",
  "event TxExpirationSet(uint256 expiration)",
  "event TxNonceSet(uint256 nonce)",
  "event EnabledModule(address module)",
  "event DisabledModule(address module)",
]);
const safeAbi = parseAbi([
  "function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)",
  "function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address proxy)",
  "function enableModule(address module)",
  "function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) returns (bool success)",
]);
const factoryAbi = parseAbi([
  "function deployModule(address masterCopy, bytes initializer, uint256 saltNonce) returns (address proxy)",
]);

export interface Transaction {
  from: Address;
  to: Address;
  data: Hex;
  value?: bigint;
}
type Answer = { result: unknown } | { error: { message: string; data?: Hex } };
interface Receipt {
  status: Hex;
  logs: { address: Address; topics: [Hex, ...Hex[]]; data: Hex }[];
}

/** Enough for every call here, so that no estimate is needed. */
const gas = numberToHex(2_000_000);
const serialize = ({ value = 0n, ...call }: Transaction) => ({ ...call, value: numberToHex(value), gas });

export type DelayWorld = Awaited<ReturnType<typeof openDelayWorld>>;

/** The Delay's owner is the account `spare`, its avatar a Safe of the same owner; it has no module yet. */
export async function openDelayWorld(
  rpcUrl: string,
  { cooldown, expiration, balance }: { cooldown: number; expiration: number; balance: bigint },
) {
  let id = 0;
  const post = async (calls: [string, unknown[]][]): Promise<Answer[]> => {
    const body = JSON.stringify(calls.map(([method, params]) => ({ jsonrpc: "2.0", id: id++, method, params })));
    const response = await fetch(rpcUrl, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    return (await response.json()) as Answer[];
  };
  const ask = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const [answer] = await post([[method, params]]);
    if (!answer || "error" in answer) throw new Error(`${method}: ${answer?.error.message}`);
    return answer.result as T;
  };
  const getTimestamp = async () => {
    const { timestamp } = await ask<{ timestamp: Hex }>("eth_getBlockByNumber", "latest", false);
    return Number(timestamp);
  };
  const read = async (calls: readonly Hex[], to: Address): Promise<Hex[]> =>
    (await post(calls.map((data) => ["eth_call", [{ to, data }, "latest"]]))).map((answer) => {
      if ("error" in answer) throw new Error(answer.error.message);
      return answer.result as Hex;
    });
  const mine = async (call: Transaction): Promise<Receipt> => {
    const receipt = await ask<Receipt>("eth_sendTransactionSync", serialize(call));
    if (receipt.status !== "0x1") throw new Error(`A transaction to ${call.to} reverted`);
    return receipt;
  };
  /** Sends a call that returns an address. */
  const create = async (to: Address, data: Hex): Promise<Address> => {
    const [answer = "0x"] = await read([data], to);
    await mine({ from: owner, to, data });
    return getAddress(`0x${answer.slice(-40)}`);
  };
  const createSafe = (owners: Address[], saltNonce: bigint) => {
    const args = [owners, 1n, zeroAddress, "0x", deployments.fallbackHandler, zeroAddress, 0n, zeroAddress] as const;
    const setup = encodeFunctionData({ abi: safeAbi, functionName: "setup", args });
    const creation = [deployments.safeMastercopy, setup, saltNonce] as const;
    return create(
      deployments.safeProxyFactory,
      encodeFunctionData({ abi: safeAbi, functionName: "createProxyWithNonce", args: creation }),
    );
  };

  const owner = localAccounts.spare.address;
  await ask("evm_setIntervalMining", 0);
  await ask("evm_setAutomine", true);
  const safe = await createSafe([owner], 1n);
  /** A contract wallet whose owner is the account `operator`. */
  const wallet = await createSafe([localAccounts.operator.address], 2n);
  const types = ["address", "address", "address", "uint256", "uint256"].map((type) => ({ type }));
  const initParams = encodeAbiParameters(types, [owner, safe, safe, BigInt(cooldown), BigInt(expiration)]);
  const setUp = encodeFunctionData({ abi: delayAbi, functionName: "setUp", args: [initParams] });
  const deployModule = encodeFunctionData({ abi: factoryAbi, args: [deployments.delayMastercopy, setUp, 0n] });
  const delay = await create(deployments.moduleProxyFactory, deployModule);
  const enable = encodeFunctionData({ abi: safeAbi, functionName: "enableModule", args: [delay] });
  // A Safe accepts this as the approval of an owner that sends the transaction itself.
  const approval: Hex = `0x${owner.slice(2).padStart(64, "0")}${"00".repeat(32)}01`;
  const args = [safe, 0n, enable, 0, 0n, 0n, 0n, zeroAddress, zeroAddress, approval] as const;
  const execute = encodeFunctionData({ abi: safeAbi, functionName: "execTransaction", args });
  await mine({ from: owner, to: safe, data: execute });
  await ask("anvil_setBalance", safe, numberToHex(balance));

  return {
    owner,
    safe,
    wallet,
    delay,
    setUp,
    ask,
    getTimestamp,
    read: (...calls: Hex[]) => read(calls, delay),
    getBalance: async (address: Address) => BigInt(await ask<Hex>("eth_getBalance", address, "latest")),
    /**
     * The effect of a transaction in a block of the second `now`: sent, unless it reverts. `answer` is its return
     * value.
     */
    send: async (now: number, call: Transaction): Promise<Outcome & { answer?: Hex }> => {
      const [trial] = await post([["eth_call", [serialize(call), "latest", null, { time: numberToHex(now) }]]]);
      if (!trial) throw new Error("The node gave no answer");
      if ("error" in trial) {
        const { data = "0x" } = trial.error;
        if (data.length < 10) return { revert: data };
        const { errorName, reason } = describeRevert(data);
        return { revert: errorName === "Error" ? reason : (errorName ?? reason) };
      }
      await ask("evm_setNextBlockTimestamp", numberToHex(now));
      const { logs } = await mine(call);
      const own = logs.filter((log) => getAddress(log.address) === delay);
      return {
        answer: trial.result as Hex,
        logs: own.map(({ topics, data }) => {
          const { eventName, args } = decodeEventLog({ abi: delayAbi, topics, data });
          return [eventName, ...Object.values(args)];
        }),
      };
    },
    /** Every value of the Delay's state that the model has too. */
    readState: async () => {
      const names = ["txNonce", "queueNonce", "txCooldown", "txExpiration"] as const;
      const page = ["0x0000000000000000000000000000000000000001", 50n] as const;
      const list = encodeFunctionData({ abi: delayAbi, functionName: "getModulesPaginated", args: page });
      const getters = names.map((functionName) => encodeFunctionData({ abi: delayAbi, functionName }));
      const [modules = "0x", ...words] = await read([list, ...getters], delay);
      const [txNonce = 0, queueNonce = 0, cooldown = 0, expiration = 0] = words.map(Number);
      const [array] = decodeFunctionResult({ abi: delayAbi, functionName: "getModulesPaginated", data: modules });
      return { txNonce, queueNonce, cooldown, expiration, modules: [...array] };
    },
  };
}
