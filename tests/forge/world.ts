/** Makes the account that forge plays with: the program's own deployment on a real node, whose state becomes forge's first one. */
import { predictAccount } from "@cardkeep/chain/predictAccount";
import { deployments } from "@cardkeep/chain/deployments";
import { createLocalSigner } from "@cardkeep/chain/signer";
import { tokens } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { localAccounts } from "@cardkeep/local/accounts";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { encodeFunctionData, getAddress, parseAbi, parseEther, slice, zeroAddress } from "viem";
import { z } from "zod";
import { openChain, type TestChain } from "../chain/support.ts";
import { addressOf, config, keys, limitMax, listCast, policyOf, refusing } from "./cast.ts";
import { encodeVectors } from "./vectors.ts";

const chainId = 100;
const safeAbi = parseAbi([
  "function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)",
  "function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address proxy)",
]);

const dump = z.object({
  accounts: z.record(
    z.string(),
    z.object({
      nonce: z.number(),
      balance: z.string(),
      code: z.string(),
      storage: z.record(z.string(), z.string()),
    }),
  ),
});

/** A Safe with one key: an owner that signs by ERC-1271. */
async function createWallet(chain: TestChain): Promise<Address> {
  const args = [
    [addressOf("wallet")],
    1n,
    zeroAddress,
    "0x",
    deployments.fallbackHandler,
    zeroAddress,
    0n,
    zeroAddress,
  ] as const;
  const setup = encodeFunctionData({ abi: safeAbi, functionName: "setup", args });
  const creation = [deployments.safeMastercopy, setup, 1n] as const;
  const data = encodeFunctionData({ abi: safeAbi, functionName: "createProxyWithNonce", args: creation });
  const call = { to: deployments.safeProxyFactory, value: 0n, data };
  const { data: answer = "0x" } = await chain.node.call(call);
  await chain.send(call);
  return getAddress(slice(answer, 12));
}

/** Deploys an account with tokens, and writes `allocs.json`, its chain's state, and `world.json`, who is who and the vectors. */
export async function makeWorld(folder: string, seed: number): Promise<Record<string, number>> {
  const chain = await openChain();
  try {
    const operator = createLocalSigner(keys.operator);
    const addresses = predictAccount({ creator: operator.address, saltNonce: 1n });
    const wallet = await createWallet(chain);
    const cast = listCast(wallet);
    const owners = [cast.owners[0], wallet, refusing];
    await chain.deploy({ operator, chainId, saltNonce: 1n, owners, config });
    await chain.giveTokens(tokens.EURe.address, addresses.safe, 20_000n * 10n ** 18n);
    await chain.giveTokens(tokens.GBPe.address, addresses.safe, 20_000n * 10n ** 18n);
    await chain.node.setBalance({ address: addresses.safe, value: parseEther("10") });
    const { vectors, verdicts } = encodeVectors(policyOf(addresses, cast), cast, seed);
    const { timestamp } = await chain.reader.getBlock();
    const dumped = await chain.node.request<{ Method: "anvil_dumpState"; Parameters: []; ReturnType: Hex }>({
      method: "anvil_dumpState",
      params: [],
    });
    const state = dump.parse(JSON.parse(gunzipSync(Buffer.from(dumped.slice(2), "hex")).toString()));
    const allocs = Object.fromEntries(
      Object.entries(state.accounts).map(([address, { nonce, ...rest }]) => [
        address,
        { nonce: `0x${nonce.toString(16)}`, ...rest },
      ]),
    );
    await Bun.write(join(folder, "allocs.json"), JSON.stringify(allocs));
    const world = {
      ...addresses,
      eure: tokens.EURe.address,
      gbpe: tokens.GBPe.address,
      settlement: config.settlement,
      minter: localAccounts.minter.address,
      payee: cast.payee,
      hostile: cast.hostile,
      plain: cast.plain,
      wallet,
      refusing,
      walletKey: keys.wallet,
      spenderKey: keys.spender,
      operatorKey: keys.operator,
      strangerKey: keys.stranger,
      ownerKeys: keys.owners,
      limitMax: String(limitMax),
      dailyLimit: String(config.dailyLimit),
      periodSeconds: config.periodSeconds,
      allowanceStartsAt: config.allowanceStartsAt,
      cooldownSeconds: config.cooldownSeconds,
      expirationSeconds: config.expirationSeconds,
      timestamp,
      vectors,
    };
    await Bun.write(join(folder, "world.json"), JSON.stringify(world));
    return verdicts;
  } finally {
    await chain.stop();
  }
}

// A mutant's account is deployed by the mutant's copy of this file.
if (import.meta.main) {
  const [folder = "", seed = "1"] = process.argv.slice(2);
  await makeWorld(folder, Number(seed));
  process.exit(0);
}
