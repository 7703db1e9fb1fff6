/** Reads of a sender's nonces. */
import { isAddressEqual } from "viem";
import { ChainUnavailable } from "../errors.ts";
import type { ChainReader } from "../port.ts";
import { encodeQuantity, type Rpc } from "./rpc.ts";
import { parseAnswer, readNumber, readTransactions } from "./parseAnswer.ts";

const countMethod = "eth_getTransactionCount";

export function createNonceReads(
  rpc: Rpc,
): Pick<ChainReader, "getTransactionCount" | "getTransactionCountOn" | "findTransactionAt"> {
  return {
    getTransactionCount: async (address, blockTag) => {
      const answer = await rpc.request(countMethod, [address, blockTag]);
      return parseAnswer(countMethod, () => readNumber(answer));
    },
    getTransactionCountOn: async ({ blockNumber: number, blockHash: hash }, address) => {
      const answer = await rpc.request(countMethod, [address, "latest"], undefined, { number, hash });
      return parseAnswer(countMethod, () => readNumber(answer));
    },
    findTransactionAt: async ({ sender, nonce, after, upTo }) => {
      for (let number = upTo; number > after; number--) {
        const answer = await rpc.request("eth_getBlockByNumber", [encodeQuantity(number), true]);
        if (answer === null) throw new ChainUnavailable(`The node does not know block ${number}`);
        const block = parseAnswer("eth_getBlockByNumber", () => readTransactions(answer));
        const ofSender = block.transactions.filter(({ from }) => isAddressEqual(from, sender));
        const found = ofSender.find((transaction) => transaction.nonce === nonce);
        if (found) return { hash: found.hash, blockNumber: block.number, blockHash: block.hash };
      }
      return null;
    },
  };
}
