import { kycStatus } from "@cardkeep/contract/kyc";
import { risks } from "@cardkeep/db/schema/users";
import { setRisk } from "@cardkeep/domain/sourceOfFunds/setRisk";
import { eraseUser } from "@cardkeep/domain/users/eraseUser";
import { exportUser } from "@cardkeep/domain/users/exportUser";
import { getUserDetails, listUsers, type UserDetails } from "@cardkeep/domain/users/find";
import { setUserStatus } from "@cardkeep/domain/users/setUserStatus";
import { formatDebt } from "@cardkeep/domain/balances/formatDebt";
import { formatInstant } from "@cardkeep/domain/wording";
import { z } from "zod";
import { type Answer, type Command, defineCommand, type Noun } from "./command.ts";
import { limit, limitFlag, formatMoreHint } from "./lists.ts";
import { renderFields, renderJson, renderTable } from "./print.ts";

const or = (...values: (string | null)[]): string => values.filter((value) => value !== null).join(" ") || "-";

const answer = (user: UserDetails): Answer => ({
  data: user,
  text: renderFields([
    ["Id", user.id],
    ["Status", user.status],
    ["E-mail", user.email],
    ["Name", or(user.firstName, user.lastName)],
    ["Country", or(user.country)],
    ["Phone", or(user.phone)],
    ["KYC", user.kycStatus],
    ["Funds", or(user.sourceOfFundsRisk)],
    ["Partner", or(user.partnerId)],
    ["Created", formatInstant(user.createdAt)],
    ["Wallets", user.signInWallets.map((wallet) => `${wallet.address}  since ${formatInstant(wallet.createdAt)}`)],
    ["Safes", user.safes.map((safe) => `${safe.address}  ${safe.status}  ${or(safe.tokenSymbol)}`)],
    ["Owes", user.debts.map((debt) => `${formatDebt(debt)} for ${debt.payments} card payments`)],
    ["Changed by", user.violations.map(({ status, reason, hash }) => `${reason}  ${status}  ${hash}`)],
    ["IBAN", or(user.ibanStatus)],
    ["Operations", `${user.openDelays} open`],
  ]),
});

const reference = z.object({ user: z.string() });

const setStatus = (status: UserDetails["status"], summary: string): Command =>
  defineCommand({
    summary,
    takes: ["user"],
    input: reference,
    run: async (session, { user }) => {
      const ctx = await session.open();
      const { id } = await setUserStatus(ctx, { reference: user, status });
      return answer(await getUserDetails(ctx, { reference: id }));
    },
  });

export const users: Noun = {
  summary: "People, by id, e-mail address, sign-in wallet or Safe",
  verbs: {
    list: defineCommand({
      summary: "Users, newest first",
      flags: {
        status: { kind: "text", value: "STATUS", summary: "ACTIVE or DEACTIVATED only" },
        kycStatus: { kind: "text", name: "kyc", value: "STATUS", summary: "Those of this KYC status only" },
        owing: { kind: "switch", summary: "Those who owe for card payments only" },
        limit: limitFlag,
      },
      input: z.object({
        owing: z.boolean().optional(),
        status: z.enum(["ACTIVE", "DEACTIVATED"]).optional(),
        kycStatus: kycStatus.optional(),
        limit,
      }),
      run: async (session, input) => {
        const data = await listUsers(await session.open(), input);
        const rows = data.map((user) => [
          user.id,
          user.email,
          user.status,
          user.kycStatus,
          user.country ?? "-",
          formatInstant(user.createdAt),
        ]);
        const columns = [
          { title: "id" },
          { title: "e-mail", elastic: true },
          { title: "status" },
          { title: "kyc" },
          { title: "in" },
          { title: "created" },
        ];
        return { data, text: renderTable(columns, rows, "There are no users.") + formatMoreHint(data, input.limit) };
      },
    }),
    show: defineCommand({
      summary: "One user with wallets, Safes and open operations",
      takes: ["user"],
      input: reference,
      run: async (session, { user }) => answer(await getUserDetails(await session.open(), { reference: user })),
    }),
    deactivate: setStatus("DEACTIVATED", "Lets the user read and withdraw, and nothing else"),
    activate: setStatus("ACTIVE", "Lets the user do everything again"),
    export: defineCommand({
      summary: "Everything that is known of the user, as JSON, for the user to have",
      takes: ["user"],
      input: reference,
      run: async (session, { user }) => {
        const data = await exportUser(await session.open(), { reference: user });
        return { data, text: renderJson(data) };
      },
    }),
    erase: defineCommand({
      summary: "Forgets the user for good; tells what is kept, and why",
      takes: ["user"],
      input: reference,
      run: async (session, { user }) => {
        const data = await eraseUser(await session.open(), { reference: user });
        const rows = data.tables
          .filter((table) => table.rows > 0)
          .map(({ table, rows: count, kept }) => [table, String(count), kept ?? "gone"]);
        const columns = [{ title: "table" }, { title: "rows", align: "right" as const }, { title: "kept because" }];
        return { data, text: renderTable(columns, rows, "Nothing was known.") };
      },
    }),
    risk: defineCommand({
      summary: "Judges the user's source of funds: green, orange, or red, which gets no card",
      takes: ["user", "risk"],
      input: z.object({ user: z.string(), risk: z.enum(risks) }),
      run: async (session, { user, risk }) => {
        const ctx = await session.open();
        const { id } = await setRisk(ctx, { reference: user, risk });
        return answer(await getUserDetails(ctx, { reference: id }));
      },
    }),
  },
};
