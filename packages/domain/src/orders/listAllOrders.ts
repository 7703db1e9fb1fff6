import type { OrderStatus } from "@cardkeep/contract/orders";
import { listAllOrders as listRows, type Order } from "@cardkeep/db/queries/orders";
import type { Services } from "../services.ts";
import { resolveUser } from "../users/find.ts";

/** Everybody's orders, or one user's, newest first. @throws users.not_found */
export async function listAllOrders(
  { db }: Pick<Services, "db">,
  input: { user?: string | undefined; status?: OrderStatus | undefined; limit: number },
): Promise<Order[]> {
  const user = input.user === undefined ? null : await resolveUser(db, input.user);
  return listRows(db, { userId: user?.id ?? null, status: input.status ?? null, limit: input.limit });
}
