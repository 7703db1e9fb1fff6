/** `--server URL`: the operator's API of an installation elsewhere, in place of a database. */
import { isLoopback } from "@cardkeep/contract/core/loopback";
import type { Given, Noun, Row } from "@cardkeep/desk/noun";
import { wireOverview, wirePage, wireRow } from "@cardkeep/desk/wire";
import { operatorRoles } from "@cardkeep/domain/core/actor";
import { readRemoteAccess } from "@cardkeep/runtime/local";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { CommandError, UsageError } from "./errors.ts";
import type { RemoteServer } from "./remoteServer.ts";
import { isSignedOut, readSessionSecret } from "./sessionFile.ts";
import { parseUrl } from "./sandbox.ts";

const approval = z.object({ approvalId: z.string(), verb: z.string(), status: z.string(), expiresAt: z.coerce.date() });

/** The act waits for a second person. */
export class RemoteApproval extends CommandError {
  readonly request: z.infer<typeof approval>;

  constructor(message: string, request: z.infer<typeof approval>) {
    super(message);
    this.request = request;
  }
}

/** What the server did is unknown: its answer was lost, or is still to come. */
class NoAnswer extends CommandError {}

const timeoutMs = 15_000;
/** Pauses before an act is sent again with its key. */
const againMs = [250, 500, 1_000, 2_000];
/** A file may have any size. */
const fileMsMax = 3_600_000;

interface RemoteRequest extends Omit<RequestInit, "headers"> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: (server: string) => string | null;
  readonly waitMs?: number;
}

const fault = z.object({ error: z.string(), code: z.string().optional() });

/**
 * The secret of a sign-in at this server, or else the operator's key of the environment. The key that everybody knows is tried on this
 * machine alone, and not after a sign-out. @throws CommandError without any
 */
function findToken(server: string): string {
  const { operatorKey, knownKey, configFolder } = readRemoteAccess();
  const place = { configFolder, publicUrl: server };
  const token = readSessionSecret(place) ?? operatorKey;
  if (token !== null) return token;
  const wayIn = `run \`cardkeep operators sign-in --server ${server}\`, or set OPERATOR_API_KEY`;
  if (isSignedOut(place)) throw new CommandError(`you signed out of ${server}: ${wayIn}`);
  if (knownKey !== null && isLoopback(new URL(server).hostname)) return knownKey;
  throw new CommandError(`nothing opens ${server}: ${wayIn}`);
}

/** Takes `--server URL` out of the words of a command line. @throws UsageError */
export function takeServer(words: readonly string[]): { server: string | null; words: readonly string[] } {
  const at = words.findIndex((word) => word === "--server" || word.startsWith("--server="));
  if (at === -1) return { server: null, words };
  const [flag = "", next] = words.slice(at);
  const isJoined = flag.startsWith("--server=");
  const given = isJoined ? flag.slice("--server=".length) : next;
  if (given === undefined) throw new UsageError("Give a value for --server.");
  try {
    const rest = [...words.slice(0, at), ...words.slice(at + (isJoined ? 1 : 2))];
    return { server: parseUrl(given).replace(/\/+$/, ""), words: rest };
  } catch (error) {
    throw new UsageError(`Invalid value "${given}" for --server: ${error instanceof Error ? error.message : ""}`);
  }
}

/** A sign-in of a person at a server. */
const prompt = z.object({
  device: z.string(),
  userCode: z.string(),
  address: z.string(),
  completeAddress: z.string().nullable(),
  intervalSeconds: z.number(),
});
const session = z.object({ id: z.string(), token: z.string(), name: z.string(), roles: z.array(z.string()) });
const pending = z.object({ pending: z.literal(true) });
const caller = z.object({ roles: z.array(z.string()) });

/**
 * Whether the server answers a repeated request as the first one. Keys are shown once, and an act that ends after its commit is kept
 * from a later request alone.
 */
function isAnsweredAgain({ name, acts }: Noun, act: string): boolean {
  const { showsSecret, endsAfterCommit } = acts[act] ?? {};
  return name !== "approvals" && showsSecret !== true && endsAfterCommit !== true;
}

