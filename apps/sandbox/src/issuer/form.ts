import qs from "qs";

const depthMax = 8;
const listMax = 1_000;

/**
 * Parses the fields of a body or query with brackets: `billing[address][line1]`, `expand[]`. A branch with the names 0, 1,
 * ... is a list.
 *
 * Source: docs.stripe.com/api, "Request bodies are form-encoded".
 */
export const parseForm = (text: string): Record<string, unknown> =>
  qs.parse(text, { depth: depthMax, arrayLimit: listMax, duplicates: "last" });
