import { users as noun } from "@cardkeep/desk/nouns/users";
import { kycStatus } from "@cardkeep/contract/verification/kyc";
import { risks } from "@cardkeep/db/schema/users/users";
import { setRisk } from "@cardkeep/domain/verification/sourceOfFunds/setQuestions";
import { endAccess } from "@cardkeep/domain/users/users/endAccess";
import { eraseAgain, erasedAgainMax } from "@cardkeep/domain/users/users/eraseAgain";
import { eraseUser, exportUser } from "@cardkeep/domain/users/users/eraseUser";
import { getUserDetails, listUsers, type UserDetails } from "@cardkeep/domain/users/users/listUsers";
import { liftHold, placeHold } from "@cardkeep/domain/users/users/legalHold";
import { setUserStatus } from "@cardkeep/domain/users/users/setUserStatus";
import type { z } from "zod";
import { answerUser } from "./answerUser.ts";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { buildNoun } from "./desk.ts";
import { readErasedUsers } from "./erasureLog.ts";
import { UsageError } from "./errors.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { optionalSwitch, parseChoice, parseText, textArgument, withJson, withReason } from "./parameters.ts";
import { renderJson, renderTable } from "./print.ts";
import { joinTexts, phrase } from "./texts.ts";

const userArgument = {
  parse: parseText,
  placeholder: "user",
  brief: "Id, e-mail address, sign-in wallet or Safe",
} as const;
const oneUser = { kind: "tuple", parameters: [userArgument] } as const;

const columns = [
  { title: "id" },
  { title: "e-mail", elastic: true },
  { title: "status" },
  { title: "kyc" },
  { title: "in", optional: true },
  { title: "created" },
];

const setStatus = (status: UserDetails["status"], brief: string, verb: "activate" | "deactivate") =>
  buildChange({
    verb: `users.${verb}`,
    brief,
    example: `users ${verb} ada@example.org`,
    parameters: { flags: withReason({}), positional: oneUser },
    run: async (cli: CliContext, _: object, user: string) => {
      const ctx = await cli.open();
      const { id } = await setUserStatus(ctx, { reference: user, status });
      return answerUser(await getUserDetails(ctx, { reference: id }));
    },
  });

interface ListFlags {
  status?: UserDetails["status"];
  kyc?: z.output<typeof kycStatus>;
  owing?: boolean;
  limit: number;
}

