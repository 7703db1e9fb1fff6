/** Cards as other resources show them. */
import { z } from "zod";
import { id, instant } from "./primitives.ts";

export const cardSummary = z.object({
  id,
  cardToken: z.string(),
  lastFourDigits: z.string(),
  activatedAt: instant.nullable(),
  virtual: z.boolean(),
});
