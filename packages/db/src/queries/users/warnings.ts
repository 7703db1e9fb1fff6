/**
 * Warnings: messages about who signs in for a user. Each protects the account, so no choice of the user stops it.
 *
 * A warning is a row of the messages that wait, one for each way. Its subject has the wallet's address, since the wallet may be
 * gone before the warning is sent. The id of a wallet alone is the mail about its first sign-in: the release before reads that.
 */
import type { Address } from "@cardkeep/contract/core/primitives";
import { and, eq, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { isOneOf } from "../../schema/columns.ts";
import { userMessages, users } from "../../schema/tables.ts";
import type { UserMessage } from "./messages.ts";

/** The kind of every warning. No other message has it. */
export const warningKind = "signIns";

export const warningSubjects = ["signedIn", "removed", "added", "token"] as const;
/** What happened: a wallet signed in first, was removed, was added by support, or made a token for programs. */
export type WarningSubject = (typeof warningSubjects)[number];

export type WarningWay = "mail" | "sms";

interface Warning {
  readonly what: WarningSubject;
  readonly way: WarningWay;
  /** Of the wallet; null where its row has it. */
  readonly address: string | null;
  /** Of the wallet, or of the token. */
  readonly id: string;
}

const spell = (what: WarningSubject, way: WarningWay, { address, id }: Pick<Warning, "address" | "id">): string =>
  [what, way, address, id].join(":");

/** What the subject of a warning says. */
export function readWarning({ subjectId }: Pick<UserMessage, "subjectId">): Warning {
  const [what, way, address = "", id = ""] = subjectId.split(":");
  const known = warningSubjects.find((each) => each === what);
  if (known === undefined) return { what: "signedIn", way: "mail", address: null, id: subjectId };
  return { what: known, way: way === "sms" ? "sms" : "mail", address, id };
}

/** Further warnings say nothing that so many which wait do not say. Those of tokens, of which one wallet makes many, hold up no other. */
const waitingMax = 500;

/** Adds a warning: by mail, and by text to a user with a number. `messageIds` name its rows. */
export async function addWarning(
  tx: Executor,
  warning: {
    messageIds: readonly [string, string];
    userId: string;
    what: WarningSubject;
    address: Address;
    id: string;
    requestId: string;
    createdAt: Date;
  },
): Promise<void> {
  const { userId, what, requestId, createdAt } = warning;
  const at = sql.param(createdAt, userMessages.createdAt);
  const [mailId, textId] = warning.messageIds;
  const mail = what === "signedIn" ? warning.id : spell(what, "mail", warning);
  const counted =
    what === "token" ? sql`` : sql`and w.kind = ${warningKind} and not starts_with(w.subject_id, 'token:')`;
  await tx.execute(sql`
    insert into ${userMessages} (id, user_id, kind, about, subject_id, request_id, created_at)
    select given.id, ${users.id}, ${warningKind}, 'wallet', given.subject_id, ${requestId}, ${at}
    from ${users}, (values (${mailId}, ${mail}), (${textId}, ${spell(what, "sms", warning)})) as given(id, subject_id)
    where ${users.id} = ${userId} and ${users.erasedAt} is null
      and (given.id = ${mailId} or ${users.phone} is not null or ${users.formerPhone} is not null)
      and (select count(*) from (select from ${userMessages} w where w.user_id = ${userId} ${counted} limit ${waitingMax}) waiting) < ${waitingMax}
    on conflict do nothing`);
}

/** Has a waiting warning about a wallet outlive the wallet's row. */
export async function keepWarning(tx: Executor, { id, address }: { id: string; address: Address }): Promise<void> {
  await tx
    .update(userMessages)
    .set({ subjectId: spell("signedIn", "mail", { address, id }) })
    .where(and(isOneOf(userMessages.about, ["wallet"]), eq(userMessages.subjectId, id)));
}
