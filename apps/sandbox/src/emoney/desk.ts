/** Existing customers of the institution. */
import { putEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { defineSandboxRoute } from "../core/route.ts";
import { findProfileOf } from "./state.ts";

export const addProfile = defineSandboxRoute({
  method: "POST",
  path: "/emoney/profiles",
  summary: "Creates the profile of a customer who is new to the service",
  input: z.object({
    email: z.email(),
    name: z.string().min(1).max(140).optional(),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, "must be an ISO 3166-1 alpha-2 code")
      .default("DE"),
  }),
  example: { email: "ada@example.org", name: "Ada Lovelace", country: "FR" },
  run: async (runtime, { email, name = email, country }) => {
    const known = await findProfileOf(runtime, email);
    const id = known?.id ?? randomUUID();
    const data = { state: "approved", holder: email.toLowerCase(), own: true, name, country };
    await putEmoneyRecord(runtime.store, { kind: "profile", id, data });
    return { profileId: id };
  },
});
