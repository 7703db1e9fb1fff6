/** Scripts: what happens to a card in the world, from the first request to the last clearing. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import type { ScriptTerminal } from "./scriptTerminal.ts";

interface Script {
  title: string;
  /** Leaves nothing open at the merchant. */
  play(terminal: ScriptTerminal): Promise<void>;
}

const hotel = { merchant: "Grand Hotel", mcc: "7011" };
const station = { merchant: "Fuel Stop", mcc: "5542" };
const ride = { merchant: "Night Cab", mcc: "4121" };
const stream = { merchant: "Stream TV", mcc: "5968" };
const machine = { merchant: "Station Cash", mcc: "6011", type: "01" };
const abroad = {
  merchant: "Caf\u00e9 Z\u00fcrich",
  city: "Zurich",
  country: "CH",
  mcc: "5812",
  merchantCurrency: "CHF",
};
const inFlight = { merchant: "In-flight Shop", mcc: "5309", country: "CH", merchantCurrency: "CHF" };

const months = 2;

/** Amounts in the card's cents, and in the merchant's where its currency is another one. */
export const scripts = {
  hotel: {
    title: "Hotel: a stay is extended twice and captured; the minibar follows after it",
    play: async (terminal) => {
      const stay = await terminal.use(6_000, hotel);
      await terminal.increment(stay, 3_000);
      await terminal.increment(stay, 1_500);
      await terminal.clear(stay, { amount: 10_150 });
      await terminal.clearOffline({ amount: 950, ...hotel });
    },
  },
  fuel: {
    title: "Fuel: the pump asks for 150, gets what the account covers, and captures what has flowed",
    play: async (terminal) => {
      const pump = await terminal.use(15_000, { ...station, partial: true });
      await terminal.clear(pump, { amount: Math.min(6_240, terminal.heldOf(pump)) });
    },
  },
  ride: {
    title: "Ride: the fare grows on the way, and a tip is captured on top",
    play: async (terminal) => {
      const trip = await terminal.use(1_800, ride);
      await terminal.increment(trip, 700);
      await terminal.clear(trip, { amount: 2_900 });
    },
  },
  subscription: {
    title: "Subscription: the card is verified with nothing, then charged each month",
    play: async (terminal) => {
      const verification = await terminal.use(0, stream);
      await terminal.expire(verification);
      for (let month = 1; month <= months; month++) {
        await terminal.clear(await terminal.use(999, { ...stream, cvc: "not_provided" }));
      }
    },
  },
  cashMachine: {
    title: "Cash machine: 50 and the fee of the machine's owner; the next one has no notes and reverses",
    play: async (terminal) => {
      await terminal.clear(await terminal.use(5_395, { ...machine, fee: 395 }));
      await terminal.reverse(await terminal.use(2_395, { ...machine, fee: 395 }));
    },
  },
  travel: {
    title: "Travel: a meal is captured at another rate, the flight clears offline, a part is refunded at a third rate",
    play: async (terminal) => {
      const meal = await terminal.use(4_120, { ...abroad, merchantAmount: 3_900 });
      await terminal.clear(meal, { amount: 4_185, merchantAmount: 3_900 });
      await terminal.clearOffline({ amount: 1_585, merchantAmount: 1_500, ...inFlight });
      await terminal.refund(meal, { amount: 1_040, merchantAmount: 1_000 });
    },
  },
} as const satisfies Readonly<Record<string, Script>>;

export const scriptNames = keysOf(scripts);
