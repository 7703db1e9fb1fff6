/** Faults that the sandbox puts between the service and its partners, chain and database. */
import type { SandboxCall } from "./sandboxCall.ts";

type Partner = "kyc" | "emoney" | "issuer" | "mail" | "sms";

export type FaultName =
  | `node.${"down" | "hang" | "slow" | "stale" | "drop"}`
  | "chain.reorg"
  | `${Partner}.${"down" | "error" | "slow" | "hang"}`
  | `callbacks.${"duplicate" | "reorder" | "delay" | "forge" | "lose"}`
  | "worker.kill"
  | "postgres.restart";

export interface FaultOptions {
  /** Probability from 0 to 1 that a request is hit; 1 unless named. */
  readonly rate?: number;
  /** Seconds after which the fault ends by itself. */
  readonly seconds?: number;
  /** Hits after which the fault ends by itself. */
  readonly count?: number;
  /** Only requests whose method and path contain this text. */
  readonly match?: string;
  /** Seed of the choice which requests are hit. */
  readonly seed?: number;
  /** Further options of one fault, such as `blocks` of `chain.reorg`. */
  readonly [option: string]: unknown;
}

/** A fault that is on. */
export interface Fault extends FaultOptions {
  readonly name: FaultName;
  /** Requests hit so far. */
  readonly hits: number;
}

export interface Faults {
  /** Switches a fault on, or changes one that is on. */
  set(name: FaultName, options?: FaultOptions): Promise<Fault>;
  /** Switches one fault off, or all of them. */
  clear(name?: FaultName): Promise<void>;
  /** Faults that are on. */
  list(): Promise<Fault[]>;
}

/** The faults of one sandbox. */
export const createFaults = (sandbox: SandboxCall): Faults => ({
  set: async (name, options = {}) => (await sandbox("PUT", `/faults/${name}`, options)) as Fault,
  clear: async (name) => void (await sandbox("DELETE", name === undefined ? "/faults" : `/faults/${name}`)),
  list: async () => (await sandbox("GET", "/faults")) as Fault[],
});
