/** The same requests over tRPC: each operation is a procedure named by its id. */
import { errors } from "@cardkeep/contract/core/errorCatalogue";
import { z } from "zod";
import type { FuzzAnswer } from "./fuzz.ts";
import type { FuzzRequest, Operation } from "./requests.ts";

/** Other paths of an operation have a number after its name, and are the same procedure. */
export const isProcedure = ({ id }: Operation): boolean => /^\w+\.\w+$/.test(id);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The parameters in a path, by its pattern with `{parameters}`. */
function readParameters(pattern: string, path: string): Record<string, string> {
  const parts = path.split("/");
  return Object.fromEntries(
    pattern
      .split("/")
      .flatMap((name, at) => (name.startsWith("{") ? [[name.slice(1, -1), decodeURIComponent(parts[at] ?? "")]] : [])),
  );
}

/** The request's input as one JSON text, or its raw body if that is not JSON. */
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

/** The request as a procedure call: its address and body. */
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

/** Throws for an answer that is neither the documented success nor an error of the catalogue. */
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
