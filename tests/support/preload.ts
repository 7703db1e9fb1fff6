/** Before and after every run of `bun test`: nothing starts until a test asks for it, and nothing is left behind. */
import { afterAll } from "bun:test";
import { stopOwnServer } from "./postgres.ts";

afterAll(stopOwnServer);
