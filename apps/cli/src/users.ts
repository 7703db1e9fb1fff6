/** What a terminal alone does about users; the rest is the noun's. */
import { users as noun } from "@cardkeep/desk/nouns/users";
import { eraseAgain, erasedAgainMax } from "@cardkeep/domain/users/users/eraseAgain";
import { exportUser } from "@cardkeep/domain/users/users/eraseUser";
import { buildChange } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { buildNoun } from "./desk.ts";
import { readErasedUsers } from "./erasureLog.ts";
import { UsageError } from "./errors.ts";
import { textArgument, withReason } from "./parameters.ts";
import { renderJson, renderTable } from "./print.ts";

export const users = buildNoun(noun, {
  // Prints the file: over --server it is written, as files of all nouns are.
  export: buildChange({
    verb: "users.export",
    brief: "Prints all data of a user as JSON, to be handed to the user",
    waitsFor: "collects the data of the user",
    example: "users export ada@example.org",
    parameters: { flags: withReason({}), positional: textArgument("user", noun.argument.brief) },
    run: async (cli: CliContext, _: object, user: string) => {
      const data = await exportUser(await cli.open(), { reference: user });
      return { data, text: renderJson(data) };
    },
  }),
  // Reads a log of this machine, and is about many users.
  "erase-again": buildChange({
    verb: "users.erase-again",
    brief: "Repeats the erasures that a log names, after a restored backup brought their people back",
    details:
      "The log of servers and commands is outside of the database and has a line for each erasure, which a command writes on\n" +
      "its error stream. Give the log since the moment of the backup. The command may be repeated: who is erased stays so.",
    example: "users erase-again server.log",
    parameters: { flags: withReason({}), positional: textArgument("file", "Path of the log: lines of JSON") },
    run: async (cli: CliContext, _: object, file: string) => {
      const userIds = readErasedUsers(file);
      if (userIds.length > erasedAgainMax)
        throw new UsageError(`${file} names more than ${erasedAgainMax} erasures. Give it in parts.`);
      const data = await eraseAgain(await cli.open(), { userIds });
      const titles = [{ title: "user" }, { title: "outcome" }, { title: "because", elastic: true }];
      const rows = data.map(({ userId, outcome, reason }) => [userId, outcome, reason ?? "-"]);
      const exitCode = data.some(({ outcome }) => outcome === "left") ? 1 : 0;
      return { data, text: renderTable(titles, rows, "The log names no erasure."), exitCode };
    },
  }),
});
