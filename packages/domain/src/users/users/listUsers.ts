/** Users as the operator finds them. */
import { fail } from "@cardkeep/contract/core/errors";
import { address } from "@cardkeep/contract/core/primitives";
import type { Executor } from "@cardkeep/db/client";
import {
  findUser,
  findUserByAddress,
  findUserByEmail,
  listUsers as listRows,
  listUsersById,
  type User,
} from "@cardkeep/db/queries/users/users";
import type { OperatorActor } from "../../core/actor.ts";
import type { OperatorContext } from "../../core/context.ts";
import { hasRole } from "../../core/operators/requireRole.ts";
import type { Services } from "../../core/services.ts";

/** A viewer reads what the service does, and no more of a person than that takes. */
export const maySeePeople = (actor: OperatorActor): boolean =>
  hasRole(actor, "users.end-access") || hasRole(actor, "payments.refund");

/** What a person is called, and where the person lives and is reached beside the mail address. */
const hiddenPerson = {
  firstName: null,
  lastName: null,
  latinFirstName: null,
  latinLastName: null,
  birthDate: null,
  phone: null,
  formerPhone: null,
  address1: null,
  address2: null,
  city: null,
  postalCode: null,
  state: null,
  nationalityCountry: null,
} as const satisfies Partial<User>;

/** Name, phone number, birth date and address of a person show to operators who may act for the person, and to no viewer. */
export const hidePerson = <U extends User>(actor: OperatorActor, user: U): U =>
  maySeePeople(actor) ? user : { ...user, ...hiddenPerson };

/** The name on a card or an order shows to the same operators. */
export const hideName = <R extends { embossedName: string | null }>(actor: OperatorActor, row: R): R =>
  maySeePeople(actor) ? row : { ...row, embossedName: null };

/** Who reads, and where from. */
type Reader = Pick<OperatorContext, "db" | "actor">;

/** Users as their reader may see them, newest first; `after` names the last row of the page before. */
export async function listUsers(
  { db, actor }: Reader,
  {
    status = null,
    kycStatus = null,
    owing: isOwing = false,
    after = null,
    limit,
  }: {
    status?: User["status"] | null | undefined;
    kycStatus?: User["kycStatus"] | null | undefined;
    /** Those who owe for card payments only. */
    owing?: boolean | undefined;
    after?: string | null;
    limit: number;
  },
): Promise<User[]> {
  const rows = await listRows(db, { status, kycStatus, isOwing, after, limit });
  return rows.map((row) => hidePerson(actor, row));
}

/** The user of an id, an e-mail address, a sign-in wallet or a Safe, in any letter case. @throws users.not_found */
export async function resolveUser(on: Executor, reference: string): Promise<User> {
  const parsed = address.safeParse(reference);
  const find = parsed.success
    ? findUserByAddress(on, parsed.data)
    : reference.includes("@")
      ? findUserByEmail(on, reference)
      : findUser(on, reference);
  return (await find) ?? fail("users.not_found");
}

/** First and last names by id; the mail address of those without. Erased people have neither. */
export async function listNames(
  { lists }: Pick<Services, "lists">,
  { ids }: { ids: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const rows = await lists.read((on) => listUsersById(on, ids));
  const nameOf = ({ firstName, lastName, email }: User): string =>
    [firstName, lastName].filter(Boolean).join(" ") || email;
  return new Map(rows.filter(({ erasedAt }) => erasedAt === null).map((user) => [user.id, nameOf(user)]));
}
