/** Faults that the sandbox puts between the service and its partners, chain and database. */
import type { SandboxCall } from "./sandboxCall.ts";

type Partner = "kyc" | "emoney" | "issuer" | "identity" | "mail" | "sms" | "signer";

export type FaultName =
  | `node.${"down" | "hang" | "slow" | "stale" | "drop"}`
  | "chain.reorg"
  | `${Partner}.${"down" | "error" | "slow" | "hang"}`
  | `signer.${"throttle" | "wrong" | "high"}`
  | `callbacks.${"duplicate" | "reorder" | "shuffle" | "delay" | "forge" | "lose" | "late" | "bare"}`
  | "worker.kill"
  | "postgres.restart";

export interface FaultOptions {
  /** Probability from 0 to 1 that a request is hit; 1 unless named. */
  readonly rate?: number;
  /** Seconds of wall time after which the fault ends by itself. */
  readonly seconds?: number;
  /** Hits after which the fault ends by itself. */
  readonly count?: number;
  /** Only requests whose "METHOD /path" contains this text; for the node, the JSON-RPC method. */
  readonly match?: string;
  /** Seed of the choice which requests are hit; 1 unless named. The same seed hits the same requests. */
  readonly seed?: number;
  /** Milliseconds of `slow` and of `callbacks.duplicate`, `reorder`, `shuffle` and `delay`. */
  readonly ms?: number;
  /** HTTP status of `error` and `callbacks.bare`, from 400 to 599. */
  readonly status?: number;
  /** Blocks of `chain.reorg` and `node.stale`. */
  readonly blocks?: number;
  /** Whether the callback of `callbacks.forge` arrives beside the real one or instead of it. */
  readonly place?: "beside" | "instead";
}

/** A fault with the values of its options. */
export interface Fault extends FaultOptions {
  readonly name: FaultName;
  /** Requests hit so far. */
  readonly hits: number;
  /** Forged callbacks that the service accepted; only of `callbacks.forge`. */
  readonly accepted?: number;
}

export interface Faults {
  /** Switches a fault on; one that is on starts anew. Those of chain and processes happen once, at this call. */
  set(name: FaultName, options?: FaultOptions): Promise<Fault>;
  /** Switches one fault off, or all of them. Answers the last state of each. */
  clear(name?: FaultName): Promise<Fault[]>;
  /** Faults that are on. */
  list(): Promise<Fault[]>;
}

/** The faults of one sandbox. */
export const createFaults = (sandbox: SandboxCall): Faults => ({
  set: async (name, options = {}) => (await sandbox("PUT", `/faults/${name}`, options)) as Fault,
  clear: async (name) => {
    const ended = await sandbox("DELETE", name === undefined ? "/faults" : `/faults/${name}`);
    return name === undefined ? (ended as Fault[]) : [ended as Fault];
  },
  list: async () => (await sandbox("GET", "/faults")) as Fault[],
});
