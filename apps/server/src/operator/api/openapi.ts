/** The OpenAPI document of the operator's API, from the table of nouns. */
import { base } from "./answers.ts";
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { version } from "@cardkeep/contract/version";
import type { Input, Noun, NounAct } from "@cardkeep/desk/noun";
import { deskNouns } from "@cardkeep/desk/nouns";
import { reasonLengthMax } from "@cardkeep/domain/core/operators/reason";
import { findVerbRow, type OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import { exportFormats } from "@cardkeep/domain/operations/exports/formats";
import { exportKinds } from "@cardkeep/domain/operations/exports/records";
import { faults, json, ref, type Schema, word } from "./openapiParts.ts";
import { sessionPaths, sessionSchemas } from "./openapiSessions.ts";

const describeRoles = (verb: OperatorVerb): string => {
  const { roles, twoPersons } = findVerbRow(verb);
  return `Verb \`${verb}\`; roles: ${roles.join(", ")}.${twoPersons ? " A second person approves it where the settings say so." : ""}`;
};

const view = { name: "view", in: "query", description: "With the values that pages show", schema: word(["values"]) };

const queryOf = ({ list: { filters, isWhole } }: Noun) => [
  ...Object.entries(filters).map(([name, { brief, values }]) => ({
    name,
    in: "query",
    description: brief,
    schema: word(values),
  })),
  ...(isWhole
    ? []
    : [
        { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 1_000, default: 50 } },
        { name: "after", in: "query", description: "`next` of the page before", schema: word() },
      ]),
  view,
];

const keyOf = ({ argument: { brief, values } }: Noun) => ({
  name: "key",
  in: "path",
  required: true,
  description: brief,
  schema: word(values),
});

function describeInput({ values, isNumber, isSwitch, isList, isJson }: Input): Schema {
  if (isNumber) return { type: "number" };
  if (isSwitch) return { type: "boolean" };
  if (isJson) return { type: "object" };
  return isList ? { type: "array", items: word(values) } : word(values);
}

function describeAct(noun: Noun, name: string, act: NounAct): readonly [string, Schema] {
  const { needsReason } = findVerbRow(act.verb);
  const inputs = Object.entries(act.inputs).map(([input, shape]) => [
    input,
    { ...describeInput(shape), description: shape.brief },
  ]);
  const own =
    act.isOfRow || act.isKeyless
      ? []
      : [[noun.argument.name, { ...word(noun.argument.values), description: noun.argument.brief }]];
  const reason = { type: "string", maxLength: reasonLengthMax, description: "Kept for ever: give no personal data" };
  const needed = Object.entries(act.inputs).flatMap(([input, { isRequired }]) => (isRequired ? [input] : []));
  const required = [...own.map(([input]) => input), ...needed, ...(needsReason ? ["reason"] : [])];
  const schema = {
    type: "object",
    additionalProperties: false,
    properties: { ...Object.fromEntries([...own, ...inputs]), reason },
    ...(required.length > 0 && { required }),
  };
  const idempotency = { name: "Idempotency-Key", in: "header", description: "The same key acts once", schema: word() };
  const operation = {
    operationId: `${noun.name}.${name}`,
    tags: [noun.title],
    summary: act.brief,
    description: describeRoles(act.verb),
    parameters: [...(act.isOfRow ? [keyOf(noun)] : []), ...(act.file ? [] : [view]), idempotency],
    requestBody: { required: required.length > 0, ...json(schema) },
    responses: {
      200: act.file
        ? { description: "The file", content: { "*/*": { schema: word() } } }
        : { description: "The row after the act", ...json(ref("Row")) },
      ...faults({
        400: "The body or a name in the address cannot be read",
        404: "There is no such row",
        408: "The body took too long",
        409: "The act is not possible now, or waits for a second person",
        413: "The body is too large",
        422: "An input or the reason is missing or wrong",
      }),
    },
  };
  return [[base, noun.name, ...(act.isOfRow ? ["{key}"] : []), name].join("/"), { post: operation }];
}

const ofList = { 404: "A filter names what there is not", 422: "A filter, `limit` or `after` is wrong" };
const ofRow = { 404: "There is none", 422: "The key is wrong" };

