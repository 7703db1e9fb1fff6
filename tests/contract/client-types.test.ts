import { beforeAll, expect, test } from "bun:test";
import { errors } from "@cardkeep/contract/core/errorCatalogue";
import { listRoutes } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { buildClientTypes } from "@cardkeep/pack/clientTypes";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { filled } from "../support/filled.ts";

const root = new URL("../..", import.meta.url).pathname;

const routers = `
import type { AppRouter as Contract } from "@cardkeep/contract/routes";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "./contract.ts";
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
`;

/** Both are compiled at once: most of the time is for the contract's own types. */
const programs = {
  "same.ts": `${routers}
import type { EventType as ContractEvent, EventWire as ContractData } from "@cardkeep/contract/partners/events";
import type { ErrorCode as ContractCode } from "@cardkeep/contract/core/errorCatalogue";
import type { DeclineCode as ContractDecline } from "@cardkeep/contract/spending/declineWords";
import { type DeclineCode, type ErrorCode, errorCodes, type EventType, type EventWire } from "./contract.ts";
type Verbs<T, U> = { [V in keyof T]: V extends keyof U ? Same<T[V], U[V]> : false };
type Nouns<T, U> = { [N in keyof T]: N extends keyof U ? Verbs<T[N], U[N]> : false };
type Wrong<T> = { [N in keyof T]: { [V in keyof T[N]]: T[N][V] extends true ? never : [N, V] }[keyof T[N]] }[keyof T];
type Events = { [E in ContractEvent]: E extends EventType ? (Same<ContractData<E>, EventWire<E>> extends true ? never : E) : E };
export const inputs: never = null as unknown as Wrong<Nouns<inferRouterInputs<Contract>, inferRouterInputs<AppRouter>>>;
export const outputs: never = null as unknown as Wrong<Nouns<inferRouterOutputs<Contract>, inferRouterOutputs<AppRouter>>>;
export const events: never = null as unknown as Events[ContractEvent];
export const codes: true = null as unknown as Same<ErrorCode, ContractCode>;
export const declines: true = null as unknown as Same<DeclineCode, ContractDecline>;
export const named: "cards.not_found" = errorCodes["cards.not_found"];
export const kinds: true = null as unknown as Same<EventType, ContractEvent>;
`,
  "different.ts": `${routers}
type Challenge = Same<inferRouterInputs<Contract>["auth"]["challenge"], inferRouterOutputs<AppRouter>["auth"]["challenge"]>;
export const same: true = null as unknown as Challenge;
`,
};

let types: string;
/** The compiler's errors, each from the path of its file. */
let faults: string[];
beforeAll(async () => {
  await mkdir(join(root, "node_modules/.cache"), { recursive: true });
  const folder = await mkdtemp(join(root, "node_modules/.cache/types-"));
  try {
    types = await buildClientTypes();
    const files = { ...programs, "contract.ts": types };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    faults = await compile(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}, 60_000);

/** Compiles the programs of a folder. */
async function compile(folder: string): Promise<string[]> {
  // A schema's optional field takes `undefined` too, which JSON does not carry: the published types leave it out.
  const compilerOptions = { exactOptionalPropertyTypes: false };
  const tsconfig = { extends: join(root, "tsconfig.json"), compilerOptions, include: [join(folder, "*.ts")] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  const options = ["--noEmit", "--pretty", "false", "--checkers", "1"];
  const child = Bun.spawn([join(root, "node_modules/.bin/tsc"), ...options, "-p", folder], { stdout: "pipe" });
  const text = await new Response(child.stdout).text();
  // Further lines of an error are indented.
  return text.split(/\n(?=\S)/).filter((fault) => fault.trim() !== "");
}

test("the published types are those of the contract: every call, event and error code", () => {
  expect(faults.filter((fault) => !fault.includes("/different.ts("))).toEqual([]);
});

test("an editor shows of each error code its status and its text, and of each call its summary", () => {
  for (const [code, { status, text }] of filled(Object.entries(errors))) {
    const [, comment] = types.match(new RegExp(`/\\*\\* (.*) \\*/\\n  "${RegExp.escape(code)}": `)) ?? [];
    expect(comment).toStartWith(`${status}: ${text}`);
  }
  for (const { route } of filled(listRoutes(routes))) expect(types).toContain(`/** ${route.summary}`);
});

test("a difference is found", () => {
  const found = faults.filter((fault) => fault.includes("/different.ts("));
  expect(found).toEqual([expect.stringContaining("TS2322")]);
});
