/** Mutants of what bounds the loss of a machine that vanishes without a packet. */
import { mayMakeMachines } from "../support/vanishingMachine.ts";
import { type Mutant, mutantsOf } from "./mutant.ts";

const file = "packages/db/src/lostMachine.ts";

/** Postgres keeps the session of a vanished client, with its locks, for a quarter of an hour. */
export const sessionMutant: Omit<Mutant, "killedBy"> = {
  breaks: "a vanished client keeps its locks",
  file,
  from: `export const sessionSettings: readonly string[] = [
  "tcp_keepalives_idle = 5",
  "tcp_keepalives_interval = 2",
  "tcp_keepalives_count = 3",
  "tcp_user_timeout = 10000",
  "idle_in_transaction_session_timeout = 15000",
];`,
  to: "export const sessionSettings: readonly string[] = [];",
};

/** A program waits for the answer of a vanished database until the kernel gives up. */
export const silenceMutant: Omit<Mutant, "killedBy"> = {
  breaks: "a vanished database is waited for",
  file,
  from: "looking ??= setInterval(() => sockets.forEach(look), lookMs).unref();",
  to: "",
};

const killedBy = ["tests/long/vanished-machine.test.ts"];

const all: Mutant[] = [
  { ...sessionMutant, killedBy },
  { ...silenceMutant, killedBy },
  ...mutantsOf("packages/db/src/openSession.ts", killedBy, [
    ["a vanished worker keeps its pool", "    setup: buildSessionSetup(...setup),\n", ""],
  ]),
];

/** None where a machine cannot be made: their tests are skipped there. */
export const vanishMutants: readonly Mutant[] = mayMakeMachines ? all : [];
