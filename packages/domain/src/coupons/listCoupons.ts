import { type Coupon, listCoupons as listRows } from "@cardkeep/db/queries/coupons";
import type { Services } from "../services.ts";

/** Coupons, newest first. */
export const listCoupons = ({ db }: Pick<Services, "db">, { limit }: { limit: number }): Promise<Coupon[]> =>
  listRows(db, limit);
