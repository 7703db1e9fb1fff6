import { listPartners as listRows, type PartnerWithDomains } from "@cardkeep/db/queries/partners";
import type { Services } from "../services.ts";

/** Partners with their domains, newest first. */
export const listPartners = (
  { db }: Pick<Services, "db">,
  { limit }: { limit: number },
): Promise<PartnerWithDomains[]> => listRows(db, limit);
