import { type SQL, sql } from "drizzle-orm";

/** The key of a task's job for a subject, in SQL: see `jobKeyOf`. */
export const jobKeyIn = (task: SQL, subject: SQL): SQL => sql`${task} || ':' || ${subject}`;