/** The API of a server. @throws CommandError with the server's words for a refusal, or without an answer */
export function createRemoteSource(server: string, findOwnToken = findToken): RemoteServer {
  const pathOf = (...parts: string[]): string => parts.map(encodeURIComponent).join("/");
  /** @throws CommandError */
  const send = async (
    path: string,
    { token = findOwnToken, waitMs = timeoutMs, ...init }: RemoteRequest,
  ): Promise<Response> => {
    const url = `${server}/operator/api/${path}`;
    const bearer = token(server);
    const headers = { ...init.headers, ...(bearer !== null && { Authorization: `Bearer ${bearer}` }) };
    // A redirect could carry the token to another host.
    const options = { ...init, headers, redirect: "error" as const, signal: AbortSignal.timeout(waitMs) };
    const response = await fetch(url, options).catch(() => null);
    if (response === null) throw new NoAnswer(`${server} does not answer`);
    if (response.ok) return response;
    const body: unknown = await response.json().catch(() => null);
    const { error = `it answered ${response.status}`, code } = fault.safeParse(body).data ?? {};
    if ([502, 503, 504].includes(response.status) || code === "idempotency.in_flight")
      throw new NoAnswer(`${server}: ${error}`);
    const request = approval.safeParse(body).data;
    throw request === undefined ? new CommandError(`${server}: ${error}`) : new RemoteApproval(error, request);
  };
  const call = async <T>(path: string, schema: z.ZodType<T>, init: RemoteRequest = {}): Promise<T> => {
    const response = await send(path, init);
    const answer: unknown = await response.json().catch((error: unknown) => {
      if (error instanceof SyntaxError) return null;
      throw new NoAnswer(`${server} does not answer`);
    });
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    throw new CommandError(`${server} answers in another form than this version of Cardkeep`);
  };
  /** Its key lets the server do an act once, so it is sent again until its answer is known. @throws CommandError */
  const perform = async (path: string, init: RemoteRequest, [pauseMs, ...later]: readonly number[]): Promise<Row> => {
    try {
      return await call(path, wireRow, init);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (pauseMs === undefined)
        throw new CommandError(`${error.message}. The change may have been made: look before you repeat it`);
      await setTimeout(pauseMs);
      return perform(path, init, later);
    }
  };
  const postAct = ({ name, acts, argument }: Noun, act: string, key: string, given: Given) => {
    const { isOfRow = true, isKeyless = false } = acts[act] ?? {};
    const body = JSON.stringify({ ...given, ...(!isOfRow && !isKeyless && { [argument.name]: key }) });
    const headers = { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() };
    return [pathOf(name, ...(isOfRow ? [key] : []), act), { method: "POST", body, headers }] as const;
  };
  const open = { method: "POST", token: () => null };
  return {
    url: server,
    signInProgram: (accessToken) => call("sessions", session, { ...open, body: JSON.stringify({ accessToken }) }),
    startSignIn: async () => {
      const begun = await call("sessions/device", prompt, open);
      const body = JSON.stringify({ device: begun.device });
      const ask = async () => {
        const answer = await call("sessions", z.union([session, pending]), { ...open, body });
        return "pending" in answer ? null : answer;
      };
      return { ...begun, ask };
    },
    signOut: async (secret) => {
      await call("sessions/current", z.unknown(), { method: "DELETE", token: () => secret });
    },
    identify: async () => {
      const { roles } = await call("sessions/current", caller);
      return { roles: operatorRoles.filter((role) => roles.includes(role)) };
    },
    list: async ({ name, list }, given, { after, limit }) => {
      const words = {
        ...given,
        view: "values",
        ...(!list.isWhole && { limit: String(limit) }),
        ...(after && { after }),
      };
      const query = Object.entries(words).flatMap(([word, value]) => (value === undefined ? [] : [[word, value]]));
      return (await call(`${name}?${new URLSearchParams(query)}`, wirePage)).rows;
    },
    show: ({ name }, key) => call(`${pathOf(name, key)}?view=values`, wireRow),
    overview: ({ name }) => call(`${pathOf(name, "overview")}?view=values`, wireOverview),
    act: async (noun, act, key, given) => {
      const [path, init] = postAct(noun, act, key, given);
      const row = await perform(`${path}?view=values`, init, isAnsweredAgain(noun, act) ? againMs : []);
      // Of what has no row of its own a repeated request gets no answer.
      if (row.data === null && noun.acts[act]?.isOfRow === false)
        throw new CommandError("The change was made, and its answer was lost: look at it");
      return row;
    },
    download: (noun, act, key, given) => {
      const [path, init] = postAct(noun, act, key, given);
      return send(path, { ...init, waitMs: fileMsMax });
    },
  };
}
