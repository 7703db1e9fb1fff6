/** Cardholders, as the issuer keeps them. Source: docs.stripe.com/api/issuing/cardholders. */
import {
  findIssuerObject,
  insertIssuerObject,
  listIssuerObjects,
  updateIssuerObject,
} from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import {
  buildList,
  createdRange,
  defineIssuerRoute,
  generateIssuerId,
  getObject,
  IssuerError,
  type IssuerRoute,
  lockObject,
  mergeMetadata,
  metadata,
  pageOf,
  toUnixSeconds,
  wholeNumber,
} from "./route.ts";
import { mergeControls, readControls, spendingControls } from "./spendingControls.ts";

export const cardholderObject = "issuing.cardholder";
const path = "/v1/issuing/cardholders";

const address = z.object({
  line1: z.string().min(1),
  line2: z.string().optional(),
  city: z.string().min(1),
  postal_code: z.string().min(1),
  state: z.string().optional(),
  country: z.string().regex(/^[A-Z]{2}$/, "Country should be a two-letter code"),
});
/**
 * Latin letters in their composed form. Which signs a printed name may have is not published; those of `individual` are.
 * Source: docs.stripe.com/api/issuing/cardholders/create, `individual.first_name`.
 */
const name = z
  .string()
  .min(1)
  .regex(
    /^[\p{Script=Latin} .,'-]+$/u,
    "must not contain any numbers, special characters (except periods, commas, hyphens, spaces and apostrophes) or non-latin letters",
  );
const yearsMin = 13;
const individual = z.object({
  first_name: name,
  last_name: name,
  dob: z
    .object({ day: wholeNumber, month: wholeNumber, year: wholeNumber })
    .refine(({ year }) => year <= new Date().getUTCFullYear() - yearsMin, "must be older than 13 years")
    .optional(),
});
/** A cardholder may have cards in several currencies, so its limits name theirs. */
const holderControls = spendingControls.extend({ spending_limits_currency: z.string().optional() });
const printedName = name.max(24);
/** The printed name is not among them: the issuer takes it for a new person alone. */
const fields = {
  email: z.string().optional(),
  phone_number: z
    .string()
    .regex(/^\+\d{7,15}$/, "Not a valid phone number")
    .optional(),
  individual: individual.optional(),
  billing: z.object({ address }),
  status: z.enum(["active", "inactive"]).optional(),
  spending_controls: holderControls.optional(),
  preferred_locales: z.array(z.enum(["de", "en", "es", "fr", "it"])).optional(),
  metadata,
};

const mergeHolderControls = (
  known: unknown,
  { spending_limits_currency: currency, ...given }: z.output<typeof holderControls>,
) => mergeControls(known, given, currency ?? readControls(known).spending_limits_currency ?? "usd");

const create = defineIssuerRoute({
  method: "POST",
  path,
  input: z.object({ ...fields, name: printedName, type: z.enum(["individual", "company"]) }),
  run: async ({ tx, now, emit }, input) => {
    const id = generateIssuerId("ich");
    const data = {
      id,
      object: cardholderObject,
      company: null,
      created: toUnixSeconds(now),
      email: null,
      phone_number: null,
      individual: null,
      livemode: false,
      preferred_locales: [],
      requirements: { disabled_reason: null, past_due: [] },
      status: "active",
      ...input,
      spending_controls: input.spending_controls ? mergeHolderControls(null, input.spending_controls) : null,
      metadata: input.metadata ?? {},
    };
    await insertIssuerObject(tx, { id, object: cardholderObject, data, hidden: {}, createdAt: now });
    emit({ type: "issuing_cardholder.created", object: data });
    return data;
  },
});

const update = defineIssuerRoute({
  method: "POST",
  path: `${path}/{id}`,
  input: z
    .object({ id: z.string(), ...fields })
    .partial()
    .required({ id: true }),
  run: async ({ tx, emit }, { id, spending_controls: given, ...change }) => {
    const found = await lockObject(tx, cardholderObject, id);
    refuseUnderReview(found.data, change);
    const known = found.data["spending_controls"] ?? null;
    const spending_controls = given ? mergeHolderControls(known, given) : known;
    const merged = mergeMetadata(found.data["metadata"], change.metadata);
    const data = { ...found.data, ...change, spending_controls, metadata: merged };
    await updateIssuerObject(tx, id, { data });
    emit({ type: "issuing_cardholder.updated", object: data });
    return data;
  },
});

/**
 * A review holds fast who a person is. Whether a field may be named unchanged is not published, so none may.
 * Source: docs.stripe.com/issuing/connect/cardholders-controls.
 * @throws IssuerError
 */
function refuseUnderReview(
  { status, requirements }: Readonly<Record<string, unknown>>,
  change: { individual?: unknown; status?: unknown },
): void {
  if (status === "blocked" && change.status !== undefined)
    throw new IssuerError(400, "You can't change the status of a blocked cardholder", { param: "status" });
  if (required.parse(requirements).disabled_reason !== null && change.individual !== undefined)
    throw new IssuerError(400, "You can't update the name for a cardholder under review", { param: "individual" });
}

const retrieve = defineIssuerRoute({
  method: "GET",
  path: `${path}/{id}`,
  input: z.object({ id: z.string() }),
  run: async ({ tx }, { id }) => (await getObject(tx, cardholderObject, id)).data,
});

const list = defineIssuerRoute({
  method: "GET",
  path,
  input: pageOf({
    email: z.string().optional(),
    phone_number: z.string().optional(),
    status: z.enum(["active", "inactive", "blocked"]).optional(),
    type: z.enum(["individual", "company"]).optional(),
    created: createdRange,
  }),
  run: async ({ tx }, { limit, starting_after, ending_before, expand: _, created, ...part }) =>
    buildList(path, { limit, starting_after, ending_before }, (page) =>
      listIssuerObjects(tx, { object: cardholderObject, part, ...created, ...page }),
    ),
});

/** A person as the issuer has it now; a card keeps a copy of when it was made. */
export async function findCardholder(
  on: Parameters<typeof findIssuerObject>[0],
  id: string | null,
): Promise<Readonly<Record<string, unknown>> | null> {
  return id === null ? null : ((await findIssuerObject(on, cardholderObject, id))?.data ?? null);
}

const required = z.object({ disabled_reason: z.string().nullable() });

/** Why the issuer declines every use of a person's cards; null for nothing. */
export function findHolderDecline(cardholder: Readonly<Record<string, unknown>> | null): string | null {
  const status = cardholder?.["status"];
  if (status === "blocked") return "cardholder_blocked";
  if (status !== "active") return "cardholder_inactive";
  const { disabled_reason: reason } = required.parse(cardholder?.["requirements"]);
  return reason === null ? null : "cardholder_verification_required";
}

export const cardholderRoutes: readonly IssuerRoute[] = [create, update, retrieve, list];
