/** What a person needs for a card beside the approval and a Safe: a phone, answers about the funds, and the terms. */
import { acceptableTerms } from "@cardkeep/contract/users/users";
import { lockUser, updateUser } from "@cardkeep/db/queries/users/users";
import { createContext } from "@cardkeep/domain/core/context";
import { acceptTerms, readCurrentVersions } from "@cardkeep/domain/users/users/terms";
import { settlePhone } from "@cardkeep/domain/verification/phone/settlePhone";
import { answerQuestions, listQuestions } from "@cardkeep/domain/verification/sourceOfFunds/answerQuestions";
import type { Runtime } from "@cardkeep/runtime/compose";
import { answerSourceOfFunds, nextPhone, validatePhone } from "./orders.ts";
import type { Person } from "./person.ts";

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * Completes a person: by the API's own verbs in one commit where the test holds the service's runtime, and through the API elsewhere. That is a
 * fifth of the processor time. `long/people.test.ts` and `flows/journey.test.ts` go through the API.
 */
export async function completePerson(person: Person): Promise<Person> {
  const { runtime } = person.service;
  if (runtime !== undefined) {
    await commitAll(runtime, person);
    return person;
  }
  await validatePhone(person);
  await answerSourceOfFunds(person);
  return person.acceptTerms();
}

/** An approved person with all data for a paid order. */
export const becomeComplete = async (person: Person): Promise<Person> => completePerson(await person.becomeApproved());

async function commitAll({ services }: Runtime, { account, userId: id }: Person): Promise<void> {
  if (id === null) throw new Error("The person has not signed up");
  const actor = { userId: id, signerAddress: account.address };
  const ctx = { ...createContext(services, { log: quiet, requestId: "test" }), actor };
  const versionOf = await readCurrentVersions(ctx.db);
  const asked = await listQuestions(ctx, {});
  const writeAll = await Promise.all([
    answerQuestions(
      ctx,
      asked.map(({ question, answers: [answer = ""] }) => ({ question, answer })),
    ),
    ...acceptableTerms.map((type) => acceptTerms(ctx, { terms: type, version: versionOf(type) })),
  ]);
  await ctx.commit(async (work) => {
    await updateUser(work.tx, id, { phone: nextPhone(), isPhoneValidated: false });
    const user = await lockUser(work.tx, id);
    if (!user || !(await settlePhone(ctx, work, user))) throw new Error("The phone is not validated");
    for (const write of writeAll) await write(work);
  });
}
