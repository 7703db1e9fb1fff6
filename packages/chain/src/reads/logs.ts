/** Reads of logs. A range that is too much for the node shrinks, down to a block. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { AnswerLate, ChainUnavailable } from "../errors.ts";
import { type ChainLog, logBlocksMax } from "../log.ts";
import type { ChainReader } from "../port.ts";
import type { NodeError } from "../revert.ts";
import { parseAnswer, readList, readLog } from "./parseAnswer.ts";
import { AnswerTooLarge, encodeQuantity, type Rpc } from "./rpc.ts";

/** After an answer in time the next range is longer by this part. */
const growth = 8n;
/** Public nodes refuse more addresses in one request. */
const addressesMax = 500;

/** The node refused the range because of its length, or of the number of logs in it. */
class RangeRefused extends ChainUnavailable {}

/** Matches the texts of Geth, Erigon, Nethermind and of providers that limit blocks, results or bytes. */
const refusals = [
  /more than [\d,]+ (results|logs)|too many (logs|results|blocks)|(limited to|exceed\S*)( \S+){0,4} (range|blocks|results)/i,
  /(block|log|result|response|range)\S*( \S+){0,4} (too (large|big|wide|many)|limit|exceed)/i,
  /\b(up to|over|at most|greater than|max(imum)?)\b[^.]{0,40}\b(range|block)s?\b|\branges?\b[^.]{0,20}\b(over|greater than)\b/i,
];
const classifyRefusal = ({ message }: NodeError): Error | null =>
  refusals.some((pattern) => pattern.test(message)) ? new RangeRefused(`eth_getLogs: ${message.slice(0, 300)}`) : null;

/** Blocks, and what logs in them are to match. */
type LogFilter = Omit<Parameters<ChainReader["getLogs"]>[0], "addresses"> & { address?: readonly Address[] };

export function createLogReads(
  rpc: Rpc,
  { startBlock }: { startBlock: bigint },
): Pick<ChainReader, "getLogs" | "readAllLogs"> {
  const readRange = async ({ fromBlock, toBlock, toHash, ...filter }: LogFilter): Promise<ChainLog[]> => {
    const range = { fromBlock: encodeQuantity(fromBlock), toBlock: encodeQuantity(toBlock) };
    // A node that lacks the last block answers with the logs that it has, and who asked would believe that these are all.
    const last = { number: toBlock, ...(toHash !== undefined && { hash: toHash }) };
    const answer = await rpc.request("eth_getLogs", [{ topics: [], ...filter, ...range }], classifyRefusal, last);
    const logs = parseAnswer("eth_getLogs", () => readList(answer).map(readLog));
    return logs.sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex);
  };

  /** Whether a shorter range can help. A node that is late with everything gets no more questions. */
  const isTooMuch = async (error: unknown): Promise<boolean> => {
    if (error instanceof AnswerTooLarge || error instanceof RangeRefused) return true;
    if (!(error instanceof AnswerLate)) return false;
    await rpc.request("eth_blockNumber", []);
    return true;
  };

  /** Parts of a range. `readBlock` answers for a block that is too much by itself. */
  async function* readParts(
    { fromBlock, toBlock, toHash, ...filter }: LogFilter,
    readBlock: (block: bigint) => Promise<ChainLog[]> | null,
  ): AsyncGenerator<ChainLog[]> {
    let length = logBlocksMax;
    for (let first = fromBlock < startBlock ? startBlock : fromBlock; first <= toBlock;) {
      const last = first + length <= toBlock ? first + length - 1n : toBlock;
      try {
        const ofLast = last === toBlock && toHash !== undefined ? { toHash } : {};
        yield await readRange({ ...filter, fromBlock: first, toBlock: last, ...ofLast });
        first = last + 1n;
        length += (length + growth - 1n) / growth;
        if (length > logBlocksMax) length = logBlocksMax;
      } catch (error) {
        if (!(await isTooMuch(error))) throw error;
        const logs = first === last ? readBlock(first) : null;
        if (first === last && logs === null) throw error;
        if (logs !== null) {
          yield await logs;
          first = last + 1n;
        } else length = (last - first + 1n) / 2n;
      }
    }
  }

  return {
    getLogs: async ({ addresses, ...filter }) => {
      const logs: ChainLog[] = [];
      if (addresses.length === 0) return logs;
      for await (const part of readParts({ ...filter, address: addresses }, () => null)) {
        for (const log of part) logs.push(log);
      }
      return logs;
    },
    readAllLogs: ({ listAddresses, topics, ...blocks }) =>
      readParts({ topics, ...blocks }, async (block) => {
        const [logs, addresses]: [ChainLog[], readonly Address[]] = [[], await listAddresses()];
        for (let start = 0; start < addresses.length; start += addressesMax) {
          const address = addresses.slice(start, start + addressesMax);
          logs.push(...(await readRange({ topics, address, fromBlock: block, toBlock: block })));
        }
        return logs;
      }),
  };
}
