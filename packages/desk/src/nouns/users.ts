import { kycStatus } from "@cardkeep/contract/verification/kyc";
import { formatInstant } from "@cardkeep/domain/core/wording";
import { getUserDetails, type UserDetails } from "@cardkeep/domain/operations/people/getUserDetails";
import { listUsers } from "@cardkeep/domain/users/users/listUsers";
import { defineNoun } from "../defineNoun.ts";
import { code, count, id, instant, status, text, tokens, type Value } from "../value.ts";
import { userActs } from "./userActs.ts";
import type { UserRow } from "./userRow.ts";

const statuses = ["ACTIVE", "DEACTIVATED"] as const;

const describeChange = ({ contactChange }: UserDetails): readonly Value[] =>
  contactChange === null
    ? []
    : [
        text(
          `${contactChange.kind === "email" ? "mail address" : "phone number"}, asked for by ${contactChange.operator}`,
        ),
        text("waits for the user until"),
        instant(contactChange.expiresAt),
      ];

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
    example: ["users list --kyc approved", "users list --owing"],
    lead: "People with an account.",
    none: "There are no such users.",
    hint: "The first signs up in your app; on your machine `bun run demo` plays one.",
    filters: {
      kyc: {
        label: "KYC",
        brief: "Only users with this KYC status",
        placeholder: "STATUS",
        values: kycStatus.options,
        isTab: true,
      },
      status: { label: "Status", brief: "Only users with this status", placeholder: "STATUS", values: statuses },
      owing: {
        label: "Debt",
        brief: "Only users who owe for card payments",
        placeholder: "yes",
        values: ["yes"],
        isSwitch: true,
      },
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
    // The page shows these in tables and pictures of its own.
    page: () => ({
      without: ["User", "Created", "Wallets", "Safes", "Owes", "Changed by", "IBAN", "Open operations"],
    }),
    fields: (shown) => [
      ["User", code(shown.id)],
      ["Name", text([shown.firstName, shown.lastName].filter(Boolean).join(" ") || null, "person")],
      [
        "Phone",
        [text(shown.phone, "person"), text(shown.phone === null || shown.isPhoneValidated ? null : "unproven")],
      ],
      ["E-mail", text(shown.email, "person")],
      ["Status", status(shown.status)],
      ["Erased", instant(shown.erasedAt)],
      ["KYC", status(shown.kycStatus)],
      ["Country", text(shown.country)],
      ["Funds", status(shown.sourceOfFundsRisk)],
      ["Partner", id(shown.partnerId, "partners")],
      ["Change of a contact", describeChange(shown)],
      ["Legal hold", [instant(shown.hold?.placedAt ?? null, shown.hold?.placedBy), text(shown.hold?.reason ?? null)]],
      [
        "Erasure asked for",
        shown.erasureRequest === null
          ? []
          : [instant(shown.erasureRequest.createdAt), id(shown.erasureRequest.id, "cases")],
      ],
      [
        "Kept by the law",
        shown.restricted.map(({ recordClass, until }) => text(`${recordClass} until ${formatInstant(until)}`)),
      ],
      ["Created", instant(shown.createdAt)],
      ["Wallets", shown.signInWallets.map(({ address }) => code(address))],
      ["Safes", shown.safes.map((safe) => code(safe.address, safe.status))],
      ["Owes", shown.debts.map(({ owed, tokenSymbol }) => tokens(owed, tokenSymbol))],
      ["Changed by", shown.violations.map(({ status: word, reason, hash }) => code(hash, `${reason}, ${word}`))],
      ["IBAN", status(shown.ibanStatus)],
      ["Open operations", count(shown.openDelays)],
    ],
  },
  acts: userActs,
});
