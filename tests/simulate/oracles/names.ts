/** The invariants of a simulated world, by the part of the installation that they are about. */
export const oraclesOf = {
  money: [
    "ledger sums",
    "ledger debts",
    "promises",
    "postings",
    "ledger and books",
    "comparison",
    "missing cases",
    "losses",
    "doubled transactions",
    "paydays",
    "clearings",
    "targets",
    "holds",
    "transfers",
    "debts",
    "authorized",
    "approvals",
    "foreign nonces",
    "blocks",
    "chain",
  ],
  work: ["lost jobs", "jobs given up", "stuck transfers", "withdrawals", "rest", "deadlocks", "nonces"],
  people: ["statuses", "honest marked", "gas", "sequences"],
  /** A constraint or a machine of the program itself refused what a fault began. */
  program: ["failed jobs", "answers"],
} as const;

export type Subject = keyof typeof oraclesOf;
export type OracleName = (typeof oraclesOf)[Subject][number];

/** What an oracle found, in words that begin with its name. */
export const say = (oracle: OracleName, text: string): string => `${oracle}: ${text}`;

/** The name with which what was found begins. */
export const nameOracle = (found: string): string => found.split(":")[0] ?? "";

/** Whether what was found is about one of the subjects. */
export const isAbout = (found: string, subjects: readonly Subject[]): boolean =>
  subjects.some((subject) => oraclesOf[subject].some((name) => found.startsWith(`${name}: `)));
