/** Scripts: what happens to a card in the world, from the first request to the last clearing. */
import { Till } from "./till.ts";

interface Script {
  title: string;
  /** Leaves nothing open at the merchant. */
  play(till: Till): Promise<void>;
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
    play: async (till) => {
      const stay = await till.use(6_000, hotel);
      await till.increment(stay, 3_000);
      await till.increment(stay, 1_500);
      await till.clear(stay, { amount: 10_150 });
      await till.clearOffline({ amount: 950, ...hotel });
    },
  },
  fuel: {
    title: "Fuel: the pump asks for 150, gets what the account covers, and captures what has flowed",
    play: async (till) => {
      const pump = await till.use(15_000, { ...station, partial: true });
      await till.clear(pump, { amount: Math.min(6_240, till.heldOf(pump)) });
    },
  },
  ride: {
    title: "Ride: the fare grows on the way, and a tip is captured on top",
    play: async (till) => {
      const trip = await till.use(1_800, ride);
      await till.increment(trip, 700);
      await till.clear(trip, { amount: 2_900 });
    },
  },
  subscription: {
    title: "Subscription: the card is verified with nothing, then charged each month",
    play: async (till) => {
      const verification = await till.use(0, stream);
      await till.expire(verification);
      for (let month = 1; month <= months; month++) {
        await till.clear(await till.use(999, { ...stream, cvc: "not_provided" }));
      }
    },
  },
  cashMachine: {
    title: "Cash machine: 50 and the fee of the machine's owner; the next one has no notes and reverses",
    play: async (till) => {
      await till.clear(await till.use(5_395, { ...machine, fee: 395 }));
      await till.reverse(await till.use(2_395, { ...machine, fee: 395 }));
    },
  },
  travel: {
    title: "Travel: a meal is captured at another rate, the flight clears offline, a part is refunded at a third rate",
    play: async (till) => {
      const meal = await till.use(4_120, { ...abroad, merchantAmount: 3_900 });
      await till.clear(meal, { amount: 4_185, merchantAmount: 3_900 });
      await till.clearOffline({ amount: 1_585, merchantAmount: 1_500, ...inFlight });
      await till.refund(meal, { amount: 1_040, merchantAmount: 1_000 });
    },
  },
} as const satisfies Readonly<Record<string, Script>>;

export type ScriptName = keyof typeof scripts;
export const scriptNames = Object.keys(scripts) as ScriptName[];
