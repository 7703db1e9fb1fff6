/** The answers of one operation in the OpenAPI document. */
import { type ErrorCode, errors, type ErrorStyle } from "../core/errorCatalogue.ts";
import type { Example } from "./examples.ts";
import { buildErrorBody, errorTextOf, isOfSchema, listErrorCodes, listInvalidTexts } from "../core/routeErrors.ts";
import { headerOf } from "./openapiComponents.ts";
import { errorStyleOf, type Route } from "../core/route.ts";
import type { WireSchema } from "../core/wireSchema.ts";

type Json = Record<string, unknown>;

/** The success and every error of a route, by status; `output` is the schema of the success. */
export function describeResponses(route: Route, example: Example | undefined, output: WireSchema): Json {
  const headers = {
    "X-Request-Id": headerOf("RequestId"),
    ...(route.deprecated && { Deprecation: headerOf("Deprecation") }),
    ...(route.deprecated && { Link: headerOf("Link") }),
    ...(route.deprecated?.sunsetAt !== undefined && { Sunset: headerOf("Sunset") }),
  };
  const success = {
    description: "Success",
    headers,
    content: {
      [route.plainText ? "text/plain" : "application/json"]: {
        schema: output,
        ...(example && { example: example.output }),
      },
      ...(route.isStatement && otherForms),
    },
  };
  const faults = [...groupByStatus(route)].map(([status, codes]) => [
    String(status),
    describeErrors(route, status, codes, headers),
  ]);
  return { [String(route.status ?? 200)]: success, ...Object.fromEntries(faults) };
}

/** The further forms of a statement. */
const otherForms = {
  "text/csv": { schema: { type: "string" } },
  "application/pdf": { schema: { type: "string", contentMediaType: "application/pdf" } },
  "application/xml": { schema: { type: "string", contentMediaType: "application/xml" } },
};

const mayPass: readonly number[] = [429, 502, 503];

function describeErrors(route: Route, status: number, codes: readonly ErrorCode[], headers: Json): Json {
  const [invalidText] = listInvalidTexts(route);
  const examples = codes.map((code) => {
    const text = (isOfSchema(code) ? invalidText : undefined) ?? errorTextOf(code, route);
    return [code, { value: buildErrorBody(code, route, text) }] as const;
  });
  return {
    description: codes.map((code) => `\`${code}\`: ${describeCode(code, route)}`).join("\n\n"),
    headers: {
      ...headers,
      "X-Error-Code": headerOf("ErrorCode"),
      Link: headerOf("Link"),
      ...(status === 401 && { "WWW-Authenticate": headerOf("Challenge") }),
      ...(mayPass.includes(status) && { "Retry-After": headerOf("RetryAfter") }),
      ...(status === 429 && { RateLimit: headerOf("RateLimit"), "RateLimit-Policy": headerOf("RateLimitPolicy") }),
    },
    content: {
      "application/json": {
        schema: { $ref: `#/components/schemas/${nameFault(listStyles(route, codes))}` },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

const describeCode = (code: ErrorCode, route: Route): string =>
  isOfSchema(code) ? "The text names the first invalid field" : (errors[code].occasion ?? errorTextOf(code, route));

const styleNames: Readonly<Record<ErrorStyle, string>> = {
  error: "ErrorFault",
  message: "MessageFault",
  bare: "BareFault",
  errors: "RedirectFault",
  data: "IntegrationFault",
};

/** A body that is one of several has a name too: many generators of clients know variants only by name. */
const nameFault = (styles: readonly ErrorStyle[]): string =>
  styles
    .map((style) => styleNames[style])
    .toSorted()
    .map((name, index) => (index < styles.length - 1 ? name.replace("Fault", "Or") : name))
    .join("");

const groupByStatus = (route: Route): Map<number, ErrorCode[]> =>
  Map.groupBy(
    listErrorCodes(route).map(({ code }) => code),
    (code) => errors[code].status,
  );

const listStyles = (route: Route, codes: readonly ErrorCode[]): ErrorStyle[] => [
  ...new Set(codes.map((code) => errorStyleOf(code, route))),
];

/** The bodies of the routes' errors by their names. */
export function buildFaultSchemas(routes: readonly Route[]): Record<string, Json> {
  const mixed = routes
    .flatMap((route) => [...groupByStatus(route).values()].map((codes) => listStyles(route, codes)))
    .filter((styles) => styles.length > 1)
    .map((styles) => [
      nameFault(styles),
      {
        description: "An error in one of several forms",
        anyOf: styles.toSorted().map((style) => ({ $ref: `#/components/schemas/${styleNames[style]}` })),
      },
    ]);
  return { ...faultSchemas, ...Object.fromEntries(mixed) };
}

const faultSchemas: Readonly<Record<string, Json>> = {
  [styleNames.error]: {
    description: "An error with its text in `error`",
    type: "object",
    properties: { error: { type: "string" } },
    required: ["error"],
  },
  [styleNames.message]: {
    description: "An error with its text in `message`",
    type: "object",
    properties: { message: { type: "string" } },
    required: ["message"],
  },
  [styleNames.bare]: { description: "An error that is only its text", type: "string" },
  [styleNames.errors]: {
    description: "The person has a profile at the e-money institution; `redirectUrl` leads to its consent page",
    type: "object",
    properties: {
      errors: {
        type: "object",
        properties: { message: { type: "string" }, redirectUrl: { type: "string" } },
        required: ["message"],
      },
    },
    required: ["errors"],
  },
  [styleNames.data]: {
    description: "An error in the terms of the e-money integration",
    type: "object",
    properties: {
      data: {
        type: "object",
        properties: {
          success: { type: "boolean", enum: [false] },
          status: { type: "number" },
          description: { type: "string" },
          responseData: { type: "object" },
        },
        required: ["success", "status", "description"],
      },
    },
    required: ["data"],
  },
};
