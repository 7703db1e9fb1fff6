/** Errors as one line that says what to do. */
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { ArchiveError } from "@cardkeep/db/archives/manifest";
import { formatNodes, parseDatabaseAddress } from "@cardkeep/db/databaseAddress";
import { CitusMissing } from "@cardkeep/db/distribute";
import { isDatabaseUnavailable, isOtherVersion } from "@cardkeep/db/errors";
import type { Runtime } from "@cardkeep/runtime/compose";
import { SettingsError } from "@cardkeep/runtime/settings";

/** The command line itself is wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command failed; the message says why, and what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

const hostOf = (urls: string | undefined): string =>
  (urls ?? "")
    .split(",")
    .flatMap((url) => (URL.canParse(url) ? [new URL(url).host] : []))
    .join(" or ");

/** Errors whose message says what happened and what to do. */
const worded = [CardkeepError, UsageError, CommandError, ArchiveError, CitusMissing];

/** The line for a thrown value; `runtime` gives the addresses of the parts that do not answer. */
export function formatError(error: unknown, runtime: Runtime | null): string {
  if (error instanceof CardkeepError && error.code === "operators.reason_required")
    return `${error.message}: add --reason TEXT, for the action log`;
  if (worded.some((kind) => error instanceof kind)) return error instanceof Error ? error.message : "";
  if (error instanceof SettingsError) return `the settings are not in order: ${error.message.split("\n").join("; ")}`;
  if (isDatabaseUnavailable(error)) {
    const url = runtime?.settings.databaseUrl;
    const at = url === undefined ? "" : formatNodes(parseDatabaseAddress(url));
    return `no database answers at ${at}: run \`bun start\`, or set DATABASE_URL to a Postgres that runs`;
  }
  if (isOtherVersion(error)) return "the database is at another version than this program: run `bun run migrate`";
  if (error instanceof ChainUnavailable) {
    const at = hostOf(runtime?.settings.rpcUrl);
    return `the chain's node at ${at} does not answer: run \`bun start\`, or set RPC_URL to a node that runs`;
  }
  // A failed query quotes its parameters, which are personal data. Its cause has the database's own words.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? `${cause.name}: ${cause.message.split("\n", 1)[0]}` : String(cause);
}
