/**
 * `relay.remote`: the relay with signers that take 30 ms for each signature, over the relay with keys in the worker.
 *
 * The same operations as in `relay.enqueue`. One lane's key is at a web3signer, the other's in a KMS, both played by the sandbox.
 */
import { openNode } from "../support/node.ts";
import { awsCredentials, buildSignerEnv } from "../support/signers.ts";
import { type Benchmark, type Measure, median, type Run } from "./measure.ts";
import { acceptOperations, mineByClock, people, relayAll, relayWith, restore } from "./relay.ts";
import { startWorld } from "./world.ts";

const signatureMs = 30;
const target = 0.9;

export const remoteRelay: Benchmark = {
  names: ["relay.remote"],
  measure: measureRemote,
};

async function measureRemote(run: Run): Promise<Measure[]> {
  run.printProgress(`${people} account holders`);
  const world = await startWorld({ people });
  const { service, holder } = world;
  const node = openNode(service.rpcUrl);
  run.printProgress("accepted operations");
  await acceptOperations(world);
  await holder.person.sandbox("PUT", "/faults/signer.slow", { ms: signatureMs });
  await mineByClock(node);
  const signers = { ...buildSignerEnv(service.sandboxUrl), ...awsCredentials };
  const ways = { local: () => relayAll(world, world.relayerKeys), remote: () => relayWith(world, signers) };
  const rates: Record<keyof typeof ways, number[]> = { local: [], remote: [] };
  for (let round = 1; round <= run.options.rounds; round++) {
    for (const name of ["local", "remote"] as const) {
      run.printProgress(`relay.remote: ${name}, round ${round} of ${run.options.rounds}`);
      const id = await node.client.snapshot();
      rates[name].push(await ways[name]());
      await node.client.revert({ id });
      await restore(world);
    }
  }
  const ratios = rates.remote.map((rate, round) => rate / (rates.local[round] ?? Number.NaN));
  run.note(`relay.remote: each signature takes ${signatureMs} ms and the request`);
  return [
    {
      name: "relay.remote",
      ratio: median(ratios),
      value: median(rates.remote),
      unit: "op/s",
      baseline: median(rates.local),
      spread: [Math.min(...ratios), Math.max(...ratios)],
      target: `ratio >= ${target}`,
      met: median(ratios) >= target,
    },
  ];
}
