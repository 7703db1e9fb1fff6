/** `cardkeep faults`: switches the faults of the sandbox on and off. */
import { buildRouteMap } from "@stricli/core";
import { z } from "zod";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { UsageError } from "./errors.ts";
import { parseText, textArgument, withJson } from "./parameters.ts";
import { renderTable } from "./print.ts";
import { callSandbox, findSandbox, refuseInProduction, sandboxFlag } from "./sandbox.ts";
import type { Text } from "./texts.ts";

const fault = z.looseObject({ name: z.string(), hits: z.number().optional() });
type Fault = z.output<typeof fault>;

const renderFaults = (faults: readonly Fault[]): Text =>
  renderTable(
    [{ title: "fault" }, { title: "requests hit", align: "right" }, { title: "options", elastic: true }],
    faults.map(({ name, hits = 0, ...options }) => [name, String(hits), JSON.stringify(options)]),
    "No fault is on.",
  );

/** `rate=0.5` as a name and its value; what looks like a number is one. */
function parseOption(text: string): readonly [string, string | number] {
  const [, name = "", value = ""] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  if (name === "") throw new UsageError("it must be an option such as rate=0.5");
  return [name, /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value];
}

interface Flags {
  sandbox?: string;
}

const flags = () => withJson({ sandbox: sandboxFlag });
const pathOf = (name: string): string => `/faults/${encodeURIComponent(name)}`;

export const faults = buildRouteMap({
  docs: { brief: "Faults of chain, partners and processes, in the sandbox" },
  routes: {
    list: buildVerb({
      verb: "faults.list",
      brief: "Lists the faults that are on, with the requests that each hit",
      waitsFor: "asks the sandbox",
      example: "faults list",
      parameters: { flags: flags() },
      run: async (cli: CliContext, { sandbox }: Flags) => {
        refuseInProduction();
        const data = await callSandbox({ sandbox: findSandbox(cli, sandbox), path: "/faults" }, z.array(fault));
        return { data, text: renderFaults(data) };
      },
    }),
    set: buildVerb({
      verb: "faults.set",
      brief: "Switches a fault on: for some seconds, for some requests, or until it is cleared",
      details: "The sandbox's console explains each fault and the options that it takes.",
      waitsFor: "asks the sandbox",
      example: ["faults set issuer.down rate=0.5 seconds=30", "faults set worker.kill"],
      parameters: {
        flags: flags(),
        positional: {
          kind: "array",
          minimum: 1,
          parameter: { parse: parseText, placeholder: "name|option=value", brief: "Name of a fault, then its options" },
        },
      },
      run: async (cli: CliContext, { sandbox }: Flags, name: string = "", ...options: string[]) => {
        refuseInProduction();
        const body = Object.fromEntries(options.map(parseOption));
        const at = findSandbox(cli, sandbox, { isChange: true });
        const data = await callSandbox({ sandbox: at, method: "PUT", path: pathOf(name), body }, fault);
        return { data, text: renderFaults([data]) };
      },
    }),
    clear: buildVerb({
      verb: "faults.clear",
      brief: "Switches a fault off, or all of them",
      waitsFor: "asks the sandbox",
      example: ["faults clear", "faults clear issuer.down"],
      parameters: {
        flags: flags(),
        positional: { kind: "array", maximum: 1, parameter: textArgument("name", "Name of a fault").parameters[0] },
      },
      run: async (cli: CliContext, { sandbox }: Flags, ...names: string[]) => {
        refuseInProduction();
        const at = findSandbox(cli, sandbox, { isChange: true });
        const [path = "/faults"] = names.map(pathOf);
        const answer = await callSandbox({ sandbox: at, method: "DELETE", path }, z.union([z.array(fault), fault]));
        const data = [answer].flat();
        return { data, text: renderFaults(data) };
      },
    }),
  },
});
