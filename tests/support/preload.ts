/** For every run of `bun test`: nothing starts until a test asks for it, and nothing is left behind. */
import { afterAll, setDefaultTimeout } from "bun:test";
import { endEverything } from "./ends.ts";

// Hooks do not heed the timeout of bunfig.toml, and the first chain of a checkout compiles its contracts.
setDefaultTimeout(60_000);
afterAll(endEverything);
