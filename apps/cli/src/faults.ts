/** What went wrong, in one line that says what to do about it. */
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { CardkeepError } from "@cardkeep/contract/errors";
import { isDatabaseUnavailable, isOtherVersion } from "@cardkeep/db/faults";
import type { Runtime } from "@cardkeep/runtime/compose";
import { SettingsError } from "@cardkeep/runtime/settings";
import { UsageError } from "./usageError.ts";

const refused = 1;
const misused = 2;

/** The line for a thrown value, and the exit code: 2 for what was typed, 1 for everything else. */
export function explain(error: unknown, runtime: Runtime | null = null): { line: string; exitCode: number } {
  return error instanceof UsageError
    ? { line: `${error.message} (--help tells more)`, exitCode: misused }
    : { line: formatError(error, runtime), exitCode: refused };
}

const hostOf = (urls: string | undefined): string =>
  (urls ?? "")
    .split(",")
    .flatMap((url) => (URL.canParse(url) ? [new URL(url).host] : []))
    .join(" or ");

function formatError(error: unknown, runtime: Runtime | null): string {
  if (error instanceof CardkeepError) return error.message;
  if (error instanceof SettingsError) return `the settings are not in order: ${error.message.split("\n").join("; ")}`;
  if (isDatabaseUnavailable(error)) {
    const at = hostOf(runtime?.settings.databaseUrl);
    return `no database answers at ${at}: run \`bun start\`, or set DATABASE_URL to a Postgres that runs`;
  }
  if (isOtherVersion(error)) return "the database is at another version than this program: run `bun run migrate`";
  if (error instanceof ChainUnavailable) {
    const at = hostOf(runtime?.settings.rpcUrl);
    return `the chain's node at ${at} does not answer: run \`bun start\`, or set RPC_URL to a node that runs`;
  }
  // A failed query quotes its parameters, which are people's data: the database's own words are its cause's.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? `${cause.name}: ${cause.message.split("\n", 1)[0]}` : String(cause);
}
