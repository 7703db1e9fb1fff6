/**
 * Time limits of a stop, after the drain. `bun start` stops all its parts within 10 s and kills each after 6.5 s, so its
 * parts have less.
 */
export const stopLimits =
  process.env["CARDKEEP_CHILD"] === "1"
    ? { stopMs: 8_000, requestsMs: 5_000, jobsMs: 3_500, callMs: 1_000 }
    : {
        /** The whole stop. */
        stopMs: 25_000,
        /** Requests in flight; each is answered after 15 s at the latest. */
        requestsMs: 17_000,
        /** Jobs in flight. */
        jobsMs: 15_000,
        /** One call to the database that tidies up. */
        callMs: 3_000,
      };
