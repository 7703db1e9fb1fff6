/** The compiler for forge: npm's JavaScript build of solc, with the two commands of the native one that forge uses. */
import { loadPackageFile } from "@cardkeep/local/packageFiles";
import { z } from "zod";

const solc = z
  .custom<{ version(): string; compile(input: string): string }>()
  .parse(loadPackageFile("solc", "index.js"));

const answer = process.argv.includes("--version")
  ? `solc, the solidity compiler commandline interface\nVersion: ${solc.version()}\n`
  : solc.compile(await Bun.stdin.text());
await Bun.write(Bun.stdout, answer);
