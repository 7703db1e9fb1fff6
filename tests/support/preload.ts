/** For every run of `bun test`: a part starts at the first need, and all parts are stopped at the end. */
import { afterAll, setDefaultTimeout } from "bun:test";
import { endEverything } from "./ends.ts";
import { givenSeed } from "./seed.ts";

// Hooks ignore the timeout of bunfig.toml, and the first chain of a checkout compiles its contracts.
setDefaultTimeout(60_000);
afterAll(endEverything);

// Without a given seed fast-check chooses one, and prints it with a failure.
if (givenSeed !== null) (await import("fast-check")).configureGlobal({ seed: givenSeed });
