import { findQuestions } from "@cardkeep/db/queries/sourceOfFunds";
import type { Services } from "../services.ts";
import { defaultQuestions } from "./defaultQuestions.ts";
import { questionSet, type QuestionSet } from "./questionSet.ts";

/** The set in force: the operator's newest, or the service's own. */
export async function getQuestions({ db }: Pick<Services, "db">): Promise<QuestionSet> {
  const stored = await findQuestions(db);
  return stored === null ? defaultQuestions : questionSet.parse(stored);
}
