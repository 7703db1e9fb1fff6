/** New blocks of a local node, as the node announces them. */
import { createClient, webSocket } from "viem";
import { z } from "zod";

/** An announced header. A block without transactions uses no gas. */
const header = z.object({ gasUsed: z.string() });

/**
 * Calls `onTransactions` for each new block with transactions (`eth_subscribe` with `newHeads`). `stop` ends the subscription.
 *
 * The connection lasts as long as the node. viem's own reconnection would leave an error uncaught each time the node is away.
 */
export async function watchTransactions(rpcUrl: string, onTransactions: () => void): Promise<{ stop(): void }> {
  const url = rpcUrl.replace(/^http/, "ws");
  const { transport } = createClient({ transport: webSocket(url, { retryCount: 0, reconnect: false }) });
  const connection = await transport.getRpcClient();
  await transport.subscribe({
    params: ["newHeads"],
    onData: ({ result }: { result?: unknown }) => {
      const read = header.safeParse(result);
      if (!read.success || BigInt(read.data.gasUsed) > 0n) onTransactions();
    },
  });
  return { stop: () => connection.close() };
}
