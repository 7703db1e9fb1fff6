/** Tools of the public operations, with the user's own token. */
import { apiPrefix, listPathParameters, listRoutes, type Route } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { z } from "zod";
import { CommandError } from "../errors.ts";
import { type AssistantOptions, hidden, type Tool } from "./tool.ts";

/** Where the operations are, and the user's token; null for public operations alone. */
export interface UserAccess {
  readonly url: string;
  readonly token: string | null;
}

const timeoutMs = 15_000;

/** Fields with names, contacts and numbers of people, with everything in them. */
const personal =
  /^((first|last|full|embossed|holder|device|ENS)Name|holder|(auth)?email|phone(Number)?|(emoney)?(iban|bic)|accountNumber|sortCode|address[12]|birthDate|postalCode|maskedPan|lastFour(Digits)?)$/i;
/** Fields with text that people outside wrote. */
const foreign = /^(memo|description|merchant|merchantName|reference(Number)?|rejectedReason|note|city)$/i;

/** Whose words a value holds. A counterpart's name is a person's, and its other words are a stranger's. */
type Origin = "service" | "person" | "stranger" | "counterpart";

function originOf(name: string, around: Origin, beside: object): Origin {
  if (around === "person" || personal.test(name)) return "person";
  if (around === "counterpart") return name === "name" ? "person" : around;
  if (name === "counterpart") return "counterpart";
  // The words of a statement's entry repeat the name of its counterpart.
  if (name === "description" && "counterpart" in beside && beside.counterpart !== null) return "person";
  return around === "stranger" || foreign.test(name) ? "stranger" : "service";
}

/** An answer without people, unless they were asked for, and with the text of strangers marked. */
export function markAnswer(
  data: unknown,
  options: Pick<AssistantOptions, "showsPeople">,
  origin: Origin = "service",
): unknown {
  if (typeof data === "string") {
    if (origin === "person" && !options.showsPeople) return hidden;
    return origin === "service" ? data : { untrusted: data };
  }
  if (Array.isArray(data)) return data.map((entry) => markAnswer(entry, options, origin));
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, markAnswer(value, options, originOf(name, origin, data))]),
  );
}

/** The input of a route; a body that is no object stands under `body`. A statement has no `format`: only JSON can be marked. */
function describeInput({ input, isStatement }: Route): { schema: Tool["inputSchema"]; isWhole: boolean } {
  const override = ({ jsonSchema: { properties } }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    if (isStatement) delete properties?.["format"];
  };
  const described = input === undefined ? {} : z.toJSONSchema(input, { io: "input", unrepresentable: "any", override });
  const { $schema: _, ...schema } = described as Readonly<Record<string, unknown>>;
  if (input === undefined || schema["type"] === "object")
    return { schema: { ...schema, type: "object" }, isWhole: false };
  return { schema: { type: "object", properties: { body: schema }, required: ["body"] }, isWhole: true };
}

async function callRoute(
  { method, path, plainText }: Route,
  { url, token }: UserAccess,
  given: unknown,
): Promise<unknown> {
  const fields = z.record(z.string(), z.unknown()).safeParse(given).data;
  const names = listPathParameters(path);
  const place = names.reduce(
    (filled, name) => filled.replace(`{${name}}`, encodeURIComponent(String(fields?.[name] ?? ""))),
    path,
  );
  const rest = fields && Object.entries(fields).filter(([name]) => !names.includes(name));
  const query =
    method === "GET" && rest?.length
      ? `?${new URLSearchParams(rest.map(([name, value]) => [name, String(value)]))}`
      : "";
  const response = await fetch(`${url}${apiPrefix}${place}${query}`, {
    method,
    headers: { "Content-Type": "application/json", ...(token !== null && { Authorization: `Bearer ${token}` }) },
    ...(method !== "GET" && { body: JSON.stringify(rest ? Object.fromEntries(rest) : given) }),
    // A redirect could carry the token to another host.
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => null);
  if (response === null) throw new CommandError(`${url} does not answer`);
  const text = await response.text();
  if (!response.ok) throw new CommandError(`${response.status} ${response.headers.get("x-error-code") ?? ""}: ${text}`);
  if (plainText) return text;
  try {
    return JSON.parse(text);
  } catch {
    // People and strangers in another form cannot be found.
    throw new CommandError("The answer is no JSON, so it is not shown. Leave `format` out");
  }
}

/** The tools of the operations that this user may call: reads, and changes where they are allowed. */
export const listOperationTools = (access: UserAccess, options: AssistantOptions): Tool[] =>
  listRoutes(routes)
    .filter(({ route }) => route.access !== "partner" && (route.access === "public" || access.token !== null))
    .filter(({ route }) => (options.allowsChanges || route.method === "GET") && !route.holdsToken)
    .map(({ noun, verb, route }) => {
      const { schema, isWhole } = describeInput(route);
      return {
        name: `api_${noun}_${verb}`,
        description: `${route.summary}. ${route.method} ${apiPrefix}${route.path}, with the user's own token.`,
        isChange: route.method !== "GET",
        inputSchema: schema,
        run: async (given, whole) => {
          const body = isWhole ? given["body"] : whole;
          return markAnswer(await callRoute(route, access, body), options);
        },
      };
    });
