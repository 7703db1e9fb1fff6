import { afterAll, beforeAll, expect, test } from "bun:test";
import { buildClientTypes } from "@cardkeep/pack/clientTypes";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const root = new URL("../..", import.meta.url).pathname;

let folder: string;
beforeAll(async () => {
  await mkdir(join(root, "node_modules/.cache"), { recursive: true });
  folder = await mkdtemp(join(root, "node_modules/.cache/types-"));
  await writeFile(join(folder, "contract.ts"), await buildClientTypes());
});
afterAll(() => rm(folder, { recursive: true }));

/** Compiles `source` beside the generated types, and returns the compiler's errors. */
async function compile(source: string): Promise<string> {
  await writeFile(join(folder, "program.ts"), source);
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: join(root, "tsconfig.json"), include: [join(folder, "*.ts")] }),
  );
  const child = Bun.spawn([join(root, "node_modules/.bin/tsc"), "--noEmit", "-p", folder], { stdout: "pipe" });
  return new Response(child.stdout).text();
}

const imports = `
import type { AppRouter as Contract } from "@cardkeep/contract/routes";
import type { EventType as ContractEvent, EventWire as ContractData } from "@cardkeep/contract/events";
import type { ErrorCode as ContractCode } from "@cardkeep/contract/errorCatalogue";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter, ErrorCode, EventType, EventWire } from "./contract.ts";
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
`;

test("the published types are those of the contract: every call, event and error code", async () => {
  const faults = await compile(`${imports}
type Verbs<T, U> = { [V in keyof T]: V extends keyof U ? Same<T[V], U[V]> : false };
type Nouns<T, U> = { [N in keyof T]: N extends keyof U ? Verbs<T[N], U[N]> : false };
type Wrong<T> = { [N in keyof T]: { [V in keyof T[N]]: T[N][V] extends true ? never : [N, V] }[keyof T[N]] }[keyof T];
type Events = { [E in ContractEvent]: E extends EventType ? (Same<ContractData<E>, EventWire<E>> extends true ? never : E) : E };
export const inputs: never = null as unknown as Wrong<Nouns<inferRouterInputs<Contract>, inferRouterInputs<AppRouter>>>;
export const outputs: never = null as unknown as Wrong<Nouns<inferRouterOutputs<Contract>, inferRouterOutputs<AppRouter>>>;
export const events: never = null as unknown as Events[ContractEvent];
export const codes: true = null as unknown as Same<ErrorCode, ContractCode>;
export const kinds: true = null as unknown as Same<EventType, ContractEvent>;
`);
  expect(faults).toBe("");
}, 60_000);

test("a difference is found", async () => {
  const faults = await compile(`${imports}
type Challenge = Same<inferRouterInputs<Contract>["auth"]["challenge"], inferRouterOutputs<AppRouter>["auth"]["challenge"]>;
export const same: true = null as unknown as Challenge;
`);
  expect(faults).toContain("TS2322");
}, 60_000);
