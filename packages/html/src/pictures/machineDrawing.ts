import type { Machine } from "@cardkeep/contract/core/machine";
import type { Html } from "../markup.ts";
import { drawMachines } from "./drawMachines.ts";

const drawings = new Map<Machine, Promise<Html>>();

async function draw(machine: Machine): Promise<Html> {
  const drawn = (await drawMachines([machine])).get(machine);
  if (!drawn) throw new Error(`${machine.name} has no drawing`);
  return drawn;
}

/** The drawing of a machine: drawn at the first call, and kept. After a failure, the next call draws again. */
export function getMachineDrawing(machine: Machine): Promise<Html> {
  const known = drawings.get(machine);
  if (known) return known;
  const drawing = draw(machine).catch((error: unknown) => {
    drawings.delete(machine);
    throw error;
  });
  drawings.set(machine, drawing);
  return drawing;
}