function listPaths(noun: Noun): (readonly [string, Schema])[] {
  const { name, title, list, show, overview, acts } = noun;
  const listed = {
    operationId: list.verb,
    tags: [title],
    summary: list.brief,
    description: describeRoles(list.verb),
    parameters: queryOf(noun),
    responses: { 200: { description: "Rows, newest first", ...json(ref("Page")) }, ...faults(ofList) },
  };
  const shown = show && {
    operationId: show.verb,
    tags: [title],
    summary: show.brief,
    description: describeRoles(show.verb),
    parameters: [keyOf(noun), view],
    responses: { 200: { description: "The row", ...json(ref("Row")) }, ...faults(ofRow) },
  };
  const whole = overview && {
    operationId: `${name}.overview`,
    tags: [title],
    summary: overview.brief,
    description: describeRoles(overview.verb),
    parameters: [view],
    responses: { 200: { description: "The whole", ...json(ref("Overview")) }, ...faults() },
  };
  return [
    [`${base}/${name}`, { get: listed }],
    ...(whole ? [[`${base}/${name}/overview`, { get: whole }] as const] : []),
    ...(shown ? [[`${base}/${name}/{key}`, { get: shown }] as const] : []),
    ...Object.entries(acts).map(([act, described]) => describeAct(noun, act, described)),
  ];
}

const dayParameter = (name: string, description: string): Schema => ({
  name,
  in: "query",
  description,
  schema: { type: "string", format: "date" },
});

const exportPath = {
  [`${base}/exports/{key}/file`]: {
    get: {
      operationId: "exports.file",
      tags: ["Exports"],
      summary: "The records of an export, as a file of any size",
      description: `${describeRoles("exports.run")} Each record ends with its cursor.`,
      parameters: [
        {
          name: "key",
          in: "path",
          required: true,
          description: "Name of the export",
          schema: word(keysOf(exportKinds)),
        },
        {
          name: "format",
          in: "query",
          description: "beancount: of ledger and journal alone",
          schema: word(exportFormats),
        },
        dayParameter("from", "First day, in the time zone of statements"),
        dayParameter("to", "Last day"),
        { name: "after", in: "query", description: "Go on behind the record with this cursor", schema: word() },
      ],
      responses: {
        200: {
          description: "The records",
          content: {
            "text/csv": { schema: word() },
            "application/jsonl": { schema: word() },
            "text/plain": { schema: word() },
          },
        },
        ...faults({ 422: "There is no such export, form, day or cursor" }),
      },
    },
  },
};

/** Builds the document. */
export const buildOperatorOpenapi = (serverUrl: string): Schema => ({
  openapi: "3.1.0",
  info: {
    title: "Cardkeep operator's API",
    version,
    description:
      "What operators see and do: the nouns, filters, acts and roles of the pages and the commands. Each act is in the action log.",
  },
  servers: [{ url: serverUrl }],
  security: [{ operator: [] }],
  paths: { ...sessionPaths, ...Object.fromEntries(deskNouns.flatMap(listPaths)), ...exportPath },
  components: {
    securitySchemes: {
      operator: {
        type: "http",
        scheme: "bearer",
        description: "A key of OPERATOR_API_KEY, or the secret of an operator's session",
      },
    },
    schemas: {
      Row: {
        type: "object",
        required: ["key", "data"],
        properties: {
          key: word(),
          data: {
            description: "The row, as `cardkeep … --json` prints it: amounts are decimal strings, instants ISO 8601",
          },
          fields: { type: "array", description: "Names and values with their kinds; with `view=values`" },
        },
      },
      Overview: {
        type: "object",
        required: ["data"],
        properties: {
          data: { description: "As `cardkeep … --json` prints it" },
          tables: { type: "array", description: "Its tables, with values and their kinds; with `view=values`" },
        },
      },
      Page: {
        type: "object",
        required: ["rows", "next"],
        properties: {
          rows: { type: "array", items: ref("Row") },
          next: { type: ["string", "null"], description: "`after` of the next page; null for the last" },
          columns: { type: "array", description: "Of the cells of each row; with `view=values`" },
        },
      },
      ...sessionSchemas,
      Fault: { type: "object", required: ["error"], properties: { error: word(), code: word() } },
    },
  },
});
