import { check, pgTable, text } from "drizzle-orm/pg-core";
import { instant, isOneOf } from "../columns.ts";

/** The parts of the service that an operator can stop. */
export const stopNames = ["sign-ups", "card-payments", "card-orders", "withdrawals", "deliveries", "treasury"] as const;
export type StopName = (typeof stopNames)[number];

/** The parts that are stopped now, a row each. Acts that would begin something wait for a switch that is being set. */
export const stopSwitches = pgTable(
  "stop_switches",
  {
    name: text().$type<StopName>().primaryKey(),
    /** The operator's, for other operators. */
    reason: text().notNull(),
    /** Name of the operator who stopped it. */
    operator: text().notNull(),
    stoppedAt: instant().notNull(),
  },
  (table) => [check("stop_switches_name", isOneOf(table.name, stopNames))],
);
