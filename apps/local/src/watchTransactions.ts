/** New blocks of a local node, as the node announces them. */
import { createClient, webSocket } from "viem";
import { z } from "zod";

/** An announced header. A block without transactions uses no gas. */
const header = z.object({ gasUsed: z.string() });

/**
 * Calls `onTransactions` for each new block with transactions (`eth_subscribe` with `newHeads`). `stop` ends the subscription.
 *
 * A lost connection is opened again; blocks in between are not announced.
 */
export async function watchTransactions(
  rpcUrl: string,
  onTransactions: () => void,
): Promise<{ stop(): Promise<void> }> {
  const { transport } = createClient({ transport: webSocket(rpcUrl.replace(/^http/, "ws"), { retryCount: 0 }) });
  await transport.subscribe({
    params: ["newHeads"],
    onData: ({ result }: { result?: unknown }) => {
      const read = header.safeParse(result);
      if (!read.success || BigInt(read.data.gasUsed) > 0n) onTransactions();
    },
  });
  return { stop: async () => (await transport.getRpcClient()).close() };
}
