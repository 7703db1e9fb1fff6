import { afterAll, beforeAll, expect, test } from "bun:test";
import { rolesAbi } from "@cardkeep/chain/abis";
import { accrueAllowance } from "@cardkeep/chain/allowance";
import { spendingAllowanceKey } from "@cardkeep/chain/deployments";
import { classifyEntry } from "@cardkeep/chain/entryPolicy";
import { CallReverted } from "@cardkeep/chain/errors";
import { createSpenderKey } from "@cardkeep/chain/relayer";
import { createLocalSigner } from "@cardkeep/chain/signer";
import { buildSignedSpend, buildSpend, buildSpendTypedData, nameTransfer } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import fc from "fast-check";
import { encodeFunctionData, type Hex, parseEther } from "viem";
import { chainId, openChain, prepareAccount, type TestChain } from "./support.ts";

const token = tokens.EURe.address;
const { addresses, deployment, spenderPrivateKey, settlement } = prepareAccount();
const spender = createSpenderKey(createLocalSigner(spenderPrivateKey));
const limitMax = 8_000n * 10n ** 18n;
const policy = { account: addresses, limitMax, periodSecondsMin: 86_400, allowedCalls: [] };

let chain: TestChain;
beforeAll(async () => {
  chain = await openChain();
  await chain.deploy(deployment);
  await chain.giveTokens(token, addresses.safe, 2n ** 200n);
  await chain.node.impersonateAccount({ address: addresses.bouncer });
  await chain.node.setBalance({ address: addresses.bouncer, value: parseEther("1000") });
  // A block between two questions would let an allowance grow.
  await chain.node.setIntervalMining({ interval: 0 });
  await chain.node.setAutomine(true);
});
afterAll(() => chain.stop());

/** Whether the real Roles module lets the spender move an amount now. */
async function canSpend(amount: bigint): Promise<boolean> {
  const spend = buildSpend({
    roles: addresses.roles,
    chainId,
    token,
    settlement,
    amount,
    salt: nameTransfer(`${amount}`),
  });
  const call = buildSignedSpend(spend, await spender.signSpend(buildSpendTypedData(spend, chainId)));
  try {
    await chain.reader.simulate({ from: chain.relayer.address, call });
    return true;
  } catch (error) {
    if (error instanceof CallReverted) return false;
    throw error;
  }
}

const near = (value: bigint, most: bigint) =>
  fc.bigInt({ min: -2n, max: 2n }).map((off) => {
    const moved = value + off;
    return moved < 0n ? 0n : moved > most ? most : moved;
  });
const [word64, word128] = [2n ** 64n - 1n, 2n ** 128n - 1n];
const year = 31_536_000n;
const amount = fc.oneof(
  ...[0n, 10n ** 18n, limitMax, 2n ** 62n, 2n ** 127n, word128].map((value) => near(value, word128)),
);
/** Seconds; an instant is counted from now by `isFromNow`, because an edge may lie between it and the block's clock. */
const seconds = fc.oneof(
  ...[0n, 86_400n, year, 2n ** 62n, 2n ** 63n, word64].map((value) => near(value, word64)),
  fc.bigInt({ min: 1n, max: 40n * year }),
);
const instant = fc.record({ value: seconds, from: fc.constantFrom("zero", "now", "before now", "before the end") });
const period = fc.record({ value: seconds, from: fc.constantFrom("zero", "now", "before the end") });

const day = { value: 86_400n, from: "zero" } as const;
const tenDaysAgo = { value: 864_000n, from: "before now" } as const;
const inTenDays = { value: 864_000n, from: "now" } as const;

const place = ({ value, from }: { value: bigint; from: string }, now: bigint): bigint => {
  const placed = { zero: value, now: now + value, "before now": now - value, "before the end": word64 - now - value };
  const found = placed[from as keyof typeof placed];
  return found < 0n ? 0n : found > word64 ? word64 : found;
};

test("any six arguments of setAllowance allow by our arithmetic what the Roles module allows, and a limit always can be spent", async () => {
  const kinds = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        { weight: 9, arbitrary: fc.constant(spendingAllowanceKey) },
        { weight: 1, arbitrary: fc.constant<Hex>(`0x${"11".repeat(32)}`) },
      ),
      amount,
      amount,
      amount,
      period,
      instant,
      async (key, balance, maxRefill, refill, drawnPeriod, drawnInstant) => {
        const now = BigInt((await chain.reader.getBlock()).timestamp);
        const args = [key, balance, maxRefill, refill, place(drawnPeriod, now), place(drawnInstant, now)] as const;
        const data = encodeFunctionData({ abi: rolesAbi, functionName: "setAllowance", args });
        const hash = await chain.node.request({
          method: "eth_sendTransaction",
          params: [{ from: addresses.bouncer, to: addresses.roles, data }],
        } as never);
        expect((await chain.waitForReceipt(hash as Hex)).status).toBe("success");
        const state = await chain.reader.getSpendingState({
          token,
          addresses,
          cooldownSeconds: 180,
          spender: spender.address,
          messageHashes: [],
        });
        if (!state.allowance) throw new Error("no Roles module");
        const allowed = accrueAllowance(state.allowance, state.timestamp);
        const runs = await canSpend(0n);
        if (allowed > 0n) expect(await canSpend(allowed)).toBe(true);
        expect(await canSpend(allowed + 1n)).toBe(false);
        const kind = classifyEntry({ to: addresses.bouncer, value: 0n, data }, "CALL", policy);
        if (key === spendingAllowanceKey && !runs) expect(kind).toBeNull();
        if (kind === "limit") expect(state.allowance.refill === 0n || state.allowance.maxRefill <= limitMax).toBe(true);
        kinds.add(`${kind} ${runs}`);
      },
    ),
    {
      numRuns: 120,
      // Seldom drawn: ten refills whose sum exceeds the contract's words, ten up to the largest, a balance above it, and ten that
      // are to come. They make each kind sure.
      examples: [
        [spendingAllowanceKey, 0n, word128, word128, day, tenDaysAgo],
        [spendingAllowanceKey, 0n, limitMax, limitMax, day, tenDaysAgo],
        [spendingAllowanceKey, limitMax + 1n, 1n, 1n, day, tenDaysAgo],
        [spendingAllowanceKey, 1n, limitMax, limitMax, day, inTenDays],
      ],
    },
  );
  expect([...kinds].toSorted()).toEqual(["limit true", "null false", "null true"]);
}, 60_000);
