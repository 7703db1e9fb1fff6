/** The real node of a simulated world. It mines when it is told to, with the world's time. */
import { getSeededState, codeFileOf } from "@cardkeep/local/seededState";
import { connectNode, startNode } from "@cardkeep/local/node";
import { findFreePort } from "@cardkeep/local/ports";
import { fileURLToPath } from "node:url";

const cacheDirectory = fileURLToPath(new URL("../../.cardkeep/cache", import.meta.url));
const chainId = 100;
/** No reorganisation is deeper. */
export const reorganisedMax = 3;

export interface WorldNode {
  readonly rpcUrl: string;
  readonly contractCode: string;
  /** Mines one block whose time is this second. */
  mine(seconds: number): Promise<void>;
  /**
   * Removes the newest blocks and mines others of the same times in their place. What these senders had in them is gone; the last new
   * block has what others had, as their transactions wait for a block again.
   */
  reorganise(blocks: number, senders: readonly string[]): Promise<void>;
  /** A stranger sends the calls that wait for a block to one of these contracts, before them; how many there were. */
  copyPending(contracts: readonly string[]): Promise<number>;
  /** An account sends a call that the next block runs before all that waits. */
  sendFirst(from: string, call: { to: string; data: string }): Promise<void>;
  /** Another program sends a transaction in the name of a key of the service. */
  sendForeign(sender: string): Promise<void>;
  /** The blocks so far are never removed. */
  keep(): void;
  stop(): Promise<void>;
}

/** For the gas of any transaction, and what it sends. */
const enough = `0x${(100n * 10n ** 18n).toString(16)}`;
/** An account that has nothing to do with the programme. */
export const stranger = `0x${"57".repeat(20)}`;
/** Above what the service pays, so that a block takes it first. */
const strangerFee = `0x${(200n * 10n ** 9n).toString(16)}`;

interface Pending {
  to: string | null;
  input: string;
}

interface Mined extends Pending {
  from: string;
  value: string;
}

/** @param fetchReally reaches the node past the scheduler */
export async function startWorldNode(fetchReally: typeof fetch): Promise<WorldNode> {
  const seeded = await getSeededState(cacheDirectory, chainId);
  const contractCode = await Bun.file(codeFileOf(seeded)).text();
  const port = await findFreePort();
  const node = await startNode({ port, chainId, blockTimeSeconds: null, stateArguments: ["--load-state", seeded] });
  const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer = await fetchReally(node.rpcUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  await connectNode(node.rpcUrl).setAutomine(false);
  const mined: { before: unknown; seconds: number }[] = [];
  const mine = async (seconds: number): Promise<void> => {
    mined.push({ before: await ask("evm_snapshot"), seconds });
    if (mined.length > reorganisedMax) mined.shift();
    await ask("evm_setNextBlockTimestamp", seconds);
    await ask("evm_mine");
  };
  /** The transactions of the newest blocks, in their order. */
  const listMined = async (blocks: number): Promise<Mined[]> => {
    const head = Number(await ask("eth_blockNumber"));
    const found: Mined[] = [];
    for (let number = head - blocks + 1; number <= head; number++) {
      const block = await ask("eth_getBlockByNumber", `0x${number.toString(16)}`, true);
      found.push(...(block as { transactions: Mined[] }).transactions);
    }
    return found;
  };
  const sendAs = async (from: string, call: { to: string; data: string; value?: string }): Promise<void> => {
    await ask("anvil_impersonateAccount", from);
    await ask("eth_sendTransaction", {
      from,
      ...call,
      gas: "0xf4240",
      maxFeePerGas: strangerFee,
      maxPriorityFeePerGas: strangerFee,
    });
    await ask("anvil_stopImpersonatingAccount", from);
  };
  return {
    copyPending: async (contracts) => {
      const { pending } = (await ask("txpool_content")) as { pending: Record<string, Record<string, Pending>> };
      const calls = Object.values(pending)
        .flatMap((each) => Object.values(each))
        .filter(({ to }) => to !== null && contracts.includes(to.toLowerCase()))
        .toSorted((a, b) => (a.input < b.input ? -1 : 1));
      if (calls.length > 0) await ask("anvil_setBalance", stranger, `0x${(10n ** 18n).toString(16)}`);
      for (const { to, input } of calls) await sendAs(stranger, { to: to ?? "", data: input });
      return calls.length;
    },
    sendFirst: async (from, call) => {
      await ask("anvil_setBalance", from, `0x${(10n ** 18n).toString(16)}`);
      await sendAs(from, call);
    },
    sendForeign: (sender) => sendAs(sender, { to: stranger, data: "0x" }),
    rpcUrl: node.rpcUrl,
    contractCode,
    mine,
    reorganise: async (blocks, senders) => {
      const removed = mined.splice(-blocks);
      const [oldest] = removed;
      if (!oldest) return;
      const others = (await listMined(removed.length)).filter(({ from }) => !senders.includes(from.toLowerCase()));
      await ask("evm_revert", oldest.before);
      for (const [index, { seconds }] of removed.entries()) {
        if (index === removed.length - 1)
          for (const { from, to, input, value } of others) {
            await ask("anvil_setBalance", from, enough);
            await sendAs(from, { to: to ?? "", data: input, value });
          }
        await mine(seconds);
      }
    },
    keep: () => void mined.splice(0),
    stop: node.stop,
  };
}
