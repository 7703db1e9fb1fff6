/** The process of `compileApart`: compiles the sources that its arguments name, and prints the result as JSON. */
import { compileContracts } from "./compile.ts";

await Bun.write(Bun.stdout, JSON.stringify(await compileContracts(process.argv.slice(2))));
