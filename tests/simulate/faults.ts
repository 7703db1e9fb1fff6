/** The faults of a simulated world. Each has a number, so that a plan can name those that happen. */
import { reorganisedMax } from "./chainClock.ts";
import { createMood } from "./mood.ts";
import type { Fate } from "./network.ts";
import type { Stall } from "./scheduler.ts";
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
  /** Whether a worker that lives is believed dead now; more often where a job of it stands still. */
  drawMistake(worker: string, isStill: boolean): boolean;
  /** Whether an actor stands still at its next message, and how long; more often where it begins to write what it has read. */
  drawStall(actor: string, isBegin: boolean): Stall | null;
  /** Whether a stranger copies what waits for the next block. */
  drawCopy(): boolean;
  /** Whether another program uses a key of the service before the next block. */
  drawForeign(): boolean;
  /** Whether strangers send failed spends again. */
  readonly isReplaying: boolean;
  /** Whether one does so before the next block. */
  drawReplay(): boolean;
  /** Whether the till's money goes just before the return that the next block has. */
  drawEmptied(): boolean;
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
/** In a thousand steps: a worker whose announcement was lost, or that stood still, while its jobs go on. */
const mistakesPerMille = 0.4;
/** In a thousand jobs that stand still: that is why their worker is believed dead. */
const suspicionsPerMille = 100;
/** In a thousand messages of a process: a slow disk, a pause of the engine, a machine that does much else. */
const stallsPerMille = 3;
/** So much more often where a transaction begins: what was read before it gets old meanwhile. */
const stallsAtBegin = 6;
const stallsPerMilleMax = 50;
const stallStepsMax = 250;
/** So long that another job of the same subject runs from its cause to its end meanwhile. */
const beginStepsMax = 900;
/** One of six lasts so long that blocks come meanwhile. */
const stallMsMax = 6_000;
/** Of blocks. */
const reorganisationsPerMille = 60;
const copiesPerMille = 80;
const foreignPerMille = 15;
/** Of blocks while a spend has failed. */
const replaysPerMille = 60;
/** Of blocks that have a return. */
const emptiedPerMille = 100;

export function createFaults(
  plan: { seed: number; keptFaults: readonly number[] | null },
  note: (text: string) => void,
): Faults {
  const kept = plan.keptFaults && new Set(plan.keptFaults);
  const random = createStream(plan.seed, "faults");
  const { factorOf } = createMood(plan.seed);
  const crashes = factorOf("crashes");
  const reorganisations = factorOf("reorganisations");
  const losses = factorOf("losses");
  const copies = factorOf("copies");
  const foreign = factorOf("foreign transactions");
  const emptied = factorOf("emptied till");
  const replays = factorOf("replays");
  const strangers = createStream(plan.seed, "strangers");
  const blocks = createStream(plan.seed, "blocks");
  const mistakes = factorOf("believed dead");
  const beliefs = createStream(plan.seed, "beliefs");
  const stalls = factorOf("stalls");
  const pauses = createStream(plan.seed, "stalls");
  const happened: number[] = [];
  let drawn = 0;
  const happens = (text: string): boolean => {
    drawn++;
    if (kept?.has(drawn) === false) return false;
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
    drawStall: (actor, isBegin) => {
      const odds = Math.min(stallsPerMilleMax, stallsPerMille * stalls * (isBegin ? stallsAtBegin : 1));
      if (!faults.isOn || !/^(?:server|worker|partners)(?!.* chores)/.test(actor) || !pauses.perMille(odds))
        return null;
      const steps = 10 + pauses.below(isBegin ? beginStepsMax : stallStepsMax);
      const ms = pauses.below(6) === 0 ? pauses.below(stallMsMax) : 0;
      return happens(`${actor} stands still for ${steps} messages and ${ms} ms`) ? { steps, ms } : null;
    },
    drawCopy: () =>
      faults.isChainOn &&
      blocks.perMille(copiesPerMille * copies) &&
      happens("a stranger copies what waits for a block"),
    drawForeign: () =>
      faults.isChainOn && blocks.perMille(foreignPerMille * foreign) && happens("another program uses a relayer's key"),
    get isReplaying() {
      return faults.isChainOn && replays > 0;
    },
    drawReplay: () => strangers.perMille(replaysPerMille * replays) && happens("a stranger sends a failed spend again"),
    drawEmptied: () =>
      faults.isChainOn &&
      blocks.perMille(emptiedPerMille * emptied) &&
      happens("the till's money goes before a return"),
    drawMistake: (worker, isStill) =>
      faults.isOn &&
      beliefs.perMille((isStill ? suspicionsPerMille : mistakesPerMille) * mistakes) &&
      happens(`${worker} is believed dead`),
    drawCrash: () => faults.isOn && random.perMille(crashesPerMille * crashes) && happens("a process dies"),
  };
  return faults;
}
