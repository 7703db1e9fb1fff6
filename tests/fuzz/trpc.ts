/** The same requests by way of tRPC: each operation is a procedure there, named by its id. */
import { errors } from "@cardkeep/contract/errors";
import { z } from "zod";
import type { FuzzAnswer } from "./fuzz.ts";
import type { FuzzRequest, Operation } from "./requests.ts";

/** Other paths of an operation have a number behind its name, and are the same procedure. */
export const isProcedure = ({ id }: Operation): boolean => /^\w+\.\w+$/.test(id);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What stands in the path, of which the one with the `{parameters}` is the pattern. */
function readParameters(pattern: string, path: string): Record<string, string> {
  const parts = path.split("/");
  return Object.fromEntries(
    pattern
      .split("/")
      .flatMap((name, at) => (name.startsWith("{") ? [[name.slice(1, -1), decodeURIComponent(parts[at] ?? "")]] : [])),
  );
}

/** The request's input as one JSON text, or its body as it stands where that is none. */
function toInput({ method, path: pattern }: Operation, { path, body }: FuzzRequest): string {
  const [pathname = "", query = ""] = path.split("?");
  const parameters = readParameters(pattern, pathname);
  if (method === "GET") return JSON.stringify({ ...Object.fromEntries(new URLSearchParams(query)), ...parameters });
  try {
    const given: unknown = JSON.parse(body ?? "{}");
    return JSON.stringify(isRecord(given) ? { ...given, ...parameters } : given);
  } catch {
    return body ?? "";
  }
}

/** Where the request goes as a procedure's, and what it says there. */
export function toProcedureCall(operation: Operation, request: FuzzRequest): Pick<FuzzRequest, "path" | "body"> {
  const input = toInput(operation, request);
  return operation.method === "GET"
    ? { path: `/trpc/${operation.id}?input=${encodeURIComponent(input.toWellFormed())}`, body: null }
    : { path: `/trpc/${operation.id}`, body: input };
}

const refusal = z.object({
  error: z.object({
    message: z.string(),
    data: z.object({ error: z.enum(Object.keys(errors)), httpStatus: z.int(), stack: z.never().optional() }),
  }),
});

/** Throws at an answer that is neither what the document promises for a success, nor a refusal by the catalogue. */
export function createProcedureJudge({ responses }: Operation): (answer: FuzzAnswer) => void {
  const [success] = [...responses].filter(([status]) => status < 300).map(([, schema]) => schema);
  const data = success ? z.fromJSONSchema(success) : z.string();
  return ({ status, text }) => {
    if (status >= 500) throw new Error(`answered ${status} ${text.slice(0, 500)}`);
    const answer: unknown = JSON.parse(text);
    const parsed =
      status < 300 ? z.object({ result: z.object({ data }) }).safeParse(answer) : refusal.safeParse(answer);
    if (!parsed.success) throw new Error(`answered ${status} ${text.slice(0, 500)}: ${z.prettifyError(parsed.error)}`);
  };
}
