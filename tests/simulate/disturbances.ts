/** What others do on the chain of a simulated world just before a block: strangers, and other programs with a key of the service. */
import type { WorldNode } from "./chainClock.ts";
import type { Faults } from "./faults.ts";
import type { Stream } from "./seededRandom.ts";
import type { WorldDatabase } from "./worldDatabase.ts";

export interface Disturbances {
  /** So many transactions another program sent by keys of the service. */
  readonly foreignSent: number;
  /** Is called before each block. */
  disturb(): Promise<void>;
}

export function createDisturbances(input: {
  faults: Faults;
  node: WorldNode;
  random: Stream;
  ask: WorldDatabase["ask"];
}): Disturbances {
  const { faults, node, ask } = input;
  let foreignSent = 0;
  const copy = async (): Promise<void> => {
    const rows = await ask<{ roles: string }[]>`select lower(roles_address) as roles from safes`;
    await node.copyPending(rows.map(({ roles }) => roles));
  };
  const useKey = async (): Promise<void> => {
    const lanes = await ask<{ address: string }[]>`select address from relayers where next_nonce > 0 order by address`;
    const lane = lanes[input.random.below(Math.max(1, lanes.length))];
    if (lane === undefined) return;
    foreignSent++;
    await node.sendForeign(lane.address);
  };
  return {
    get foreignSent() {
      return foreignSent;
    },
    disturb: async () => {
      if (faults.drawCopy()) await copy();
      if (faults.drawForeign()) await useKey();
    },
  };
}
