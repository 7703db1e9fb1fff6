/** The world that this process plays, for the modules that stand in the place of others. */
import type { Sql } from "postgres";
import type { Process, Scheduler } from "./scheduler.ts";

export interface CurrentWorld {
  readonly pass: Scheduler["pass"];
  /** The process whose parts are built now. */
  readonly building: Process;
  noteClient(client: Sql): void;
}

let world: CurrentWorld | null = null;

/** The world that is played; null while its parts outside of it start. */
export const findWorld = (): CurrentWorld | null => world;

export function theWorld(): CurrentWorld {
  if (world === null) throw new Error("No world is played");
  return world;
}

export function setWorld(next: CurrentWorld): void {
  world = next;
}
