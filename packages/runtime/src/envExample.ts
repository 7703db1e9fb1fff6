/** Builds `.env.example` from the settings' own descriptions and defaults. */
import { type ListedSetting, listSettings } from "./listSettings.ts";

const heading =
  "# Settings of Cardkeep, each with its default. Generated from the settings' schema; a test compares the two.\n" +
  "# For production, `bun run cardkeep keys generate` writes all secrets and a file with the settings of each process.\n" +
  "# A setting marked [secret] may be in a file instead: NAME_FILE is the path, and NAME stays unset.\n" +
  "# A process takes up a changed file within a minute, and at once on SIGHUP; one marked [secret, read at the start] at its next start.";

const inProduction = { refused: ", which production refuses", required: "; required in production" } as const;

function describe({ name, description, fallback, development, isSecret, isRefreshed }: ListedSetting): string {
  const secret = development === null ? "" : ` (has a development value${inProduction[development]})`;
  const mark = isSecret ? ` [secret${isRefreshed ? "" : ", read at the start"}]` : "";
  return `# ${description}${secret}${mark}\n#${name}=${fallback}\n`;
}

/** The text of `.env.example`: every setting with its description, commented out with its default. */
export const buildEnvExample = (): string => `${heading}\n\n${listSettings().map(describe).join("\n")}`;
