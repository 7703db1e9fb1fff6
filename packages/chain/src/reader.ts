/** The read port of the chain over the JSON-RPC of one node, or of several. */
import { createAccountReads } from "./reads/account.ts";
import { createLogReads } from "./reads/logs.ts";
import { createNodeReads } from "./reads/node.ts";
import { createNonceReads } from "./reads/nonce.ts";
import { createNodes } from "./reads/nodes.ts";
import { createRpc, type ReportRpc, splitUrls } from "./reads/rpc.ts";
import { createSignatureReads } from "./reads/signature.ts";
import { createSnapshotReads } from "./reads/snapshot.ts";
import type { ChainReader } from "./port.ts";

/**
 * A reader over one node, or over the best one of several.
 *
 * It has no retries, cache or batching: the caller decides what to do after ChainUnavailable.
 * @param input.chainId the chain that the node should be on; a process compares it with `getChainId` when it starts
 * @param input.timeoutMs longest wait for one answer, with its body
 * @param input.bodyBytesMax longest accepted answer; by default enough for the logs of a full block
 * @param input.report is called with the result of each call
 * @param input.startBlock where the service's history begins; earlier logs are never read
 */
export function createChainReader(input: {
  rpcUrl: string;
  chainId: number;
  timeoutMs: number;
  startBlock?: bigint;
  bodyBytesMax?: number;
  report?: ReportRpc;
}): ChainReader {
  const urls = splitUrls(input.rpcUrl);
  const { chainId, timeoutMs } = input;
  const nodes = urls.length > 1 ? createNodes({ urls, chainId, timeoutMs }) : undefined;
  const rpc = createRpc({ ...input, nodes });
  return {
    ...createNodeReads(rpc),
    ...createLogReads(rpc, { startBlock: input.startBlock ?? 0n }),
    ...createNonceReads(rpc),
    ...createAccountReads(rpc),
    ...createSnapshotReads(rpc),
    ...createSignatureReads({ ...input, nodes }),
  };
}
