/** Statements of account, and tokens for programs. */
import { type Command, textOf } from "./command.ts";

type Format = "json" | "csv" | "pdf" | "camt053";
type Scope = "transactions" | "balances" | "statements";

const statement: Command = async (actor, fields) => {
  const month = textOf(fields, "month");
  const format = textOf(fields, "format") as Format;
  if (format === "pdf") {
    await actor.download(`/api/v1/statements/${month}?format=pdf`, `statement-${month}.pdf`);
    return "The browser saved the pages.";
  }
  await actor.api("statements", "get", { month, format });
  return `The statement of ${month} is below.`;
};

const create: Command = async (actor, fields) => {
  const { token } = await actor.api("tokens", "create", {
    name: textOf(fields, "name"),
    scopes: [textOf(fields, "scope") as Scope],
  });
  return `The token is ${token}. It is not shown again.`;
};

const revoke: Command = async (actor, fields) => {
  await actor.api("tokens", "remove", { id: textOf(fields, "id") });
  return "The token has ended.";
};

export const bookkeeping: Readonly<Record<string, Command>> = {
  statement,
  "token.create": create,
  "token.revoke": revoke,
};
