/** The programs beside the operator's commands, with the flags that they take. */

/** A flag of a program, in the form that `parseArgs` reads. */
export interface ProgramFlag {
  readonly type: "boolean" | "string";
  readonly brief: string;
}

export interface Program {
  readonly brief: string;
  readonly details: string;
  /** The file that runs it, without its ending, from the root of the program. */
  readonly file: string;
  readonly flags: Readonly<Record<string, ProgramFlag>>;
}

export const programs = {
  start: {
    brief: "Starts the whole program on this machine, and stays in the foreground",
    details:
      "Postgres, a local chain, the sandbox, a server and a worker. Data is kept in CARDKEEP_HOME, `.cardkeep` by default. Ctrl-C ends it.",
    file: "apps/local/src/main",
    flags: {
      ephemeral: { type: "boolean", brief: "Use a temporary folder and free ports, and remove the data at the end" },
      json: { type: "boolean", brief: "Print the addresses as one line of JSON when all parts are ready" },
      watch: { type: "boolean", brief: "Start an app again when a source file of it changes" },
      "port-base": { type: "string", brief: "Use the ports N to N+4" },
    },
  },
  demo: {
    brief: "Plays one person's whole journey against a running start",
    details:
      "It finds the start of CARDKEEP_HOME, or the service of PORT and SANDBOX_PORT. Each run makes a new person there.",
    file: "apps/local/src/demo/main",
    flags: {},
  },
  server: {
    brief: "Serves the API until it is stopped",
    details: "A process of a production: its settings are the environment.",
    file: "apps/server/src/main",
    flags: {},
  },
  worker: {
    brief: "Runs jobs until it is stopped",
    details: "A process of a production: its settings are the environment.",
    file: "apps/worker/src/main",
    flags: {},
  },
  migrate: {
    brief: "Brings the database to the version of this program",
    details: "It migrates the database of DATABASE_SESSION_URL, or of DATABASE_URL without it.",
    file: "packages/runtime/src/migrate",
    flags: {},
  },
} as const satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof programs;

/**
 * The program that a command line runs as it stands; null for an operator's command, for a help text, and for words that the
 * program does not take.
 */
export function findProgram([name = "", ...rest]: readonly string[]): ProgramName | null {
  const known = (Object.keys(programs) as ProgramName[]).find((program) => program === name);
  if (known === undefined || rest.some((word) => ["--help", "-h", "--version"].includes(word))) return null;
  const takesNone = Object.keys(programs[known].flags).length === 0;
  return takesNone && rest.length > 0 ? null : known;
}
