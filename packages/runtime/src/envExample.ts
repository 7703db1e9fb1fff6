/** Builds `.env.example` from the settings' own descriptions and defaults. */
import { formatNative } from "@cardkeep/domain/chain/topUps/readTopUps";
import type { z } from "zod";
import { development } from "./development.ts";
import { environment } from "./environment.ts";
import { type SettingName, uses } from "./processRoles.ts";

const defaultOf = (schema: z.ZodType): unknown => {
  const parsed = schema.safeParse(undefined);
  return parsed.success ? parsed.data : undefined;
};

const heading =
  "# Settings of Cardkeep, each with its default. Generated from the settings' schema; a test compares the two.\n" +
  "# For production, `bun run cardkeep keys generate` writes all secrets and a file with the settings of each process.\n" +
  "# A setting marked [secret] may be in a file instead: NAME_FILE is the path, and NAME stays unset.\n" +
  "# A process takes up a changed file within a minute, and at once on SIGHUP; one marked [secret, read at the start] at its next start.";

const developmentValues: Readonly<Record<string, string>> = development;

/** Amounts of native tokens are the only settings that are read as bigints. */
function formatDefault(fallback: unknown): string {
  if (fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)) return "";
  return typeof fallback === "bigint" ? formatNative(fallback) : String(fallback);
}

/** The text of `.env.example`: every setting with its description, commented out with its default. */
export function buildEnvExample(): string {
  const entries = Object.entries(environment.shape).map(([name, schema]) => {
    const fallback = defaultOf(schema);
    const value = formatDefault(fallback);
    const isOptional = schema.safeParse(undefined).success;
    const inProduction = isOptional ? ", which production refuses" : "; required in production";
    const secret = name in developmentValues ? ` (has a development value${inProduction})` : "";
    const { isSecret, isRefreshed } = uses[name as SettingName];
    const mark = isSecret ? ` [secret${isRefreshed ? "" : ", read at the start"}]` : "";
    return `# ${schema.description ?? ""}${secret}${mark}\n#${name}=${value}\n`;
  });
  return `${heading}\n\n${entries.join("\n")}`;
}
