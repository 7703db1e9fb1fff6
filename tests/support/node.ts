/** Acts of strangers, owners and the node itself on a test's chain, without the service. */
import { buildAnswerLimits } from "@cardkeep/chain/reads/answerLimits";
import { buildSafeExecution, buildSafeTypedData } from "@cardkeep/chain/safeTransaction";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { localAccounts } from "@cardkeep/local/accounts";
import {
  createTestClient,
  http,
  type PrivateKeyAccount,
  parseAbi,
  publicActions,
  type TransactionReceipt,
  walletActions,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";

const safeAbi = parseAbi(["function nonce() view returns (uint256)"]);

interface SentCall {
  to: Address;
  data: Hex;
  value?: bigint;
  /** Estimated where absent. */
  gas?: bigint;
}

/** The node makes a block each second. */
const minedMsMax = 60_000;
/** How long the node may take for an answer. */
const answerMsMax = 10_000;
/** How long one question for a receipt may take. */
const lookMsMax = 2_000;
const lookEveryMs = 20;

let turn: Promise<unknown> = Promise.resolve();

/** The node at `rpcUrl`, with a stranger who can pay. */
export function openNode(rpcUrl: string) {
  const client = createTestClient({
    mode: "anvil",
    transport: http(rpcUrl, { ...buildAnswerLimits({ timeoutMs: answerMsMax }), retryCount: 0 }),
    pollingInterval: 20,
  })
    .extend(publicActions)
    .extend(walletActions);
  const stranger = privateKeyToAccount(localAccounts.spare.privateKey);

  /** The receipt of a transaction; null before it has one, and where the node does not answer in time. */
  const findReceipt = (hash: Hex) =>
    Promise.race([client.getTransactionReceipt({ hash }).catch(() => null), Bun.sleep(lookMsMax).then(() => null)]);

  /** What the node says of a transaction that it does not mine: without it a test would end by its own limit, and say nothing. */
  const explain = async (hash: Hex): Promise<never> => {
    const [{ number, baseFeePerGas }, { pending, queued }] = await Promise.all([
      client.getBlock(),
      client.getTxpoolStatus(),
    ]);
    const { nonce, maxFeePerGas } = await client.getTransaction({ hash });
    const text = `${hash} (nonce ${nonce}, fee ${maxFeePerGas}) is not mined at block ${number}, base fee ${baseFeePerGas}`;
    throw new Error(`${text}: ${pending} pending, ${queued} queued`);
  };

  /** The receipt, of a reverted transaction too. viem's own wait ended more than once without that of a mined one. */
  const waitForReceipt = async (hash: Hex): Promise<TransactionReceipt> => {
    const deadline = Date.now() + minedMsMax;
    for (;;) {
      const receipt = await findReceipt(hash);
      if (receipt) return receipt;
      if (Date.now() > deadline) return explain(hash);
      await Bun.sleep(lookEveryMs);
    }
  };

  const mine = async (hash: Hex): Promise<Hex> => {
    const { status } = await waitForReceipt(hash);
    if (status !== "success") throw new Error(`${hash} reverted`);
    return hash;
  };

  /** Sends a transaction of the stranger, one after the other: two in parallel would use the same nonce. */
  const sendInTurn = (transaction: Partial<SentCall>): Promise<Hex> => {
    const sent = turn.then(() => client.sendTransaction({ account: stranger, chain: null, ...transaction }));
    turn = sent.catch(() => undefined);
    return sent;
  };

  /** Sends a call as the stranger; throws if it reverts. */
  const send = async (call: SentCall): Promise<Hex> => mine(await sendInTurn(call));

  return {
    client,
    send,
    waitForReceipt,

    /** Sends a call from any address, without its key. */
    sendAs: async (from: Address, call: SentCall): Promise<Hex> => {
      await client.impersonateAccount({ address: from });
      await client.setBalance({ address: from, value: 10n ** 18n });
      return mine(await client.sendTransaction({ account: from, chain: null, ...call }));
    },

    /** Deploys a contract and returns its address. */
    deploy: async (creation: Hex): Promise<Address> => {
      const hash = await sendInTurn({ data: creation });
      const { contractAddress } = await waitForReceipt(hash);
      if (!contractAddress) throw new Error("Nothing was deployed");
      return contractAddress;
    },

    /** Runs a transaction of a Safe whose only owner is `owner`. */
    execute: async (
      owner: PrivateKeyAccount,
      safe: Address,
      call: { to: Address; data: Hex; operation?: "CALL" | "DELEGATECALL" },
    ): Promise<Hex> => {
      const nonce = Number(await client.readContract({ address: safe, abi: safeAbi, functionName: "nonce" }));
      const typed = buildSafeTypedData({ safe, chainId: 100, nonce, operation: "CALL", ...call });
      return send(buildSafeExecution(typed, await owner.signTypedData(typed)));
    },
  };
}
