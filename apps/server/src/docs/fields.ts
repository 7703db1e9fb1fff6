/** The fields of a schema: name, type, whether required, bounds and meaning, at every depth. */
import { pathOfMachine } from "@cardkeep/contract/openapi/documents";
import { listStates } from "@cardkeep/contract/core/machine";
import { machines } from "@cardkeep/contract/machines";
import { listFields, type WireField, type WireSchema } from "@cardkeep/contract/core/wireSchema";
import { markup, type Html, prose } from "@cardkeep/html/markup";

/**
 * What a page has shown already. Objects of many fields that appear again link to their first place, so that a page stays small.
 */
export interface FieldScope {
  /** Where the fields stand that are rendered now. */
  readonly place: { readonly href: string; readonly name: string };
  /** By the object's schema. The places of one page share it. */
  readonly shown: Map<string, FieldScope["place"]>;
}

/** Length of an object's fields as HTML from which a second copy is a link. */
const repeatedLengthMin = 1_500;

type SchemaOrTrue = WireSchema | boolean | undefined;

const plain = (schema: SchemaOrTrue): WireSchema => (typeof schema === "object" ? schema : {});

/** The schema without its optional `null`. */
function unwrapNull(schema: WireSchema): { schema: WireSchema; isNullable: boolean } {
  const variants = (schema.anyOf ?? schema.oneOf ?? []).map(plain);
  const rest = variants.filter(({ type }) => type !== "null");
  const [only] = rest;
  if (rest.length === variants.length) return { schema, isNullable: false };
  const { anyOf: _, oneOf: __, ...outer } = schema;
  return { schema: rest.length === 1 ? { ...only, ...outer } : { ...outer, anyOf: rest }, isNullable: true };
}

const variantsOf = (schema: WireSchema): WireSchema[] => (schema.anyOf ?? schema.oneOf ?? []).map(plain);
const itemsOf = ({ items }: WireSchema): WireSchema => plain(Array.isArray(items) ? items[0] : items);

function nameType(schema: WireSchema): string {
  if (schema.const !== undefined) return "constant";
  if (schema.enum) return "one of";
  if (schema.prefixItems) return `list of ${schema.prefixItems.length}`;
  if (schema.type === "array") return `list of ${nameType(unwrapNull(itemsOf(schema)).schema)}s`.replace("ofs", "of");
  const variants = variantsOf(schema);
  if (variants.some((variant) => listFields(variant).length > 0)) return "one of these";
  if (variants.length > 0) return variants.map(nameType).join(" or ");
  const type = [schema.type ?? "anything"].flat().join(" or ");
  return schema.format === undefined ? type : `${type}, ${schema.format}`;
}

function listBounds(schema: WireSchema): Html[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  const range = (low: number | undefined, high: number | undefined, unit: string): Html[] => {
    if (low === undefined && high === undefined) return [];
    const bounds =
      low === high
        ? `exactly ${low}`
        : high === undefined
          ? `at least ${low}`
          : low === undefined
            ? `at most ${high}`
            : `${low} to ${high}`;
    return [markup`${bounds}${unit}`];
  };
  return [
    ...range(minimum, maximum, ""),
    ...range(minLength, maxLength, " characters"),
    ...range(minItems, maxItems, " items"),
    ...(pattern === undefined ? [] : [markup`<code>${pattern}</code>`]),
  ];
}

const listValues = (schema: WireSchema): unknown[] =>
  schema.const !== undefined ? [schema.const] : (schema.enum ?? variantsOf(schema).flatMap(listValues));

function renderValues(schema: WireSchema): Html | null {
  const values = listValues(schema);
  if (values.length === 0) return null;
  const machine = machines.find((candidate) => listStates(candidate).join() === values.join());
  return markup`<span class="values"
    >${values.map((value) => markup`<code>${JSON.stringify(value)}</code> `)}${
      machine && markup`<a href="${pathOfMachine(machine)}">state machine</a>`
    }</span
  >`;
}

/** The inner fields of a schema: of an object, of a list's items, or of each variant. */
function renderInside(schema: WireSchema, scope: FieldScope): Html | null {
  if (schema.type === "array" && !schema.prefixItems) return renderInside(unwrapNull(itemsOf(schema)).schema, scope);
  const inside = schema.prefixItems
    ? schema.prefixItems.map((item, index) => ({ name: String(index), isRequired: true, schema: plain(item) }))
    : listFields(schema);
  const variants = variantsOf(schema).filter((variant) => listFields(variant).length > 0);
  if (inside.length === 0 && variants.length === 0) return null;
  const { description: _, ...rest } = schema;
  return showOnce(JSON.stringify(rest), scope, () => {
    if (inside.length > 0) return renderFields(inside, scope);
    return markup`${variants.map(
      (variant, index) =>
        markup`<p class="variant">Variant ${index + 1}</p>
          ${renderFields(listFields(variant), scope)}`,
    )}`;
  });
}

/** Fields that the page has shown before, as a link to them. */
function showOnce(key: string, { place, shown }: FieldScope, render: () => Html): Html {
  const first = shown.get(key);
  if (first)
    return markup`<p class="same">The same fields as in <a href="${first.href}"><code>${first.name}</code></a></p>`;
  const fields = render();
  if (fields.html.length > repeatedLengthMin) shown.set(key, place);
  return fields;
}

function renderField(field: WireField, scope: FieldScope): Html {
  const { schema, isNullable } = unwrapNull(field.schema);
  const bounds = listBounds(schema);
  const inside = schema.type === "array" && itemsOf(schema).enum ? null : renderInside(schema, scope);
  return markup`<li>
    <p class="field">
      <code class="name">${field.name}</code> <span class="type">${nameType(schema)}${isNullable && " or null"}</span>
      ${!field.isRequired && markup`<span class="optional">optional</span>`}
    </p>
    ${schema.description !== undefined && markup`<p class="means">${prose(schema.description)}</p>`}
    ${renderValues(schema.type === "array" ? itemsOf(schema) : schema)}
    ${bounds.length > 0 && markup`<p class="bounds">${bounds.map((bound, index) => markup`${index > 0 && " · "}${bound}`)}</p>`}
    ${inside}
  </li>`;
}

/** Fields as a list, each with its inner fields below. */
export const renderFields = (fields: readonly WireField[], scope: FieldScope): Html =>
  markup`<ul class="fields">
    ${fields.map((field) => renderField(field, scope))}
  </ul>`;

/** A whole schema: its fields, or its type if it has none. */
export function renderSchema(schema: WireSchema, scope: FieldScope): Html {
  const inside = renderInside(schema, scope);
  if (schema.type === "object" && inside) return inside;
  const { description } = schema;
  return markup`<p class="field">
      <span class="type">${nameType(schema)}</span
      >${description !== undefined && markup` <span class="means">${prose(description)}</span>`}
    </p>
    ${inside}`;
}
