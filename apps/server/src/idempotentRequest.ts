/** What an idempotency key stands for. */
import { listPathParameters, type Route } from "@cardkeep/contract/core/route";
import { type IdempotentRequest, requireKey } from "@cardkeep/domain/core/performOnce";

/** The scope of an idempotency key: one request of one user or partner to one operation and path. */
export function buildIdempotentRequest(
  { name, route }: { name: string; route: Route },
  { subject, key, rawInput }: { subject: string; key: string; rawInput: unknown },
): IdempotentRequest {
  requireKey(key);
  const ofPath = listPathParameters(route.path).map((parameter) => readField(rawInput, parameter));
  // As digests: a client writes any text into a path.
  const scope = [subject, name, ...(ofPath.length === 0 ? [] : [digest(ofPath)])].join(":");
  return { scope, key, bodyHash: digest(rawInput, sortFields), formerBodyHash: digest(rawInput) };
}

const digest = (value: unknown, replacer?: (name: string, value: unknown) => unknown): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(value, replacer)).digest("hex");

/** Fields in any order are the same input: REST adds those of the path behind the others. */
const sortFields = (_name: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

const readField = (input: unknown, name: string): unknown =>
  typeof input === "object" && input !== null ? Reflect.get(input, name) : null;
