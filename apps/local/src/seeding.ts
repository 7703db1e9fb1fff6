/** Puts the contracts onto a chain. */
import type { Step } from "./genesis.ts";
import { connectNode, type Node } from "./node.ts";

const seedGas = 12_000_000n;
const seedBalance = 10n ** 18n;

/**
 * Carries out one step.
 * @throws Error if a transaction reverts or creation code returns nothing
 */
export async function takeStep(node: Node, step: Step): Promise<void> {
  const client = connectNode(node.rpcUrl);
  const { address } = step;
  if (step.kind === "presigned") {
    await client.setBalance({ address: step.signer, value: seedBalance });
    await client.waitForTransactionReceipt({
      hash: await client.sendRawTransaction({ serializedTransaction: step.raw }),
    });
  } else if (step.kind === "send") {
    const [first] = await client.getAddresses();
    const account = step.from ?? first;
    if (!account) throw new Error("The node has no account of its own");
    const hash = await client.sendTransaction({ account, to: step.to, data: step.data, gas: seedGas, chain: null });
    const { status } = await client.waitForTransactionReceipt({ hash });
    if (status !== "success") throw new Error(`Seeding ${address} reverted`);
  } else if (step.kind === "place") {
    const { data } = await client.call({ data: step.creation });
    if (data === undefined) throw new Error(`The creation code for ${address} returned nothing`);
    await client.setCode({ address, bytecode: data });
  } else if (step.kind === "code") {
    await client.setCode({ address, bytecode: step.code });
  } else {
    await client.setStorageAt({ address, index: step.slot, value: step.value });
  }
}
