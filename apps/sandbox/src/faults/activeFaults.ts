/** The faults that are on in one sandbox. They live in its process, so that a restart switches all off. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type FaultName, type FaultOptions, kindOf } from "./catalogue.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** A fault as the routes answer it: its options and the requests that it hit. */
export interface Fault extends Partial<FaultOptions> {
  readonly name: FaultName;
  readonly hits: number;
  /** Forged callbacks that the service accepted; only of `callbacks.forge`. */
  readonly accepted?: number;
}

interface Switched {
  readonly name: FaultName;
  readonly options: FaultOptions;
  isOn: boolean;
  hits: number;
  accepted: number;
  /** Matching requests so far, by their kind. */
  readonly seen: Map<string, number>;
  /** Aborted when the fault is switched off, by a person or by its time. */
  readonly off: AbortController;
}

/** `share`: a number from 0 to 1, by the seed and the number of the hit. */
interface Hit extends FaultOptions {
  readonly share: number;
}

export interface ActiveFaults {
  /** The faults that are on. */
  list(): Fault[];
  /** Switches a fault on. One that is on starts anew with these options. */
  switchOn(name: FaultName, options: FaultOptions): Fault;
  /** Switches a fault off and releases the requests that it holds. Returns its last state. */
  switchOff(name: FaultName): Fault;
  /** The options of a fault that hits this request, or null. `subject` is text for `match`: "METHOD /path". */
  hit(name: FaultName, subject: string): Hit | null;
  /** Counts a forged callback that the service accepted. */
  countAccepted(): void;
  /** Whether a fault whose name begins like this is on. */
  isAnyOn(prefix: string): boolean;
  /** Resolves when the fault is switched off, when the caller is gone, or after 25 s. */
  waitUntilOff(name: FaultName, caller: AbortSignal): Promise<void>;
}

/** Below the 30 s after which the sandbox closes idle connections. */
const hangMsMax = 25_000;

const all = new WeakMap<SandboxRuntime, ActiveFaults>();

/** The faults of the sandbox with this runtime. */
export function activeFaultsOf(runtime: SandboxRuntime): ActiveFaults {
  const known = all.get(runtime);
  if (known) return known;
  const made = createActiveFaults();
  all.set(runtime, made);
  return made;
}

function createActiveFaults(): ActiveFaults {
  const faults = new Map<FaultName, Switched>();
  const listOn = () => [...faults.values()].filter(({ isOn }) => isOn);
  const end = (fault: Switched | undefined): void => {
    if (!fault) return;
    fault.isOn = false;
    fault.off.abort();
  };
  return {
    list: () => listOn().map(describe),
    isAnyOn: (prefix) => listOn().some(({ name }) => name.startsWith(prefix)),
    switchOn: (name, options) => {
      end(faults.get(name));
      const fault: Switched = {
        name,
        options,
        isOn: true,
        hits: 0,
        accepted: 0,
        seen: new Map(),
        off: new AbortController(),
      };
      faults.set(name, fault);
      if (options.seconds !== undefined) setTimeout(() => end(fault), options.seconds * 1000).unref();
      return describe(fault);
    },
    switchOff: (name) => {
      const fault = faults.get(name);
      end(fault);
      return fault ? describe(fault) : { name, hits: 0 };
    },
    hit: (name, subject) => {
      const fault = faults.get(name);
      if (!fault?.isOn || !subject.includes(fault.options.match ?? "") || !isChosen(fault, subject)) return null;
      fault.hits++;
      // Requests that the fault holds stay held.
      if (fault.hits === fault.options.count) fault.isOn = false;
      return { ...fault.options, share: draw(`${fault.options.seed} ${fault.hits}`) };
    },
    countAccepted: () => {
      const forge = faults.get("callbacks.forge");
      if (forge) forge.accepted++;
    },
    waitUntilOff: async (name, caller) => {
      const off = faults.get(name)?.off.signal;
      const signal = off ? AbortSignal.any([off, caller]) : caller;
      await sleep(hangMsMax, null, { signal }).catch(() => null);
    },
  };
}

function describe({ name, options, hits, accepted }: Switched): Fault {
  const shown = Object.entries(options).filter(([option]) => kindOf(name).takes.some((each) => each === option));
  return { name, ...Object.fromEntries(shown), hits, ...(name === "callbacks.forge" && { accepted }) };
}

/**
 * Chooses by seed, kind of request and the number of this request among those of its kind. Requests of other kinds
 * that run side by side change nothing.
 */
function isChosen({ options: { rate, seed }, seen }: Switched, subject: string): boolean {
  if (rate === 1) return true;
  const kind = subject.split("/").map(hideId).join("/");
  const number = (seen.get(kind) ?? 0) + 1;
  seen.set(kind, number);
  return draw(`${seed} ${kind} ${number}`) < rate;
}

const draw = (text: string): number => createHash("sha256").update(text).digest().readUInt32BE() / 2 ** 32;

const idLengthMin = 8;

/** The ids of rows differ between runs. */
const hideId = (segment: string): string => (segment.length >= idLengthMin && /\d/.test(segment) ? "*" : segment);
