/** The sandbox of a running `bun start`, called over HTTP. */
import { isInProduction, readOperatorSettings } from "@cardkeep/runtime/local";
import { z } from "zod";
import type { CliContext } from "./context.ts";
import { CommandError, UsageError } from "./errors.ts";

/** Reads an http or https address. @throws UsageError */
export function parseUrl(text: string): string {
  const isUrl = URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
  if (!isUrl) throw new UsageError("it is no address such as http://localhost:4000/webhooks");
  return text;
}

/** The flag for the sandbox's address. */
export const sandboxFlag = {
  kind: "parsed",
  parse: parseUrl,
  optional: true,
  placeholder: "URL",
  brief: "Address of the sandbox; without it that of the running `bun start`, else http://localhost:3001 to read",
} as const;

/**
 * The address of the sandbox: as given, of the environment, of the running start, or the default. A default may be
 * another installation's: it is printed, and nothing is changed there.
 * @throws SettingsError
 * @throws CommandError for a change at a default
 */
export function findSandbox(cli: CliContext, given: string | undefined, { isChange = false } = {}): string {
  if (given !== undefined) return given;
  const { sandboxPort, origins, home } = readOperatorSettings();
  const sandbox = `http://localhost:${sandboxPort}`;
  if (origins.sandbox !== "guessed") return sandbox;
  const guess = `No start runs from ${home}`;
  if (isChange) throw new CommandError(`${guess}: run \`bun start\`, or say with --sandbox where to change something`);
  cli.process.stderr.write(`${guess}: the sandbox is guessed to be at ${sandbox}. --sandbox says where it is.\n`);
  return sandbox;
}

/** Production has no sandbox: with its settings, a terminal plays and forwards nothing. @throws CommandError */
export function refuseInProduction(): void {
  if (isInProduction()) throw new CommandError("NODE_ENV=production has no sandbox: run this where `bun start` runs.");
}

const refusal = z.object({ error: z.string() });

interface SandboxCall {
  readonly sandbox: string;
  readonly path: string;
  /** GET, or POST with a body, unless it is named. */
  readonly method?: "PUT" | "DELETE";
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/**
 * The sandbox's answer to a call.
 * @throws CommandError without a sandbox at this address, and with the reason where it refuses
 */
export async function callSandbox<T>(
  { sandbox, path, body, signal, method }: SandboxCall,
  answer: z.ZodType<T>,
): Promise<T> {
  const nothing = new CommandError(`No sandbox answers at ${sandbox}: run \`bun start\`, or set --sandbox.`);
  const init = {
    method: method ?? (body ? "POST" : "GET"),
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  };
  const response = await fetch(new URL(path, sandbox), init).catch(() => null);
  const read: unknown = await response?.json().catch(() => null);
  const refused = refusal.safeParse(read).data;
  if (response && !response.ok && response.status !== 404 && refused) throw new CommandError(refused.error);
  const parsed = answer.safeParse(read);
  if (!response?.ok || !parsed.success) throw nothing;
  return parsed.data;
}
