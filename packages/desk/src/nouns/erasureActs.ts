/** What operators do about the data of one user: legal holds, and erasure. */
import { eraseUser } from "@cardkeep/domain/users/users/eraseUser";
import { liftHold, placeHold } from "@cardkeep/domain/users/users/legalHold";
import { resolveUser } from "@cardkeep/domain/users/users/listUsers";
import { requestErasure } from "@cardkeep/domain/users/users/requestErasure";
import { type ActOf, Answered, Made } from "../defineNoun.ts";
import { code, text } from "../value.ts";
import { thenRead, type UserRow, whileKept } from "./userRow.ts";

const together = new Intl.ListFormat("en-GB");

export const erasureActs: Readonly<Record<string, ActOf<UserRow>>> = {
  hold: {
    verb: "users.hold",
    brief: "Places a legal hold about a user: no record is erased or deleted until it is lifted",
    example: "users hold ada@example.org --reason court-order-12-O-34",
    offer: whileKept(({ hold }) =>
      hold
        ? null
        : {
            label: "Place a legal hold",
            consequence:
              "Nothing of this user is erased, and no record is deleted by its age, until it is lifted. Codes and other rows of a day go as always.",
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
            consequence: "The user can be erased again, and records are deleted at their dates.",
          }
        : null,
    ),
    run: thenRead(liftHold),
  },
  "request-erasure": {
    verb: "users.request-erasure",
    brief: "Asks compliance to erase a user, in the person's words, by a case; give --reason",
    details:
      "While a request is open, another one answers its case. The erasure closes the case and removes the words. The action log has\n" +
      "none of them.",
    example: "users request-erasure ada@example.org --words delete-all-of-me --reason phone-call-4711",
    inputs: {
      words: {
        label: "What the person asks for, in the person's words",
        brief: "What the person asks for, in the person's words",
        placeholder: "WORDS",
        isLong: true,
        isRequired: true,
      },
    },
    offer: whileKept(({ erasureRequest = null }) =>
      erasureRequest
        ? null
        : {
            label: "Ask compliance to erase this user",
            consequence:
              "It opens a case for compliance, who erases the person or says why not. Nothing is erased by this. The words go with the " +
              "erasure; the log of actions has none of them.",
          },
    ),
    run: async (ctx, key, { words = "" }) => {
      const user = await resolveUser(ctx.db, key);
      const { id } = await requestErasure(ctx, { reference: user.id, words });
      return new Made(user, { noun: "cases", key: id });
    },
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
