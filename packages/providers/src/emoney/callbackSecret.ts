import { z } from "zod";

/** The secret of a subscription to the institution's callbacks: 24 to 64 bytes. Source: docs.monerium.com, webhooks. */
export const callbackSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, "must be whsec_ and 24 to 64 bytes in base64");
