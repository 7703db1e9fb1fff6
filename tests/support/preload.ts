/** For every run of `bun test`: nothing starts until a test asks for it, and nothing is left behind. */
import { afterAll } from "bun:test";
import { endEverything } from "./ends.ts";

afterAll(endEverything);
