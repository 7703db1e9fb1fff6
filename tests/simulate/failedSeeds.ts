/** Seeds of whole runs that once broke, and by what. They are played before fresh ones. */
export const failedSeeds: ReadonlyMap<number, string> = new Map([
  [4, "a comparison of the queues and a reorganisation waited for each other's lock of the chain's row"],
  [101, "a refusal ended a spend that another job had signed, and its money moved twice"],
]);
