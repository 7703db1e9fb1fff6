/** What came of a callback: `refused` ones are kept from changing anything and deserve an alarm. */
export type CallbackOutcome = "applied" | "duplicate" | "stale" | "ignored" | "refused";
