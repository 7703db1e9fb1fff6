/** Routes that move the chain's time and mint its money. */
import { tokenList, tokens } from "@cardkeep/chain/tokens";
import { address } from "@cardkeep/contract/core/primitives";
import type { Tx } from "@cardkeep/db/client";
import { advanceClock } from "@cardkeep/db/queries/core/clock";
import { recordMovedClock } from "@cardkeep/db/sandbox/clock";
import { encodeFunctionData, parseAbi } from "viem";
import { z } from "zod";
import { restoreClock } from "./core/restoreClock.ts";
import { connectNode, sendAsMinter } from "./core/minter.ts";
import { defineSandboxRoute, SandboxError } from "./core/route.ts";
import type { SandboxRuntime } from "./core/openStore.ts";

const tokenAbi = parseAbi(["function mint(address to, uint256 amount)"]);
const yearSeconds = 31_536_000;
const amountMax = 1n << 128n;
const faucetGas = 200_000n;

export const describeChain = defineSandboxRoute({
  method: "GET",
  path: "/chain",
  summary: "The current block of the chain",
  input: z.object({}),
  example: {},
  run: async ({ settings, chain, services }) => {
    const block = await chain.getBlock();
    return {
      chainId: settings.policy.chainId,
      rpcUrl: settings.rpcUrl,
      blockNumber: Number(block.number),
      timestamp: block.timestamp,
      tokens: Object.fromEntries(tokenList.map((token) => [token.symbol, token.address])),
      treasury: settings.policy.treasuryAddress,
      settlement: settings.policy.settlementAddress,
      relayers: services.policy.relayerAddresses,
    };
  },
});

export const advance = defineSandboxRoute({
  method: "POST",
  path: "/chain/advance",
  summary:
    "Advances the clock of the service, its partners and the chain together; browsers, wallets and access tokens do not move along",
  input: z.object({ seconds: z.int().min(1).max(yearSeconds, "must be at most one year, 31536000") }),
  example: { seconds: 181 },
  run: async (runtime, { seconds }) => {
    const { localChain } = runtime.settings;
    if (!localChain) throw new SandboxError(409, "The sandbox cannot move the time of an external chain");
    await restoreClock(runtime);
    const moved = await runtime.db.transaction((tx) => advanceTogether(runtime, tx, seconds));
    await recordMovedClock(runtime.store, moved.offsetSeconds);
    return { timestamp: moved.timestamp };
  },
});

/**
 * Advances clock, jobs and chain. Returns the chain's unix second, which never decreases, and the clock's offset.
 *
 * The chain moves before the commit, so that jobs which become due find the new block. The clock's row stays locked,
 * so that parallel advances reach the chain one after the other.
 */
async function advanceTogether(
  runtime: SandboxRuntime,
  tx: Tx,
  seconds: number,
): Promise<{ timestamp: number; offsetSeconds: number }> {
  const offsetSeconds = await advanceClock(tx, seconds);
  const serviceSeconds = BigInt(Math.floor(Date.now() / 1000) + offsetSeconds);
  const node = connectNode(runtime);
  const { timestamp: latest } = await node.getBlock();
  await node.setNextBlockTimestamp({ timestamp: serviceSeconds > latest ? serviceSeconds : latest + 1n });
  await node.mine({ blocks: 1 });
  return { timestamp: Number((await node.getBlock()).timestamp), offsetSeconds };
}

export const faucet = defineSandboxRoute({
  method: "POST",
  path: "/chain/faucet",
  summary: "Mints base units of a token to an address",
  input: z.object({
    address,
    token: z.enum(["native", "EURe", "GBPe", "USDCe"]),
    amount: z
      .string()
      .regex(/^[1-9][0-9]{0,38}$/, "must be a whole number of base units above zero")
      .transform(BigInt)
      .refine((amount) => amount < amountMax, "must be less than 2^128"),
  }),
  example: { token: "EURe", amount: "100000000000000000000" },
  run: async (runtime, { address: to, token, amount }) => {
    const call =
      token === "native"
        ? { to, value: amount }
        : {
            to: tokens[token].address,
            data: encodeFunctionData({ abi: tokenAbi, functionName: "mint", args: [to, amount] }),
          };
    return { transactionHash: await sendAsMinter(runtime, { ...call, gas: faucetGas }) };
  },
});
