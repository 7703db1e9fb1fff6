/** What the sandbox's console shows of everybody at once. */
import type { Address } from "@cardkeep/contract/primitives";
import { and, count, desc, eq, getTableColumns, ilike, inArray, or, sql } from "drizzle-orm";
import type { Executor } from "../client.ts";
import { isNoneOf } from "../schema/columns.ts";
import { goneStatuses } from "../schema/safes.ts";
import { inboxAttempts, inboxes, issuerObjects, kycApplicants, safes, signInWallets, users } from "../schema/tables.ts";
import type { IssuerObject, KycApplicant } from "./sandbox.ts";
import type { Safe } from "./safes.ts";
import type { User } from "./users.ts";

/** A user with the wallet of the sign-up and the Safe in use. */
export type PersonRow = Pick<
  User,
  "id" | "email" | "phone" | "firstName" | "lastName" | "country" | "kycStatus" | "status" | "createdAt"
> & {
  walletAddress: Address | null;
  safe: Pick<Safe, "id" | "address" | "status" | "tokenSymbol"> | null;
};

const hasText = (text: string) => {
  const pattern = `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
  return or(...[users.email, users.firstName, users.lastName, safes.address].map((column) => ilike(column, pattern)));
};

/** Users, newest first; `id` names one, `text` is looked for in mail address, name and Safe. */
export async function listPeople(
  on: Executor,
  { id, text, limit }: { id?: string; text?: string; limit: number },
): Promise<PersonRow[]> {
  return on
    .select({
      id: users.id,
      email: users.email,
      phone: users.phone,
      firstName: users.firstName,
      lastName: users.lastName,
      country: users.country,
      kycStatus: users.kycStatus,
      status: users.status,
      createdAt: users.createdAt,
      walletAddress: sql<Address | null>`(select ${signInWallets.address} from ${signInWallets}
        where ${signInWallets.userId} = ${users.id} order by ${signInWallets.createdAt} limit 1)`,
      safe: { id: safes.id, address: safes.address, status: safes.status, tokenSymbol: safes.tokenSymbol },
    })
    .from(users)
    .leftJoin(safes, and(eq(safes.userId, users.id), isNoneOf(safes.status, goneStatuses)))
    .where(and(id === undefined ? undefined : eq(users.id, id), text === undefined ? undefined : hasText(text)))
    .orderBy(desc(users.createdAt), desc(users.id))
    .limit(limit);
}

/** The identity provider's applicants of some users. */
export async function listApplicants(on: Executor, userIds: readonly string[]): Promise<KycApplicant[]> {
  return on
    .select()
    .from(kycApplicants)
    .where(inArray(kycApplicants.externalUserId, [...userIds]));
}

/** Some of the issuer's objects, by their ids. */
export async function listIssuerObjectsById(on: Executor, ids: readonly string[]): Promise<IssuerObject[]> {
  return on
    .select()
    .from(issuerObjects)
    .where(inArray(issuerObjects.id, [...ids]));
}

export type Inbox = typeof inboxes.$inferSelect & { attempts: number };

/** Every webhook receiver that was used or told how to answer, by name, and how many attempts it saw. */
export async function listInboxes(on: Executor): Promise<Inbox[]> {
  return on
    .select({ ...getTableColumns(inboxes), attempts: count(inboxAttempts.id) })
    .from(inboxes)
    .leftJoin(inboxAttempts, eq(inboxAttempts.name, inboxes.name))
    .groupBy(inboxes.name)
    .orderBy(inboxes.name);
}

export type InboxAttempt = typeof inboxAttempts.$inferSelect;

/** The newest attempts that a webhook receiver saw, newest first; with `text`, those whose body has it. */
export async function listNewestAttempts(
  on: Executor,
  { name, text, limit }: { name: string; text?: string | undefined; limit: number },
): Promise<InboxAttempt[]> {
  const hasIt = text === undefined ? undefined : sql`strpos(${inboxAttempts.body}, ${text}) > 0`;
  return on
    .select()
    .from(inboxAttempts)
    .where(and(eq(inboxAttempts.name, name), hasIt))
    .orderBy(desc(inboxAttempts.sequence))
    .limit(limit);
}
