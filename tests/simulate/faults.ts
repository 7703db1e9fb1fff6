/** The faults of a simulated world. Each has a number, so that a plan can leave it out. */
import { reorganisedMax } from "./chainClock.ts";
import { createMood } from "./mood.ts";
import type { Fate } from "./network.ts";
import { createStream } from "./seededRandom.ts";

export interface Faults {
  /** None happens before the first one is switched on, and while all are off. */
  isOn: boolean;
  /** The chain's faults go on while the service comes to rest. */
  isChainOn: boolean;
  readonly happened: readonly number[];
  drawFate(request: { from: string; host: string; path: string }): Fate;
  /** Whether a process dies now. */
  drawCrash(): boolean;
  /** How many of the newest blocks the chain replaces now; 0: none. */
  drawReorganisation(): number;
}

type Odds = readonly (readonly [Fate, number])[];

/** In a thousand. A callback is repeated until it is taken, so most of its faults are of that kind. */
const toService: Odds = [
  ["arrivesTwice", 60],
  ["isLost", 30],
  ["answerIsLost", 40],
];
const toPartner: Odds = [
  ["isLost", 15],
  ["answerIsLost", 25],
];
const crashesPerMille = 1;
/** Of blocks. */
const reorganisationsPerMille = 60;

export function createFaults(
  plan: { seed: number; withoutFaults: readonly number[] },
  note: (text: string) => void,
): Faults {
  const left = new Set(plan.withoutFaults);
  const random = createStream(plan.seed, "faults");
  const { factorOf } = createMood(plan.seed);
  const crashes = factorOf("crashes");
  const reorganisations = factorOf("reorganisations");
  const losses = factorOf("losses");
  const happened: number[] = [];
  let drawn = 0;
  const happens = (text: string): boolean => {
    drawn++;
    if (left.has(drawn)) return false;
    happened.push(drawn);
    note(`fault ${drawn}: ${text}`);
    return true;
  };
  const faults: Faults = {
    isOn: false,
    isChainOn: false,
    happened,
    drawFate: ({ from, host, path }) => {
      // People see their own calls through.
      if (!faults.isOn || from.startsWith("person")) return "arrives";
      if (host !== "partners" && !path.startsWith("/callbacks/")) return "arrives";
      let dice = random.below(1000);
      for (const [fate, weight] of host === "partners" ? toPartner : toService) {
        const share = weight * losses;
        if (dice < share) return happens(`${fate}: ${path} from ${from}`) ? fate : "arrives";
        dice -= share;
      }
      return "arrives";
    },
    drawReorganisation: () => {
      if (!faults.isChainOn || !random.perMille(reorganisationsPerMille * reorganisations)) return 0;
      const blocks = 1 + random.below(reorganisedMax);
      return happens(`the chain replaces ${blocks} blocks`) ? blocks : 0;
    },
    drawCrash: () => faults.isOn && random.perMille(crashesPerMille * crashes) && happens("a process dies"),
  };
  return faults;
}
