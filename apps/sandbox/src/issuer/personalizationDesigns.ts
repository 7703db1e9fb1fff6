/** Designs of physical cards, as the issuer keeps them. Source: docs.stripe.com/api/issuing/personalization_designs. */
import type { Tx } from "@cardkeep/db/client";
import { insertIssuerObject, listIssuerObjects, updateIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import {
  buildList,
  defineIssuerRoute,
  generateIssuerId,
  getObject,
  IssuerError,
  type IssuerRoute,
  lockObject,
  mergeMetadata,
  metadata,
  missing,
  pageOf,
  toUnixSeconds,
} from "./route.ts";

const designObject = "issuing.personalization_design";
const path = "/v1/issuing/personalization_designs";
const text = z.string().max(200).optional();
const status = z.enum(["active", "inactive", "rejected", "review"]).optional();
const fields = { card_logo: text, lookup_key: text, name: text, metadata };

/** The one physical bundle of the sandbox. */
const bundle = {
  id: "ics_sandbox",
  object: "issuing.physical_bundle",
  features: { card_logo: "optional", carrier_text: "optional", second_line: "optional" },
  livemode: false,
  name: "Standard",
  status: "active",
  type: "standard",
};

const create = defineIssuerRoute({
  method: "POST",
  path,
  input: z.object({ ...fields, physical_bundle: z.string() }),
  run: async ({ tx, now }, input) => {
    if (input.physical_bundle !== bundle.id)
      throw missing("physical bundle", input.physical_bundle, "physical_bundle", 400);
    const id = generateIssuerId("ipd");
    const data = {
      id,
      object: designObject,
      card_logo: null,
      carrier_text: null,
      created: toUnixSeconds(now),
      livemode: false,
      lookup_key: null,
      name: null,
      preferences: { is_default: false, is_platform_default: null },
      rejection_reasons: { card_logo: null, carrier_text: null },
      status: "review",
      ...input,
      metadata: input.metadata ?? {},
    };
    await insertIssuerObject(tx, { id, object: designObject, data, hidden: {}, createdAt: now });
    return data;
  },
});

const update = defineIssuerRoute({
  method: "POST",
  path: `${path}/{id}`,
  input: z.object({ id: z.string(), ...fields }),
  run: async ({ tx, emit }, { id, metadata: given, ...change }) => {
    const { data: known } = await lockObject(tx, designObject, id);
    const data = { ...known, ...change, metadata: mergeMetadata(known["metadata"], given) };
    await updateIssuerObject(tx, id, { data });
    emit({ type: "issuing_personalization_design.updated", object: data });
    return data;
  },
});

const retrieve = defineIssuerRoute({
  method: "GET",
  path: `${path}/{id}`,
  input: z.object({ id: z.string() }),
  run: async ({ tx }, { id }) => (await getObject(tx, designObject, id)).data,
});

const list = defineIssuerRoute({
  method: "GET",
  path,
  input: pageOf({ status }),
  run: async ({ tx }, { status: wanted, expand: _, ...page }) =>
    buildList(path, page, (asked) =>
      listIssuerObjects(tx, { object: designObject, part: { status: wanted }, ...asked }),
    ),
});

const bundles = defineIssuerRoute({
  method: "GET",
  path: "/v1/issuing/physical_bundles",
  input: pageOf({ status, type: z.enum(["custom", "standard"]).optional() }),
  run: async (_work, { status: wanted = "active", type = "standard" }) => {
    const data = wanted === bundle.status && type === bundle.type ? [bundle] : [];
    return { object: "list", data, has_more: false, url: "/v1/issuing/physical_bundles" };
  },
});

const outcomes: Readonly<Record<string, { status: string; event: string }>> = {
  activate: { status: "active", event: "activated" },
  deactivate: { status: "inactive", event: "deactivated" },
  reject: { status: "rejected", event: "rejected" },
};

const help = defineIssuerRoute({
  method: "POST",
  path: "/v1/test_helpers/issuing/personalization_designs/{id}/{move}",
  input: z.object({
    id: z.string(),
    move: z.string(),
    rejection_reasons: z.record(z.string(), z.unknown()).optional(),
  }),
  run: async ({ tx, emit }, { id, move, rejection_reasons }) => {
    const outcome = Object.hasOwn(outcomes, move) ? outcomes[move] : undefined;
    if (outcome === undefined) throw new IssuerError(404, "Unrecognized request URL");
    const { data: known } = await lockObject(tx, designObject, id);
    const data = { ...known, status: outcome.status, ...(rejection_reasons && { rejection_reasons }) };
    await updateIssuerObject(tx, id, { data });
    emit({ type: `issuing_personalization_design.${outcome.event}`, object: data });
    return data;
  },
});

/** @throws IssuerError for a design that is unknown or not active */
export async function requireDesign(tx: Tx, id: string): Promise<void> {
  const param = "personalization_design";
  const found = await getObject(tx, designObject, id, param);
  if (found.data["status"] !== "active") throw new IssuerError(400, "The design is not active", { param });
}

export const designRoutes: readonly IssuerRoute[] = [create, update, retrieve, list, bundles, help];
