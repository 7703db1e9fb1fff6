/** People, as the sandbox's console lists them. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Executor } from "../client.ts";
import type { Safe } from "../queries/accounts/safes.ts";
import type { User } from "../queries/users/users.ts";
import { isNoneOf } from "../schema/columns.ts";
import { goneStatuses } from "../schema/accounts/safes.ts";
import { safes, signInWallets, users } from "../schema/tables.ts";

/** A user with the wallet of the sign-up and the Safe in use. */
export type PersonRow = Pick<
  User,
  "id" | "email" | "phone" | "firstName" | "lastName" | "country" | "kycStatus" | "status" | "createdAt"
> & {
  walletAddress: Address | null;
  safe: Pick<Safe, "id" | "address" | "status" | "tokenSymbol"> | null;
};

/** Users, newest first: all, or those with some ids. */
export async function listPeople(
  on: Executor,
  { ids, limit }: { ids?: readonly string[]; limit: number },
): Promise<PersonRow[]> {
  return (
    on
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
      .where(ids === undefined ? undefined : inArray(users.id, [...ids]))
      // Ids begin with the time of their making.
      .orderBy(desc(users.id))
      .limit(limit)
  );
}
