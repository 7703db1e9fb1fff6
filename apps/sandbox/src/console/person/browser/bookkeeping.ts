/** Statements of account, and tokens for programs. */
import { type Command, textOf } from "./command.ts";

type Format = "json" | "csv" | "pdf" | "camt053";
type Scope = "transactions" | "balances" | "statements";

const extensions = { csv: "csv", pdf: "pdf", camt053: "xml" } as const satisfies Record<
  Exclude<Format, "json">,
  string
>;

const statement: Command = async (actor, fields) => {
  const month = textOf(fields, "month");
  const format = textOf(fields, "format") as Format;
  if (format !== "json") {
    const name = `statement-${month}.${extensions[format]}`;
    await actor.download(`/api/v1/statements/${month}?format=${format}`, name);
    return `The browser saved ${name}.`;
  }
  const { openingBalance, closingBalance, currency, entries } = await actor.api("statements", "get", { month });
  const balances = `It begins with ${openingBalance} ${currency} and ends with ${closingBalance} ${currency}`;
  return `${balances}. Entries: ${entries.length}. The request below has all of it.`;
};

const create: Command = async (actor, fields) => {
  const { token } = await actor.api("tokens", "create", {
    name: textOf(fields, "name"),
    scopes: [textOf(fields, "scope") as Scope],
  });
  return `Keep this token, which is not shown again: ${token}`;
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