export const users = buildNoun(noun, {
  list: buildVerb({
    verb: "users.list",
    brief: "Lists users, newest first",
    example: ["users list --kyc approved", "users list --owing --exact"],
    parameters: {
      flags: withJson({
        status: {
          kind: "enum",
          values: ["ACTIVE", "DEACTIVATED"],
          optional: true,
          brief: "Only users with this status",
        },
        kyc: {
          kind: "enum",
          values: kycStatus.options,
          optional: true,
          placeholder: "STATUS",
          brief: "Only users with this KYC status",
        },
        owing: optionalSwitch("Only users who owe for card payments"),
        limit,
      }),
    },
    run: async (cli: CliContext, { kyc, owing, status, limit: most }: ListFlags) => {
      const data = await listUsers(await cli.open(), { status, kycStatus: kyc, owing, limit: most });
      const rows = data.map((user) => [
        user.id,
        user.email,
        user.status,
        user.kycStatus,
        user.country ?? "-",
        user.createdAt,
      ]);
      return {
        data,
        text: joinTexts(
          renderTable(
            columns,
            rows,
            "There are no such users. The first signs up in your app; on your machine `bun run demo` plays one.",
          ),
          formatMoreHint(data, most),
        ),
      };
    },
  }),
  show: buildVerb({
    verb: "users.show",
    brief: "Shows one user with wallets, Safes and open operations",
    example: "users show ada@example.org",
    parameters: { flags: withJson({}), positional: oneUser },
    run: async (cli: CliContext, _: object, user: string) =>
      answerUser(await getUserDetails(await cli.open(), { reference: user })),
  }),
  deactivate: setStatus("DEACTIVATED", "Deactivates a user, who can then only read and withdraw", "deactivate"),
  activate: setStatus("ACTIVE", "Activates a deactivated user again", "activate"),
  "end-access": buildChange({
    verb: "users.end-access",
    brief: "Ends every access token of a user, who may sign in again",
    example: "users end-access ada@example.org",
    parameters: { flags: withReason({}), positional: oneUser },
    run: async (cli: CliContext, _: object, user: string) => {
      const data = await endAccess(await cli.open(), { reference: user });
      return { data, text: `The access tokens of ${data.wallets} wallets ended.\n` };
    },
  }),
  export: buildChange({
    verb: "users.export",
    brief: "Prints all data of a user as JSON, to be handed to the user",
    waitsFor: "collects the data of the user",
    example: "users export ada@example.org",
    parameters: { flags: withReason({}), positional: oneUser },
    run: async (cli: CliContext, _: object, user: string) => {
      const data = await exportUser(await cli.open(), { reference: user });
      return { data, text: renderJson(data) };
    },
  }),
  erase: buildChange({
    verb: "users.erase",
    brief: "Erases a user for good, and prints which records stay and why",
    example: "users erase ada@example.org",
    parameters: { flags: withReason({}), positional: oneUser },
    run: async (cli: CliContext, _: object, user: string) => {
      const data = await eraseUser(await cli.open(), { reference: user });
      const rows = data.tables
        .filter((table) => table.rows > 0)
        .map(({ table, rows: count, kept }) => [table, String(count), kept ?? "gone"]);
      const titles = [{ title: "table" }, { title: "rows", align: "right" as const }, { title: "kept because" }];
      const restricted = data.restricted.map(({ reason, until }) => phrase`${reason}: sealed until ${until}.\n`);
      return { data, text: joinTexts(renderTable(titles, rows, "There was no data of this user."), ...restricted) };
    },
  }),
  "erase-again": buildChange({
    verb: "users.erase-again",
    brief: "Repeats the erasures that a log names, after a restored backup brought their people back",
    details:
      "The log of servers and commands is outside of the database and has a line for each erasure. Give the log since the\n" +
      "moment of the backup. The command may be repeated: who is erased stays so.",
    example: "users erase-again server.log",
    parameters: { flags: withReason({}), positional: textArgument("file", "Path of the log: lines of JSON") },
    run: async (cli: CliContext, _: object, file: string) => {
      const userIds = await readErasedUsers(file);
      if (userIds.length > erasedAgainMax)
        throw new UsageError(`${file} names more than ${erasedAgainMax} erasures. Give it in parts.`);
      const data = await eraseAgain(await cli.open(), { userIds });
      const titles = [{ title: "user" }, { title: "outcome" }, { title: "because", elastic: true }];
      const rows = data.map(({ userId, outcome, reason }) => [userId, outcome, reason ?? "-"]);
      const exitCode = data.some(({ outcome }) => outcome === "left") ? 1 : 0;
      return { data, text: renderTable(titles, rows, "The log names no erasure."), exitCode };
    },
  }),
  hold: buildChange({
    verb: "users.hold",
    brief: "Places a legal hold about a user: nothing is erased or deleted until it is lifted",
    example: "users hold ada@example.org --reason court-order-12-O-34",
    parameters: { flags: withReason({}), positional: oneUser },
    run: async (cli: CliContext, _: object, user: string) => {
      const data = await placeHold(await cli.open(), { reference: user });
      return { data, text: `The legal hold about user ${data.userId} is placed.\n` };
    },
  }),
  release: buildChange({
    verb: "users.release",
    brief: "Lifts the legal hold about a user",
    example: "users release ada@example.org",
    parameters: { flags: withReason({}), positional: oneUser },
    run: async (cli: CliContext, _: object, user: string) => {
      const data = await liftHold(await cli.open(), { reference: user });
      return { data, text: `The legal hold about user ${data.userId} is lifted.\n` };
    },
  }),
  risk: buildChange({
    verb: "users.risk",
    brief: "Sets the risk of a user's source of funds. A user with risk red gets no card",
    example: "users risk ada@example.org green",
    parameters: {
      flags: withReason({}),
      positional: {
        kind: "tuple",
        parameters: [
          userArgument,
          { parse: parseChoice(risks), placeholder: "risk", brief: `One of ${risks.join(", ")}` },
        ],
      },
    },
    run: async (cli: CliContext, _: object, user: string, risk: (typeof risks)[number]) => {
      const ctx = await cli.open();
      const { id } = await setRisk(ctx, { reference: user, risk });
      return answerUser(await getUserDetails(ctx, { reference: id }));
    },
  }),
});
