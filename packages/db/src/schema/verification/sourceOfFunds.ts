/** What users are asked about their money, what they answered, and what that is worth. */
import { check, index, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { instant, isOneOf } from "../columns.ts";
import { risks, type Risk, users } from "../users/users.ts";

/** Sets of questions, of which the newest counts; where there is none the service has its own. */
export const questionSets = pgTable(
  "question_sets",
  { id: text().primaryKey(), questions: jsonb().notNull(), createdAt: instant().notNull() },
  (table) => [index("question_sets_age").on(table.createdAt)],
);

/** Every submission as it was made; what counts for the user is the worst of them. */
export const sourceOfFunds = pgTable(
  "source_of_funds",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    answers: jsonb().$type<readonly GivenAnswer[]>().notNull(),
    risk: text().$type<Risk>().notNull(),
    answeredAt: instant().notNull(),
  },
  (table) => [
    index("source_of_funds_user").on(table.userId, table.answeredAt),
    check("source_of_funds_risk", isOneOf(table.risk, risks)),
  ],
);

/** One question and the answer chosen, in the words that were shown. */
export interface GivenAnswer {
  readonly question: string;
  readonly answer: string;
}
