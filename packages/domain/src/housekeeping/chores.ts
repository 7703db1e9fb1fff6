/** The periodic work of every worker: the catalogue of its chores. */

/** How often a worker starts each chore. A chore is named after its verb. */
export const chores = {
  recoverJobs: { periodMs: 1_000 },
  fanOut: { periodMs: 1_000 },
  wakeEndpoints: { periodMs: 1_000 },
  addMissingJobs: { periodMs: 10_000 },
  expireCards: { periodMs: 10_000 },
  forgetRemovedWallets: { periodMs: 10_000 },
  deleteOldRows: { periodMs: 10_000 },
  resealSecrets: { periodMs: 60_000 },
} as const satisfies Record<string, { periodMs: number }>;

export type ChoreName = keyof typeof chores;
