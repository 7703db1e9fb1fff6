import { kycStatus } from "@cardkeep/contract/verification/kyc";
import type { User } from "@cardkeep/db/queries/users/users";
import { contactKinds, risks } from "@cardkeep/db/schema/users/users";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { requestContactChange, withdrawContactChange } from "@cardkeep/domain/verification/contacts/requestChange";
import { endAccess } from "@cardkeep/domain/users/users/endAccess";
import { liftHold, placeHold } from "@cardkeep/domain/users/users/legalHold";
import { getUserDetails, listUsers, resolveUser } from "@cardkeep/domain/users/users/listUsers";
import { setUserStatus } from "@cardkeep/domain/users/users/setUserStatus";
import { setRisk } from "@cardkeep/domain/verification/sourceOfFunds/setQuestions";
import { chooseGiven, defineNoun } from "../defineNoun.ts";
import { code, count, id, instant, status, text } from "../value.ts";

const statuses = ["ACTIVE", "DEACTIVATED"] as const;

/** Runs an act that answers something else, and reads the user. */
const thenRead =
  (run: (ctx: OperatorContext, input: { reference: string }) => Promise<unknown>) =>
  async (ctx: OperatorContext, reference: string): Promise<User> => {
    const user = await resolveUser(ctx.db, reference);
    await run(ctx, { reference: user.id });
    return user;
  };

export const users = defineNoun({
  name: "users",
  title: "Users",
  group: "People",
  brief: "People, by id, e-mail address, sign-in wallet or Safe",
  argument: { name: "user", brief: "Id, e-mail address, sign-in wallet or Safe" },
  keyOf: (row: User) => row.id,
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
    read: (ctx, { kyc, owing, ...choice }) => listUsers(ctx, { ...choice, kycStatus: kyc, owing: owing !== null }),
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
  acts: {
    deactivate: {
      verb: "users.deactivate",
      brief: "Deactivates a user, who can then only read and withdraw",
      example: "users deactivate ada@example.org",
      offer: (row) =>
        row.status === "ACTIVE"
          ? { label: "Deactivate this user", consequence: "They can then only read and withdraw.", isDanger: true }
          : null,
      run: (ctx, key) => setUserStatus(ctx, { reference: key, status: "DEACTIVATED" }),
    },
    activate: {
      verb: "users.activate",
      brief: "Activates a deactivated user again",
      example: "users activate ada@example.org",
      offer: (row) =>
        row.status === "DEACTIVATED"
          ? { label: "Activate this user", consequence: "They can do everything again." }
          : null,
      run: (ctx, key) => setUserStatus(ctx, { reference: key, status: "ACTIVE" }),
    },
    "end-access": {
      verb: "users.end-access",
      brief: "Ends every access token of a user, who may sign in again",
      example: "users end-access ada@example.org",
      offer: () => ({
        label: "End access tokens",
        consequence: "Every access token ends. The user may sign in again.",
      }),
      run: thenRead(endAccess),
    },
    "change-contact": {
      verb: "users.change-contact",
      brief: "Asks a user to change the mail address or phone number, by a link; give --reason",
      details:
        "The link goes to another proven contact of the user, serves for a day, and asks for a code that goes to the new contact.\n" +
        "Nothing changes unless the user agrees. For a day afterwards no card's number or PIN is shown.",
      example: "users change-contact ada@example.org email ada@example.com --reason phone-call-4711",
      inputs: {
        kind: {
          label: "Contact",
          brief: `One of ${contactKinds.join(", ")}`,
          placeholder: "kind",
          values: contactKinds,
          isArgument: true,
        },
        value: {
          label: "New contact",
          brief: "The new mail address, or phone number in E.164 form",
          placeholder: "value",
          isArgument: true,
        },
      },
      offer: (row) =>
        row.status === "ACTIVE"
          ? {
              label: "Change a contact",
              consequence: "The user gets a link, and nothing changes unless the user agrees.",
            }
          : null,
      run: async (ctx, key, { kind = "", value = "" }) => {
        const user = await resolveUser(ctx.db, key);
        await requestContactChange(ctx, { reference: user.id, kind, value });
        return user;
      },
    },
    "withdraw-contact": {
      verb: "users.withdraw-contact",
      brief: "Takes back a request to change a contact of a user: its link serves no more; give --reason",
      example: "users withdraw-contact ada@example.org --reason not-the-holder",
      offer: () => ({ label: "Take back a change of a contact", consequence: "Its link serves no more." }),
      run: thenRead(withdrawContactChange),
    },
    hold: {
      verb: "users.hold",
      brief: "Places a legal hold about a user: nothing is erased or deleted until it is lifted",
      example: "users hold ada@example.org --reason court-order-12-O-34",
      offer: () => ({
        label: "Place a legal hold",
        consequence: "Nothing about the user is erased until it is lifted.",
      }),
      run: thenRead(placeHold),
    },
    release: {
      verb: "users.release",
      brief: "Lifts the legal hold about a user",
      example: "users release ada@example.org",
      offer: () => ({ label: "Lift the legal hold", consequence: "What is due is erased again." }),
      run: thenRead(liftHold),
    },
    risk: {
      verb: "users.risk",
      brief: "Sets the risk of a user's source of funds. A user with risk red gets no card",
      example: "users risk ada@example.org green",
      inputs: {
        risk: {
          label: "Risk",
          brief: `One of ${risks.join(", ")}`,
          placeholder: "risk",
          values: risks,
          isArgument: true,
        },
      },
      offer: () => ({ label: "Set the risk", consequence: "A user with risk red gets no card." }),
      run: (ctx, key, { risk }) => setRisk(ctx, { reference: key, risk: chooseGiven(risks, risk) }),
    },
  },
});
