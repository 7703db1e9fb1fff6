/** Identity, source of funds, phone. */
import { type Command, textOf } from "./command.ts";
import { readCode } from "./registration.ts";

const identity: Command = async (actor) => {
  const { url } = await actor.api("kyc", "webLink", {});
  open(url, "_blank", "noopener");
  return `The hosted page is open in another tab: ${url}`;
};

const funds: Command = async (actor, fields) => {
  const questions = await actor.api("kyc", "questions", {});
  const chosen = Object.values((fields["answers"] ?? {}) as Record<string, string>);
  const answers = questions.map(({ question, answers: [first = ""] }, index) => ({
    question,
    answer: chosen[index] ?? first,
  }));
  await actor.api("kyc", "answer", answers);
  return "The answers are stored.";
};

const phone: Command = async (actor, fields) => {
  const phoneNumber = textOf(fields, "phoneNumber");
  await actor.api("phone", "start", { phoneNumber });
  await actor.api("phone", "check", { code: await readCode(actor, "/phones", phoneNumber) });
  return "The number is validated.";
};

export const verification: Readonly<Record<string, Command>> = { identity, funds, phone };
