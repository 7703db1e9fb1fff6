import { kycStatus } from "@cardkeep/contract/verification/kyc";
import { getUserDetails, listUsers } from "@cardkeep/domain/users/users/listUsers";
import { defineNoun } from "../defineNoun.ts";
import { code, count, id, instant, status, text } from "../value.ts";
import { type UserRow, userActs } from "./userActs.ts";

const statuses = ["ACTIVE", "DEACTIVATED"] as const;

export const users = defineNoun({
  name: "users",
  title: "Users",
  group: "People",
  brief: "People, by id, e-mail address, sign-in wallet or Safe",
  argument: { name: "user", brief: "Id, e-mail address, sign-in wallet or Safe" },
  keyOf: (row: UserRow) => row.id,
  list: {
    verb: "users.list",
    brief: "Lists users, newest first",
    example: "users list --kyc approved",
    lead: "People with an account.",
    none: "There are no such users.",
    filters: {
      kyc: {
        label: "KYC",
        brief: "Only users with this KYC status",
        placeholder: "STATUS",
        values: kycStatus.options,
        isTab: true,
      },
      status: { label: "Status", brief: "Only users with this status", placeholder: "STATUS", values: statuses },
      owing: { label: "Debt", brief: "Only users who owe for card payments", placeholder: "yes", values: ["yes"] },
    },
    columns: [
      { name: "User", of: (row) => id(row.id, "users") },
      { name: "E-mail", of: (row) => text(row.email, "person"), terminal: "elastic" },
      { name: "Status", of: (row) => status(row.status) },
      { name: "KYC", of: (row) => status(row.kycStatus) },
      { name: "Country", of: (row) => text(row.country), terminal: "optional" },
      { name: "Created", of: (row) => instant(row.createdAt) },
    ],
    read: (ctx, { kyc, owing, ...choice }): Promise<readonly UserRow[]> =>
      listUsers(ctx, { ...choice, kycStatus: kyc, owing: owing !== null }),
  },
  show: {
    verb: "users.show",
    brief: "Shows one user with wallets, Safes and open operations",
    example: "users show ada@example.org",
    title: "User",
    read: (ctx, key) => getUserDetails(ctx, { reference: key }),
    rowOf: (shown) => shown,
    fields: (shown) => [
      ["User", code(shown.id)],
      ["Status", status(shown.status)],
      ["E-mail", text(shown.email, "person")],
      ["Name", text([shown.firstName, shown.lastName].filter(Boolean).join(" ") || null, "person")],
      ["Country", text(shown.country)],
      ["Phone", text(shown.phone, "person")],
      ["KYC", status(shown.kycStatus)],
      ["Funds", status(shown.sourceOfFundsRisk)],
      ["Partner", id(shown.partnerId, "partners")],
      ["Created", instant(shown.createdAt)],
      ["Wallets", shown.signInWallets.map(({ address }) => code(address))],
      ["Safes", shown.safes.map((safe) => code(safe.address, safe.status))],
      ["IBAN", status(shown.ibanStatus)],
      ["Open operations", count(shown.openDelays)],
    ],
  },
  acts: userActs,
});
