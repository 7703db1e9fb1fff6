/** What operators do about one user. */
import type { User } from "@cardkeep/db/queries/users/users";
import { contactKinds, risks } from "@cardkeep/db/schema/users/users";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { formatJson } from "@cardkeep/domain/core/wording";
import type { UserDetails } from "@cardkeep/domain/operations/people/getUserDetails";
import { endAccess } from "@cardkeep/domain/users/users/endAccess";
import { eraseUser, exportUser } from "@cardkeep/domain/users/users/eraseUser";
import { liftHold, placeHold } from "@cardkeep/domain/users/users/legalHold";
import { resolveUser } from "@cardkeep/domain/users/users/listUsers";
import { setUserStatus } from "@cardkeep/domain/users/users/setUserStatus";
import { requestContactChange, withdrawContactChange } from "@cardkeep/domain/verification/contacts/requestChange";
import { setRisk } from "@cardkeep/domain/verification/sourceOfFunds/setQuestions";
import { type ActOf, Answered, chooseGiven } from "../defineNoun.ts";
import type { NounFile, Offer } from "../noun.ts";
import { code, text } from "../value.ts";

/** A user, and on the user's own page what decides which acts are offered. */
export type UserRow = User & Partial<Pick<UserDetails, "hold" | "contactChange" | "underWay">>;

/** Runs an act that answers something else, and reads the user. */
const thenRead =
  (run: (ctx: OperatorContext, input: { reference: string }) => Promise<unknown>) =>
  async (ctx: OperatorContext, reference: string): Promise<UserRow> => {
    const user = await resolveUser(ctx.db, reference);
    await run(ctx, { reference: user.id });
    return user;
  };

const together = new Intl.ListFormat("en-GB");

/** Nothing is offered about an erased user. */
const whileKept =
  (offer: (user: UserRow) => Offer | null) =>
  (user: UserRow): Offer | null =>
    user.erasedAt === null ? offer(user) : null;

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
  hold: {
    verb: "users.hold",
    brief: "Places a legal hold about a user: nothing is erased or deleted until it is lifted",
    example: "users hold ada@example.org --reason court-order-12-O-34",
    offer: whileKept(({ hold }) =>
      hold
        ? null
        : {
            label: "Place a legal hold",
            consequence:
              "Nothing of this user is erased, and nothing that the law keeps is deleted, until it is lifted.",
          },
    ),
    run: thenRead(placeHold),
  },
  release: {
    verb: "users.release",
    brief: "Lifts the legal hold about a user",
    example: "users release ada@example.org",
    offer: whileKept(({ hold }) =>
      hold
        ? {
            label: "Lift the legal hold",
            consequence: "The user can be erased again, and what the law keeps is deleted at its date.",
          }
        : null,
    ),
    run: thenRead(liftHold),
  },
  erase: {
    verb: "users.erase",
    brief: "Erases a user for good, and says which records stay and why",
    example: "users erase ada@example.org",
    offer: whileKept(({ hold, underWay = [] }) =>
      hold
        ? null
        : {
            label: "Erase this user",
            consequence:
              "The personal data are gone for good, and every sign-in ends. The books stay without names, and what the law wants kept " +
              "is sealed until its date. Money in the Safe stays on chain, in the hands of its owner. " +
              (underWay.length === 0
                ? "Nothing is under way."
                : `It would be refused now, because something is under way: ${together.format(underWay)}.`),
            isDanger: true,
          },
    ),
    run: async (ctx, key) => {
      const erasure = await eraseUser(ctx, { reference: key });
      return new Answered(erasure.userId, erasure, [
        ["Erased user", code(erasure.userId)],
        [
          "Rows",
          erasure.tables
            .filter(({ rows }) => rows > 0)
            .map(({ table, rows, kept }) => text(`${table}: ${rows}, ${kept === null ? "gone" : `kept: ${kept}`}`)),
        ],
        [
          "Kept by the law",
          erasure.restricted.map(({ reason, until }) => text(`${reason}: sealed until ${until.toISOString()}`)),
        ],
      ]);
    },
  },
};
