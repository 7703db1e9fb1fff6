/** Bank details as the user resource shows them. */
import { z } from "zod";
import { address, id, instant } from "./primitives.ts";

const ibanStatus = z.enum(["NOTSTARTED", "PENDING", "PENDING_OAUTH", "ASSIGNED"]);

export const bankingDetails = z.object({
  id,
  address,
  emoneyIban: z.string().nullable(),
  emoneyBic: z.string().nullable(),
  emoneyIbanStatus: ibanStatus,
  userId: id,
  createdAt: instant,
  updatedAt: instant,
});
