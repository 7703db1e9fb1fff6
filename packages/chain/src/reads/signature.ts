/**
 * Signatures of accounts that may be contracts. The caller chooses the contract, so none of its behaviour is trusted.
 */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import {
  encodeDeployData,
  encodeFunctionData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  hashMessage,
  isErc6492Signature,
} from "viem";
import { erc1271Abi } from "../abis.ts";
import { AnswerLate, CallReverted } from "../errors.ts";
import type { ChainReader } from "../port.ts";
import { findRevert } from "../revert.ts";
import { recoverSigner } from "../signatures.ts";
import type { Nodes } from "./nodes.ts";
import { AnswerTooLarge, createRpc, encodeQuantity, type ReportRpc } from "./rpc.ts";
import { parseAnswer, readHex } from "./parseAnswer.ts";

/** `isValidSignature`'s selector, padded to the word that an ERC-1271 wallet returns. */
const validAnswer = `0x1626ba7e${"00".repeat(28)}`;

/** Together at most 5 s: for the wallet, then for a check whether the node itself is slow. */
const walletTimeoutMsMax = 4_000;
const probeTimeoutMsMax = 1_000;

/** Far more gas than a signature check needs, with passkeys and a wallet's deployment. */
const walletGas = "0x989680";

/** What an enqueue leaves to its signer of the gas that is paid for. */
const trialGas = 1_500_000n;
const trialHash = hashMessage("A trial of this account's signature. It allows nothing.");

/** Texts of nodes for a call that burned its gas: it ran out, or the EVM stopped it. A revert returns the rest. */
const burnWords =
  /out ?of ?gas|oog|gas uint64 overflow|opcode|invalid ?jump|stack ?(under|over)flow|bad ?(instruction|jump)/i;

/** A true answer has 32 bytes. */
const bodyBytesMax = 16 * 1024;

export function createSignatureReads(input: {
  rpcUrl: string;
  timeoutMs: number;
  report?: ReportRpc;
  nodes?: Nodes | undefined;
}): Pick<ChainReader, "verifyMessage" | "verifyHash" | "answersSignatures"> {
  const shared = { rpcUrl: input.rpcUrl, report: input.report, nodes: input.nodes, bodyBytesMax, isHostile: true };
  const { timeoutMs } = input;
  const wallet = createRpc({ ...shared, timeoutMs: Math.min(timeoutMs, walletTimeoutMsMax) });
  const probe = createRpc({ ...shared, timeoutMs: Math.min(timeoutMs, probeTimeoutMsMax) });

  /** A wallet's answer; null if it rejects or does not answer in time. */
  const callWallet = async (call: { to?: Address; data: Hex }): Promise<Hex | null> => {
    try {
      const params = [{ ...call, gas: walletGas }, "latest"];
      const answer = await wallet.request("eth_call", params, (fault) => findRevert(fault, 0n));
      return parseAnswer("eth_call", () => readHex(answer));
    } catch (error) {
      if (error instanceof CallReverted || error instanceof AnswerTooLarge) return null;
      if (!(error instanceof AnswerLate)) throw error;
      await probe.request("eth_chainId", []);
      return null;
    }
  };

  const verifyHash: ChainReader["verifyHash"] = async ({ address, hash, signature }) => {
    const args = [hash, signature] as const;
    const data = encodeFunctionData({ abi: erc1271Abi, functionName: "isValidSignature", args });
    return (await callWallet({ to: address, data })) === validAnswer;
  };

  /** Whether a wallet answers a made-up signature in time and within its gas; a sender without the money says nothing. */
  const tryWallet = async (address: Address, priced: object): Promise<boolean> => {
    const args = [trialHash, `0x${"00".repeat(65)}`] as const;
    const data = encodeFunctionData({ abi: erc1271Abi, functionName: "isValidSignature", args });
    try {
      // As if it moved value: then a sender without money for the gas is a verdict, which says nothing of the wallet.
      const params = [{ to: address, data, gas: encodeQuantity(trialGas), ...priced }, "latest"];
      await wallet.request("eth_call", params, (fault) => findRevert(fault, 1n));
      return true;
    } catch (error) {
      if (error instanceof CallReverted) return !burnWords.test(error.reason);
      if (error instanceof AnswerTooLarge) return false;
      if (!(error instanceof AnswerLate)) throw error;
      await probe.request("eth_chainId", []);
      return false;
    }
  };

  return {
    verifyHash,
    answersSignatures: async ({ address, from, fees }) => {
      const code = await probe.request("eth_getCode", [address, "latest"]);
      if (parseAnswer("eth_getCode", () => readHex(code)) === "0x") return true;
      const priced = from !== null && {
        from,
        maxFeePerGas: encodeQuantity(fees.maxFeePerGas),
        maxPriorityFeePerGas: encodeQuantity(fees.maxPriorityFeePerGas),
      };
      return (await tryWallet(address, {})) && (!priced || (await tryWallet(address, priced)));
    },
    verifyMessage: async ({ address, message, signature }) => {
      const hash = hashMessage(message);
      if ((await recoverSigner(hash, signature)) === address) return true;
      // The validator below would accept an invalid signature for the zero address.
      if (!isErc6492Signature(signature)) return verifyHash({ address, hash, signature });
      const data = encodeDeployData({
        abi: erc6492SignatureValidatorAbi,
        bytecode: erc6492SignatureValidatorByteCode,
        args: [address, hash, signature],
      });
      return (await callWallet({ data })) === "0x01";
    },
  };
}
