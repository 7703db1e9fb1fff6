/** The named schemas of the OpenAPI document. */
import type { z } from "zod";
import { buildFaultSchemas } from "./openapiResponses.ts";
import type { Route } from "../core/route.ts";
import { simplifySchema } from "./simplifySchema.ts";
import { buildSharedSchema, type WireSchema } from "../core/wireSchema.ts";

/** Of references to named schemas. */
const prefix = "#/components/schemas/";
const references = new RegExp(`"\\$ref":"${prefix}(\\w+)"`, "g");

export interface NamedSchemas {
  /** Every schema with a name, by its name. */
  readonly schemas: Readonly<Record<string, unknown>>;
  /** The JSON Schema of the wire; its parts with an id become named. */
  refer(schema: z.ZodType): WireSchema;
  /** Names the body of an operation, and answers a reference. Generators make up a name otherwise, at times one twice. */
  nameBody(operation: string, kind: "Input" | "Output", schema: WireSchema): WireSchema;
}

/** Collects named schemas, with those of the routes' errors. */
export function collectNamedSchemas(routes: readonly Route[]): NamedSchemas {
  const schemas: Record<string, unknown> = buildFaultSchemas(routes);
  return {
    schemas,
    refer: (schema) => {
      const { schema: whole, shared } = buildSharedSchema(schema, prefix);
      const byReference = Object.fromEntries(Object.entries(shared).map(([id, part]) => [prefix + id, part]));
      const simple = simplifySchema(whole, byReference);
      const add = (from: WireSchema): void => {
        for (const [, id = ""] of JSON.stringify(from).matchAll(references)) {
          const part = shared[id];
          if (part === undefined || id in schemas) continue;
          const named = simplifySchema(part, byReference);
          schemas[id] = named;
          add(named);
        }
      };
      add(simple);
      return simple;
    },
    nameBody: (operation, kind, schema) => {
      if ((schema.properties ?? schema.items ?? schema.oneOf) === undefined) return schema;
      const id = operation.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase()) + kind;
      // A tool of the Model Context Protocol has to show an object beside its variants.
      const variants = schema.oneOf ?? [];
      const areObjects = variants.length > 0 && variants.every((variant) => isObject(variant, schemas));
      schemas[id] = areObjects ? { type: "object", ...schema } : schema;
      return { $ref: prefix + id };
    },
  };
}

function isObject(schema: unknown, schemas: Readonly<Record<string, unknown>>): boolean {
  const { $ref, type } = schema as WireSchema;
  return $ref === undefined ? type === "object" : isObject(schemas[$ref.slice(prefix.length)] ?? {}, schemas);
}
