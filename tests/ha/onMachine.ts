/** HAProxy, a server and a worker on the machine of a node. */
import { findFreePorts } from "../support/ports.ts";
import { mainOf } from "../support/bundles.ts";
import { spawnProcess } from "../support/process.ts";
import type { Cluster } from "./cluster.ts";
import type { Product } from "./product.ts";
import { buildForwardFile, type NodePlace } from "./topology.ts";

/**
 * Starts them with the settings of the others: HAProxies give them the nodes, chain and partners at the same addresses.
 * The way to chain and partners leads through the outside, so a split does not cut it.
 */
export async function startOnMachine(
  { cluster, product, node }: { cluster: Cluster; product: Product; node: NodePlace },
  outside: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { machine } = node;
  const ports = [new URL(product.env["RPC_URL"] ?? "").port, product.env["SANDBOX_PORT"]];
  const forward = (from: string, to: string) =>
    buildForwardFile(ports.map((port) => ({ from: `${from}:${port}`, to: `${to}:${port}` })));
  const proxies = [
    cluster.startProxy("haproxy-partners", forward(outside, "127.0.0.1")),
    cluster.startProxy("haproxy-machine", cluster.haproxyFile, machine),
    cluster.startProxy("haproxy-machine-partners", forward("127.0.0.1", outside), machine),
  ];
  const [port = 0] = await findFreePorts(1);
  const spawn = (app: string) =>
    spawnProcess([...machine.enter(), process.execPath, mainOf(app)], {
      ...product.env,
      PORT: String(port),
      LOG_LEVEL: "info",
    });
  const [server, worker] = [spawn("server"), spawn("worker")];
  await Promise.all([server.ready("listening"), worker.ready("taking jobs")]);
  return {
    url: `http://${machine.outside}:${port}`,
    stop: async () => {
      for (const one of [server, worker]) {
        one.kill("SIGTERM");
        await one.exited;
      }
      for (const proxy of proxies) await proxy.stop("SIGTERM", "SIGKILL", 5_000);
    },
  };
}
