/** Programs that use the packages, compiled in the project that installed them. */
import { expect } from "bun:test";
import { join } from "node:path";
import { guides, listRunnable } from "../support/guides.ts";

/** The project that installed the packages. */
export interface Project {
  readPackageFile(name: string, path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  /** Runs a command in a folder of it. @throws Error with what the command printed, if it fails */
  run(command: string[], path?: string): Promise<string>;
}

/** The repository's compiler takes a tenth of the processor time of the one before. */
const compiler = [join(new URL("../..", import.meta.url).pathname, "node_modules/.bin/tsc"), "--checkers", "1"];

const strictOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  module: "NodeNext",
  target: "ES2022",
  types: ["node"],
  skipLibCheck: true,
  noEmit: true,
};

const strictProgram = `import { CardkeepClientError, createCardkeepClient, type ErrorCode } from "@cardkeep/client";
const client = createCardkeepClient({ url: "http://localhost:3000" });
const { data } = await client.accounts.balances.query().then(() => client.accounts.dailyLimit.query());
export const limit: number = data.dailyLimit;
// @ts-expect-error there is no such field
data.nothing;
// @ts-expect-error an amount is a decimal string
await client.accounts.withdrawalData.query({ amount: 1, to: "0x00", tokenAddress: "0x00" });
// @ts-expect-error a query is not a mutation
await client.users.me.mutate();
export function explain(error: CardkeepClientError): ErrorCode | null {
  if (error.code === "cards.phone_required") return error.code;
  // @ts-expect-error the catalogue has no such code
  return error.code === "cards.golden" ? error.code : null;
}
`;

/** Compiles a strict program, and every example of the packages' pages and of the guides. */
export async function compileExamples(project: Project): Promise<void> {
  for (const name of ["@cardkeep/client", "@cardkeep/testing"]) {
    const page = await project.readPackageFile(name, "README.md");
    for (const [index, [, code = ""]] of [...page.matchAll(/^```ts\n(.*?)^```/gms)].entries())
      await project.write(`examples/${name.replace("/", "-")}-${index}.ts`, `${code}\nexport {};\n`);
  }
  for (const guide of guides) {
    const code = listRunnable(guide, "ts").map((block) => block.code);
    await project.write(`examples/guide-${guide.slug}.ts`, [...code, "export {};"].join("\n"));
  }
  await project.write("examples/strict.ts", strictProgram);
  const compilerOptions = { ...strictOptions, lib: ["ES2023", "DOM", "ESNext.Disposable"] };
  await project.write("examples/tsconfig.json", JSON.stringify({ compilerOptions }));
  expect(await project.run([...compiler, "-p", "."], "examples")).toBe("");
}

/** Compiles a strict program with the compiler that the project installed. */
export async function compileWithEarlierCompiler(project: Project): Promise<void> {
  await project.write("earlier/strict.ts", strictProgram);
  await project.write(
    "earlier/testing.ts",
    `import { startCardkeep } from "@cardkeep/testing";
await using cardkeep = await startCardkeep();
const { cards: [card], client } = await cardkeep.person({ balance: "5", card: "virtual" });
export const approved: boolean = card !== undefined && (await cardkeep.useCard(card, { amount: 5 })).approved;
export const total: string = (await client.accounts.balances.query()).total;
// @ts-expect-error an amount is a number of minor units
if (card) await cardkeep.useCard(card, { amount: "5" });
`,
  );
  const compilerOptions = { ...strictOptions, lib: ["ES2023", "ESNext.Disposable"] };
  await project.write("earlier/tsconfig.json", JSON.stringify({ compilerOptions }));
  expect(await project.run(["tsc", "-p", "."], "earlier")).toBe("");
}

/** Generates clients of an OpenAPI document by two generators, and compiles a program that uses them. */
export async function compileGeneratedClients(project: Project, document: string): Promise<void> {
  await project.write("generated/openapi.json", document);
  // Bun runs them in two thirds of the processor time, and they write the same.
  const generate = (...command: string[]) => project.run([process.execPath, "run", "--bun", ...command], "generated");
  await Promise.all([
    generate("openapi-typescript", "openapi.json", "--output", "paths.ts"),
    generate("openapi-ts", "--input", "openapi.json", "--output", "sdk", "--no-log-file"),
  ]);
  await project.write(
    "generated/program.ts",
    `import type { components, paths } from "./paths.js";
import { accountsBalances, ordersCreate } from "./sdk/sdk.gen.js";
type Balances = paths["/api/v1/account-balances"]["get"]["responses"][200]["content"]["application/json"];
export const total = (balances: Balances): string => balances.total;
type Ordered = paths["/api/v1/order/create"]["post"]["requestBody"]["content"]["application/json"];
export const ordered: Ordered = { personalizationSource: "ENS", ENSName: "ada.eth" };
export const status = (order: components["schemas"]["CardOrder"]): string => order.status;
export async function play(): Promise<string | undefined> {
  const { data } = await accountsBalances();
  await ordersCreate({ body: { personalizationSource: "ENS", ENSName: "ada.eth" } });
  // @ts-expect-error a source is KYC or ENS
  await ordersCreate({ body: { personalizationSource: "NFT" } });
  // @ts-expect-error there is no such field
  void data?.nothing;
  return data?.total;
}
`,
  );
  const compilerOptions = {
    strict: true,
    module: "ESNext",
    moduleResolution: "bundler",
    target: "ES2022",
    skipLibCheck: true,
    noEmit: true,
  };
  await project.write("generated/tsconfig.json", JSON.stringify({ compilerOptions }));
  expect(await project.run([...compiler, "-p", "."], "generated")).toBe("");
}
