/** Routes that switch faults on and off. */
import { z } from "zod";
import { defineSandboxRoute, SandboxError } from "../core/route.ts";
import { faultNames, faultOptions, parseFaultName, parseFaultOptions } from "./catalogue.ts";
import { performOnce } from "./performOnce.ts";
import { activeFaultsOf } from "./activeFaults.ts";

const isOfNode = (name: string): boolean => name.startsWith("node.") || name.startsWith("chain.");

export const listFaults = defineSandboxRoute({
  method: "GET",
  path: "/faults",
  summary: "Faults that are on, with the requests that each hit",
  input: z.object({}),
  example: {},
  run: async (runtime) => activeFaultsOf(runtime).list(),
});

export const setFault = defineSandboxRoute({
  method: "PUT",
  path: "/faults/{name}",
  summary: "Switches a fault on: for some seconds, for some requests, or until it is switched off",
  // The options are checked by the fault's own rules, which name what it takes.
  input: z.looseObject({ name: z.string(), ...faultOptions.shape }),
  example: { name: "issuer.down", rate: 0.5 },
  run: async (runtime, { name: given, ...options }) => {
    const name = parseFaultName(given);
    const parsed = parseFaultOptions(name, options);
    if (isOfNode(name) && !runtime.settings.localChain)
      throw new SandboxError(409, `${name} needs the local chain, and RPC_URL names another node`);
    const faults = activeFaultsOf(runtime);
    if (!(await performOnce(runtime, name, parsed))) return faults.switchOn(name, parsed);
    faults.switchOn(name, parsed);
    faults.hit(name, "");
    return faults.switchOff(name);
  },
});

export const endFault = defineSandboxRoute({
  method: "DELETE",
  path: "/faults/{name}",
  summary: "Switches a fault off. Requests that it holds continue",
  input: z.object({ name: z.string() }),
  example: { name: "issuer.down" },
  run: async (runtime, { name }) => activeFaultsOf(runtime).switchOff(parseFaultName(name)),
});

export const clearFaults = defineSandboxRoute({
  method: "DELETE",
  path: "/faults",
  summary: "Switches every fault off",
  input: z.object({}),
  example: {},
  run: async (runtime) => {
    const faults = activeFaultsOf(runtime);
    const wereOn = faults.list().map(({ name }) => name);
    const ended = faultNames.map((name) => faults.switchOff(name));
    return ended.filter(({ name }) => wereOn.includes(name));
  },
});
