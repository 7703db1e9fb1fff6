/** Renders every route of the sandbox as a form, from the route's own schema. */
import { type Html, markup } from "@cardkeep/html/markup";
import { z } from "zod";
import type { SandboxForm } from "../core/route.ts";

const inputSchema = z.object({
  properties: z.record(z.string(), z.object({ type: z.unknown().optional(), enum: z.array(z.string()).optional() })),
  required: z.array(z.string()).default([]),
});

type FieldSchema = z.output<typeof inputSchema>["properties"][string];

function renderControl(name: string, schema: FieldSchema, isRequired: boolean, example: unknown): Html {
  const required = isRequired && "required";
  if (schema.enum) {
    const options = schema.enum.map((option) => markup`<option ${option === example && "selected"}>${option}</option>`);
    const none = !isRequired && markup`<option value=""></option>`;
    return markup`<select name="${name}" ${required}>${none}${options}</select>`;
  }
  const value = typeof example === "string" ? example : JSON.stringify(example);
  if (schema.type === "object" || schema.type === "array" || typeof example === "object") {
    return markup`<textarea name="${name}" ${required} data-kind="json" spellcheck="false">${value}</textarea>`;
  }
  const isNumber = schema.type === "integer" || schema.type === "number";
  return markup`<input name="${name}" ${required} type="${isNumber ? "number" : "text"}" ${isNumber && "step=any"} value="${value}" autocomplete="off" />`;
}

function renderRoute({ method, path, summary, input, example }: SandboxForm, isPage: boolean): Html {
  const schema = inputSchema.parse(z.toJSONSchema(input, { io: "input", unrepresentable: "any" }));
  const fields = Object.entries(schema.properties).map(([name, property]) => {
    const isRequired = schema.required.includes(name);
    return markup`<label class="field"><span>${name}${!isRequired && " (optional)"}</span>
      ${renderControl(name, property, isRequired, example[name])}</label>`;
  });
  return markup`<section class="panel route">
    <h3><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></h3>
    <p class="meta">${summary}</p>
    <form data-method="${method}" data-path="${path}" data-keeps ${isPage && "data-page"}>
      ${fields}
      <div class="row"><button class="plain">${isPage ? "Open" : "Send"}</button></div>
      <output></output>
    </form>
  </section>`;
}

/** Forms for all routes; `pages` are the pages that a person opens in a browser. */
export const renderRoutes = (routes: readonly SandboxForm[], pages: readonly SandboxForm[]): Html =>
  markup`<section id="routes">
    <header>
      <h2>All routes</h2>
      <p class="lead">Every route of the sandbox as a form. Tests and programs call the same routes as the desks.</p>
    </header>
    <div class="columns">
      ${routes.map((route) => renderRoute(route, false))} ${pages.map((route) => renderRoute(route, true))}
    </div>
  </section>`;
