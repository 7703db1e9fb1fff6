import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createEnsReader, type EnsReader, normalizeEnsName, universalResolver } from "@cardkeep/chain/ens";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { Chain } from "@cardkeep/local/chain";
import { createPublicClient, http } from "viem";
import { mainnet } from "viem/chains";
import { startTestChain } from "../support/chain.ts";
import { startEns, type TestEns } from "../support/ens.ts";
import { findFreePorts } from "../support/ports.ts";

const ada = "0x00000000000000000000000000000000000A11cE";

let chain: Chain;
let ens: TestEns;
let reader: EnsReader;
beforeAll(async () => {
  chain = await startTestChain();
  ens = await startEns(chain.rpcUrl);
  reader = createEnsReader({ rpcUrl: chain.rpcUrl, timeoutMs: 5_000 });
});
afterAll(() => chain.stop());

describe("a name", () => {
  test("stands for the address its resolver gives, as viem reads it from the same contract", async () => {
    for (const name of ["ada.eth", "cards.of.ada.eth", "ädä.eth", "🐢.eth"]) {
      await ens.set(name, ada);
      expect(await reader.findAddress(name)).toBe(ada);
      const client = createPublicClient({ transport: http(chain.rpcUrl) });
      expect(await client.getEnsAddress({ name, universalResolverAddress: universalResolver })).toBe(ada);
    }
    expect(universalResolver.toLowerCase()).toBe(mainnet.contracts.ensUniversalResolver.address);
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

describe("a name that is answered by a gateway", () => {
  test("stands for nothing, and nobody asks the gateway", async () => {
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
      // The trap works: a client that follows gateways walks into it.
      const follower = createPublicClient({ transport: http(chain.rpcUrl) });
      await follower.getEnsAddress({ name, universalResolverAddress: universalResolver }).catch(() => null);
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
    const empty = createEnsReader({ rpcUrl: withoutEns.rpcUrl, timeoutMs: 5_000 });
    await expect(empty.findAddress("ada.eth")).rejects.toBeInstanceOf(ChainUnavailable);
  } finally {
    await withoutEns.stop();
  }
});
