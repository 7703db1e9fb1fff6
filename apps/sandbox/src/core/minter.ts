/** The local node's account that mints tokens, sends native coins and registers ENS names. */
import { buildAnswerLimits } from "@cardkeep/chain/reads/answerLimits";
import { splitUrls } from "@cardkeep/chain/reads/rpc";
import { type Address, BaseError, createTestClient, type Hex, http, publicActions, walletActions } from "viem";
import { SandboxError } from "./route.ts";
import type { SandboxRuntime } from "./openStore.ts";

/** Account 9 of the node. */
const minterAddress: Address = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720";
/** How long the node may take for an answer. */
const answerMsMax = 5_000;
/** The local chain makes a block about every second. */
const minedMsMax = 10_000;

/** JSON-RPC over HTTP to the first of the nodes. */
export const openTransport = ({ rpcUrl }: SandboxRuntime["settings"]) =>
  http(splitUrls(rpcUrl ?? "")[0], { ...buildAnswerLimits({ timeoutMs: answerMsMax }), retryCount: 0 });

/** The local node, with its development methods. */
export const connectNode = ({ settings }: SandboxRuntime) =>
  createTestClient({
    mode: "anvil",
    transport: openTransport(settings),
    pollingInterval: 50,
  })
    .extend(publicActions)
    .extend(walletActions);

let lastSend: Promise<unknown> = Promise.resolve();

/** Runs the sends one after the other. The node gives parallel sends the same nonce, and one would be lost. */
function sendInTurn<T>(send: () => Promise<T>): Promise<T> {
  const sent = lastSend.then(send);
  lastSend = sent.catch(() => null);
  return sent;
}

/** The node's own reason, such as an insufficient balance. */
function refuse(error: unknown): never {
  throw error instanceof BaseError
    ? new SandboxError(422, `The node rejected the transaction: ${error.shortMessage}`)
    : error;
}

/**
 * Sends a call as any account and waits for its block. Afterwards it restores the account's native balance.
 * @throws SandboxError 422 when the node rejects it or it reverts
 */
export async function sendAs(
  runtime: SandboxRuntime,
  account: Address,
  call: { to: Address; data: Hex; gas: bigint },
): Promise<Hex> {
  const node = connectNode(runtime);
  const gasPrice = (await node.getGasPrice()) * 2n;
  const fee = gasPrice * call.gas;
  const change = async (by: bigint) =>
    node.setBalance({ address: account, value: (await node.getBalance({ address: account })) + by });
  await node.impersonateAccount({ address: account });
  await change(fee);
  let spent = 0n;
  try {
    const transaction = { account, chain: null, gasPrice, ...call };
    const hash = await sendInTurn(() => node.sendTransaction(transaction).catch(refuse));
    const receipt = await node.waitForTransactionReceipt({ hash, timeout: minedMsMax });
    spent = receipt.gasUsed * receipt.effectiveGasPrice;
    if (receipt.status !== "success") throw new SandboxError(422, "The transaction reverted");
    return hash;
  } finally {
    await change(spent - fee);
    await node.stopImpersonatingAccount({ address: account });
  }
}

/**
 * Sends a call as the minter and waits for its block.
 * @throws SandboxError 422 when the node rejects it or it reverts
 */
export async function sendAsMinter(
  runtime: SandboxRuntime,
  call: { to: Address; data?: Hex; value?: bigint; gas: bigint },
): Promise<Hex> {
  const node = connectNode(runtime);
  const transaction = { account: minterAddress, chain: null, ...call };
  const hash = await sendInTurn(() => node.sendTransaction(transaction).catch(refuse));
  const receipt = await node.waitForTransactionReceipt({ hash, timeout: minedMsMax });
  if (receipt.status !== "success") throw new SandboxError(422, "The transaction reverted");
  return hash;
}
