/** What operators do about one user. */
import { contactKinds, risks } from "@cardkeep/db/schema/users/users";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { formatJson } from "@cardkeep/domain/core/wording";
import { endAccess } from "@cardkeep/domain/users/users/endAccess";
import { exportUser } from "@cardkeep/domain/users/users/eraseUser";
import { resolveUser } from "@cardkeep/domain/users/users/listUsers";
import { setUserStatus } from "@cardkeep/domain/users/users/setUserStatus";
import { requestContactChange, withdrawContactChange } from "@cardkeep/domain/verification/contacts/requestChange";
import { setRisk } from "@cardkeep/domain/verification/sourceOfFunds/setRisk";
import { type ActOf, chooseGiven } from "../defineNoun.ts";
import type { NounFile } from "../noun.ts";
import { erasureActs } from "./erasureActs.ts";
import { thenRead, type UserRow, whileKept } from "./userRow.ts";

async function exportAll(ctx: OperatorContext, reference: string): Promise<NounFile> {
  const data = await exportUser(ctx, { reference });
  async function* write() {
    yield formatJson(data);
  }
  return {
    fileName: `cardkeep-user-${data.userId}.json`,
    contentType: "application/json; charset=utf-8",
    pieces: write(),
  };
}

export const userActs: Readonly<Record<string, ActOf<UserRow>>> = {
  deactivate: {
    verb: "users.deactivate",
    brief: "Deactivates a user, who can then only read and withdraw",
    example: "users deactivate ada@example.org",
    offer: whileKept(({ status }) =>
      status === "ACTIVE"
        ? {
            label: "Deactivate this user",
            consequence:
              "The user can then only read and withdraw, and the cards decline. It can be undone at any time.",
            isDanger: true,
          }
        : null,
    ),
    run: (ctx, key) => setUserStatus(ctx, { reference: key, status: "DEACTIVATED" }),
  },
  activate: {
    verb: "users.activate",
    brief: "Activates a deactivated user again",
    example: "users activate ada@example.org",
    offer: whileKept(({ status }) =>
      status === "DEACTIVATED"
        ? {
            label: "Activate this user",
            consequence: "The user can do everything again, and the cards spend again.",
          }
        : null,
    ),
    run: (ctx, key) => setUserStatus(ctx, { reference: key, status: "ACTIVE" }),
  },
  "end-access": {
    verb: "users.end-access",
    brief: "Ends every access token of a user, who may sign in again",
    example: "users end-access ada@example.org",
    offer: whileKept(() => ({
      label: "End every access token",
      consequence: "The user is signed out everywhere within a second, and may sign in again with the same wallets.",
    })),
    run: thenRead(endAccess),
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
    offer: whileKept(({ sourceOfFundsRisk }) => ({
      label: "Set the risk of the source of funds",
      consequence: "With risk red the user gets no further card.",
      present: { risk: sourceOfFundsRisk },
    })),
    run: (ctx, key, { risk }) => setRisk(ctx, { reference: key, risk: chooseGiven(risks, risk) }),
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
        meanings: { email: "E-mail", phone: "Phone" },
        isArgument: true,
      },
      value: {
        label: "New address, or number such as +4915112345678",
        brief: "The new mail address, or phone number in E.164 form",
        placeholder: "value",
        isArgument: true,
      },
    },
    offer: whileKept(({ status }) =>
      status === "ACTIVE"
        ? {
            label: "Change the mail address or phone number",
            consequence:
              "The user gets a link at another proven contact, for a day, and then a code at the new one. Nothing changes unless the " +
              "user agrees. For a day afterwards no card number or PIN is shown.",
          }
        : null,
    ),
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
    offer: whileKept(({ contactChange }) =>
      contactChange ? { label: "Take back the change of a contact", consequence: "Its link serves no more." } : null,
    ),
    run: thenRead(withdrawContactChange),
  },
  export: {
    verb: "users.export",
    brief: "Answers all data of a user as a JSON file, to be handed to the user",
    example: "users export ada@example.org",
    offer: whileKept(() => ({
      label: "Export all data of this user",
      consequence: "A JSON file with all personal data, for the user to have. The action log records who took it.",
    })),
    file: exportAll,
  },
  ...erasureActs,
};
