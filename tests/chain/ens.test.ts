import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createEnsReader, ensDeployments, type EnsReader, normalizeEnsName } from "@cardkeep/chain/ens";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { localAccounts } from "@cardkeep/local/accounts";
import type { Chain } from "@cardkeep/local/chain";
import { EnsPlugin, JsonRpcProvider, Network } from "ethers";
import { createPublicClient, encodeFunctionData, getAddress, http, parseAbi } from "viem";
import { mainnet } from "viem/chains";
import { labelhash, namehash } from "viem/ens";
import { startTestChain } from "../support/chain.ts";
import { openEns, type TestEns } from "../support/ens.ts";
import { openNode } from "../support/node.ts";
import { findFreePorts } from "../support/ports.ts";

const ada = "0x00000000000000000000000000000000000A11cE";

const registryAbi = parseAbi([
  "function owner(bytes32 node) view returns (address)",
  "function setSubnodeOwner(bytes32 node, bytes32 label, address owner) returns (bytes32)",
]);

let chain: Chain;
let ens: TestEns;
let reader: EnsReader;
beforeAll(async () => {
  chain = await startTestChain();
  ens = openEns(chain.rpcUrl);
  reader = createEnsReader({ rpcUrl: chain.rpcUrl, timeoutMs: 5_000 });
});
afterAll(() => chain.stop());

describe("a name", () => {
  test("stands for the address its resolver returns, as viem reads it from the same contract", async () => {
    for (const name of ["ada.eth", "cards.of.ada.eth", "ädä.eth", "🐢.eth"]) {
      await ens.set(name, ada);
      expect(await reader.findAddress(name)).toBe(ada);
      const client = createPublicClient({ transport: http(chain.rpcUrl) });
      expect(await client.getEnsAddress({ name, universalResolverAddress: ensDeployments.universalResolver })).toBe(
        ada,
      );
    }
    expect(ensDeployments.universalResolver.toLowerCase()).toBe(mainnet.contracts.ensUniversalResolver.address);
  });

  test("without a resolver, an address, or an answer that is one stands for nothing", async () => {
    await ens.set("nobody.eth", "0x0000000000000000000000000000000000000000");
    await ens.setOdd("odd.eth");
    for (const name of ["unknown.eth", "nobody.eth", "odd.eth", "eth"]) {
      expect(await reader.findAddress(name)).toBeNull();
    }
  });

  test("is written as ENS hashes it, or is none", () => {
    expect(normalizeEnsName("ADA.eth")).toBe("ada.eth");
    expect(normalizeEnsName("ädä.eth")).toBe("ädä.eth");
    for (const text of ["", ".", "ada..eth", "ada eth", "a_da.eth", "аda.eth", "\u0000.eth"]) {
      expect(normalizeEnsName(text)).toBeNull();
    }
  });
});

describe("an address", () => {
  const client = () => createPublicClient({ transport: http(chain.rpcUrl), chain: mainnet });
  const bob = "0x0000000000000000000000000000000000000B0b";

  test("has its newest name as primary name, as stock clients of viem and ethers read it", async () => {
    await ens.set("bob.eth", bob);
    await ens.set("robert.eth", bob);
    expect(await client().getEnsName({ address: bob })).toBe("robert.eth");
    expect(await client().getEnsAddress({ name: "bob.eth" })).toBe(bob);
    const network = new Network("local", 1n).attachPlugin(new EnsPlugin(ensDeployments.registry, 1));
    const provider = new JsonRpcProvider(chain.rpcUrl, network, { staticNetwork: network });
    try {
      expect(await provider.resolveName("robert.eth")).toBe(bob);
      expect(await provider.lookupAddress(bob)).toBe("robert.eth");
    } finally {
      provider.destroy();
    }
  });

  test("has none while the name stands for another address", async () => {
    const carol = getAddress("0x00000000000000000000000000000000000ca401");
    await ens.set("carol.eth", carol);
    await ens.set("carol.eth", ada);
    expect(await client().getEnsName({ address: carol })).toBeNull();
    expect(await client().getEnsName({ address: ada })).toBe("carol.eth");
  });
});

describe("an owner of a name", () => {
  test("decides about it and its parts, and keeps it when a part of it is registered", async () => {
    const owner = localAccounts.spare.address;
    const { send, sendAs, client } = openNode(chain.rpcUrl);
    await ens.set("owned.eth", ada, owner);
    await ens.set("part.owned.eth", ada);
    const [to, abi] = [ensDeployments.registry, registryAbi];
    const ownerOf = (name: string) =>
      client.readContract({ address: to, abi, functionName: "owner", args: [namehash(name)] });
    expect(await ownerOf("owned.eth")).toBe(owner);
    expect(await ownerOf("part.owned.eth")).toBe(getAddress(ada));
    const args = [namehash("owned.eth"), labelhash("part"), owner] as const;
    const data = encodeFunctionData({ abi, functionName: "setSubnodeOwner", args });
    await expect(sendAs(ada, { to, data })).rejects.toThrow();
    await send({ to, data });
    expect(await ownerOf("part.owned.eth")).toBe(owner);
  });
});

describe("a name that is answered by a gateway", () => {
  test("resolves to nothing, and the gateway gets no request", async () => {
    let requests = 0;
    const gateway = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => {
        requests++;
        return Response.json({ data: `0x${"00".repeat(12)}${ada.slice(2)}` });
      },
    });
    try {
      const name = "offchain.eth";
      await ens.setOffchain(name, `http://127.0.0.1:${gateway.port}/{sender}/{data}`);
      // The trap works: a client that follows gateways reaches it.
      const follower = createPublicClient({ transport: http(chain.rpcUrl) });
      await follower
        .getEnsAddress({ name, universalResolverAddress: ensDeployments.universalResolver })
        .catch(() => null);
      expect(requests).toBeGreaterThan(0);

      requests = 0;
      expect(await reader.findAddress(name)).toBeNull();
      expect(requests).toBe(0);
    } finally {
      await gateway.stop(true);
    }
  });
});

test("a node that does not answer is not a name that does not exist", async () => {
  const [port] = await findFreePorts(1);
  const away = createEnsReader({ rpcUrl: `http://127.0.0.1:${port}`, timeoutMs: 500 });
  await expect(away.findAddress("ada.eth")).rejects.toBeInstanceOf(ChainUnavailable);
  const withoutEns = await startTestChain();
  try {
    await openNode(withoutEns.rpcUrl).client.setCode({ address: ensDeployments.universalResolver, bytecode: "0x" });
    const empty = createEnsReader({ rpcUrl: withoutEns.rpcUrl, timeoutMs: 5_000 });
    await expect(empty.findAddress("ada.eth")).rejects.toBeInstanceOf(ChainUnavailable);
  } finally {
    await withoutEns.stop();
  }
});
