/** What an operator does with the money of the settlement account in a simulated world: some of what is to be returned is not there. */
import { buildTransfer, tokens } from "@cardkeep/chain/tokens";
import { openNode } from "../support/node.ts";
import type { Person } from "../support/person.ts";
import { cent, give } from "../support/spending.ts";
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
    await world.keep(() => openNode(world.rpcUrl).sendAs(till, call), "fixed");
  } catch {
    return "finds less in the till";
  }
  await sleepVirtually(1_000 * (1 + random.below(60)));
  await world.keep(() => give(giver, till, amount), "given");
  return `empties the till of ${amount / cent} cents for a while`;
}
