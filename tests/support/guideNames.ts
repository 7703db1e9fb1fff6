/** The names in the guides: routes, codes, events, settings and commands, each compared with its table. */
import { nouns } from "@cardkeep/cli/nouns";
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { disputeReasonKeys } from "@cardkeep/contract/core/disputeReasons";
import { errors } from "@cardkeep/contract/core/errorCatalogue";
import { events } from "@cardkeep/contract/partners/events";
import { issuerReasons } from "@cardkeep/contract/spending/issuerReasons";
import { listStates } from "@cardkeep/contract/core/machine";
import { machines } from "@cardkeep/contract/machines";
import { apiPrefix, listPaths, listRoutes } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { faultNames } from "@cardkeep/sandbox/faults/catalogue";
import { environment } from "@cardkeep/runtime/environment";
import { isCommand, type Guide } from "./guides.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };

const root = new URL("../..", import.meta.url).pathname;
const productRoutes = listRoutes(routes);
const apiRoutes = productRoutes.flatMap(({ route }) =>
  listPaths(route).flatMap((path) => [`${route.method} ${path}`, `${route.method} ${apiPrefix}${path}`]),
);
const dotted = new Set<string>([
  ...Object.keys(errors),
  ...Object.keys(events),
  ...productRoutes.map(({ name }) => name),
  ...faultNames,
  "client.unreachable",
  // Fields of an error on tRPC.
  "data.error",
  "data.help",
  // A field of typed data.
  "message.data",
]);
const inputFields = productRoutes.flatMap(({ route }) =>
  route.input instanceof z.ZodObject ? Object.keys(route.input.shape) : [],
);
const snake = new Set<string>([
  ...inputFields,
  ...declineCatalogue.keys(),
  ...Object.keys(issuerReasons),
  ...disputeReasonKeys,
  ...machines.flatMap(listStates),
  // Of wallets.
  "personal_sign",
]);
const upper = new Set<string>([...Object.keys(environment.shape), ...machines.flatMap(listStates)]);
/** Environment variables of the samples. */
const sampleVariables = ["CARDKEEP_TOKEN", "CARDKEEP_URL", "CARD_ID", "CARD_TOKEN", "PARTNER_KEY", "WEBHOOK_SECRET"];
const packages = ["@cardkeep/client", "@cardkeep/testing", "viem", "tsx"];

/** Verbs of each noun of the CLI; a noun without verbs is a command by itself. */
const verbsOf = new Map<string, string[]>(
  nouns
    .getAllEntries()
    .map(({ name, target }) => [
      name.original,
      "getAllEntries" in target ? target.getAllEntries().map((verb) => verb.name["convert-camel-to-kebab"]) : [],
    ]),
);

function isOperatorCommand([noun = "", verb = ""]: readonly string[]): boolean {
  const verbs = verbsOf.get(noun);
  return verbs !== undefined && (verbs.length === 0 || verbs.includes(verb));
}

/** Whether each word of a command that names a program, a script, a noun or a verb exists. */
function isKnownCommand(line: string): boolean {
  const words = line.split(/\s+/).filter((word) => !word.startsWith("-") || word === "--help");
  const [program, ...rest] = words;
  if (program === "mkdir" || program === "cd") return rest.length === 1;
  if (program === "npm" && rest[0] !== "install") return ["init", "pkg"].includes(rest[0] ?? "");
  if (program === "npm") return rest.slice(1).every((name) => name.endsWith(".tgz") || packages.includes(name));
  if (program === "npx" && packages.includes(rest[0] ?? "")) return rest.length > 1;
  if (program === "npx" && rest[0] === "cardkeep") return isOperatorCommand(rest.slice(1));
  const [script = "", ...args] = rest[0] === "run" ? rest.slice(1) : rest;
  if (program === "bun") return script in manifest.scripts && (script !== "cardkeep" || isOperatorCommand(args));
  if (program === "cardkeep") return isOperatorCommand(rest);
  return program === "docker" && rest[0] === "compose";
}

function isKnown(name: string, sandboxRoutes: ReadonlySet<string>): boolean {
  const [route] = /^(GET|POST|PUT|PATCH|DELETE) \/\S*$/.exec(name) ?? [];
  if (route !== undefined) return apiRoutes.includes(route) || sandboxRoutes.has(route);
  if (/^(bun|npx|npm|cardkeep) /.test(name)) return isKnownCommand(name);
  if (/^[A-Z]+(_[A-Z]+)+(=\S*)?$/.test(name)) {
    const [setting = ""] = name.split("=");
    return upper.has(setting.replace(/_FILE$/, "")) || sampleVariables.includes(setting);
  }
  if (/^(apps|packages|tests)\//.test(name)) return existsSync(join(root, name));
  if (/^[a-z]+(_[a-z]+)+$/i.test(name)) return snake.has(name) || upper.has(name);
  return !/^[a-z]+[A-Za-z]*(\.[a-z][a-z_-]*)+$/.test(name) || name.endsWith(".env") || dotted.has(name);
}

/** Names in backticks, and commands, that no table has. `sandboxRoutes` are as `POST /people`. */
export const listUnknownNames = ({ text, blocks }: Guide, sandboxRoutes: ReadonlySet<string>): string[] => {
  const prose = text.replaceAll(/^```[^]*?^```/gm, "");
  const names = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name);
  const lines = blocks.filter(isCommand).flatMap(({ code }) => code.trim().split(/\n| && /));
  return [
    ...names.filter((name) => !isKnown(name, sandboxRoutes)),
    ...lines.filter((line) => !line.startsWith("#") && !isKnownCommand(line)),
  ];
};
