/** What an operator does with the money of the settlement account in a simulated world: some of what is to be returned is not there. */
import { buildTransfer, tokens } from "@cardkeep/chain/tokens";
import type { Address } from "@cardkeep/contract/core/primitives";
import { openNode } from "../support/node.ts";
import type { Person } from "../support/person.ts";
import { cent, give } from "../support/spending.ts";
import { waitAlone } from "./native.ts";
import type { Stream } from "./seededRandom.ts";
import { sleepVirtually } from "./virtualTime.ts";
import type { World } from "./world.ts";

const token = tokens.EURe.address;
const elsewhere = `0x${"be".repeat(20)}` as const;

/** An operator brings the money to the bank, and back after a while. @param giver who gives it back */
export async function emptyTill(world: World, giver: Person, random: Stream): Promise<string> {
  const { settlementAddress: till } = world.runtime.settings.policy;
  const amount = await world.runtime.chain.getTokenBalance(token, till);
  const call = buildTransfer({ token, to: elsewhere, amount });
  try {
    await world.keep(() => openNode(world.rpcUrl).sendAs(till, call));
  } catch {
    return "finds less in the till";
  }
  await sleepVirtually(1_000 * (1 + random.below(60)));
  await world.keep(() => give(giver, till, amount));
  return `empties the till of ${amount / cent} cents for a while`;
}

const looksMax = 40;
const lookAgainMs = 500;
const blocksMs = 3_000;

/** The same just before a return that waits for its block, which then finds nothing. @param number makes the bank's account its own */
export async function takeReturned(world: World, giver: Person, number: number): Promise<string> {
  const { chain, settings } = world.runtime;
  const { settlementAddress: till } = settings.policy;
  for (let looks = 0; !(await isReturnSigned(world)); looks++) {
    if (looks === looksMax) return "waits for a return";
    await sleepVirtually(lookAgainMs);
  }
  return world.keep(async () => {
    const bank: Address = `0x${number.toString(16).padStart(4, "0").padStart(40, "ba")}`;
    const before = await chain.getTokenBalance(token, bank);
    const call = buildTransfer({ token, to: bank, amount: await chain.getTokenBalance(token, till) });
    await world.sendFirst(till, call);
    await sleepVirtually(blocksMs);
    const taken = (await chain.getTokenBalance(token, bank)) - before;
    if (taken > 0n) await give(giver, till, taken);
    return `takes ${taken / cent} cents out of the till before a return`;
  });
}

const isReturnSigned = ({ database: { ask } }: World): Promise<boolean> =>
  waitAlone(
    () => ask<{ id: string }[]>`select id from live_transfers where direction = 'return' and status = 'SIGNED' limit 1`,
  ).then((rows) => rows.length > 0);
