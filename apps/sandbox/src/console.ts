/** The console: a form for every route of the sandbox, drawn from the route's own schema. */
import { z } from "zod";
import { escapeHtml, renderPage } from "./html.ts";
import type { SandboxForm } from "./route.ts";

/** Sends a form as its route wants it: path parameters in the path, the rest as query or as JSON. */
const script = `
const read = (control) => control.dataset.kind === "json" ? JSON.parse(control.value)
  : control.type === "number" ? Number(control.value) : control.value;
for (const form of document.forms) form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { path, method } = form.dataset;
  const output = form.querySelector("pre");
  output.textContent = "…";
  try {
    const filled = [...form.elements].filter((control) => control.name && control.value.trim() !== "");
    const fields = Object.fromEntries(filled.map((control) => [control.name, read(control)]));
    const target = path.replace(/\\{(\\w+)\\}/g, (_, name) => encodeURIComponent(fields[name] ?? ""));
    for (const [, name] of path.matchAll(/\\{(\\w+)\\}/g)) delete fields[name];
    if (form.dataset.page) { output.textContent = ""; open(target, "_blank"); return; }
    const response = method === "GET"
      ? await fetch(target + "?" + new URLSearchParams(fields))
      : await fetch(target, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(fields) });
    output.textContent = response.status + "\\n" + JSON.stringify(await response.json(), null, 2);
  } catch (error) { output.textContent = String(error); }
});`;

const inputSchema = z.object({
  properties: z.record(z.string(), z.object({ type: z.unknown().optional(), enum: z.array(z.string()).optional() })),
  required: z.array(z.string()).default([]),
});

type FieldSchema = z.output<typeof inputSchema>["properties"][string];

function renderControl(attributes: string, schema: FieldSchema, example: unknown): string {
  if (schema.enum) {
    const options = schema.enum.map((option) => `<option${option === example ? " selected" : ""}>${option}</option>`);
    return `<select ${attributes}>${options.join("")}</select>`;
  }
  const value = escapeHtml(typeof example === "string" ? example : (JSON.stringify(example) ?? ""));
  if (schema.type === "object" || schema.type === "array" || typeof example === "object") {
    return `<textarea ${attributes} data-kind="json" spellcheck="false">${value}</textarea>`;
  }
  const type = schema.type === "integer" ? "number" : "text";
  return `<input ${attributes} type="${type}" value="${value}" autocomplete="off">`;
}

function renderField(name: string, schema: FieldSchema, isRequired: boolean, example: unknown): string {
  const control = renderControl(`name="${name}"${isRequired ? " required" : ""}`, schema, example);
  return `<label>${name}${isRequired ? "" : " (optional)"}${control}</label>`;
}

function renderRoute({ method, path, summary, input, example }: SandboxForm, isPage = false): string {
  const schema = inputSchema.parse(z.toJSONSchema(input, { io: "input", unrepresentable: "any" }));
  const fields = Object.entries(schema.properties).map(([name, property]) =>
    renderField(name, property, schema.required.includes(name), example[name]),
  );
  return `<section><h2><code>${method} ${escapeHtml(path)}</code></h2><p>${escapeHtml(summary)}</p>
<form data-method="${method}" data-path="${escapeHtml(path)}"${isPage ? ' data-page="1"' : ""}>${fields.join("")}
<button>${isPage ? "Open" : "Send"}</button><pre aria-live="polite"></pre></form></section>`;
}

/** The console's page; `pages` are routes that a person opens rather than calls. */
export function renderConsole(routes: readonly SandboxForm[], pages: readonly SandboxForm[]): string {
  const sections = [...routes.map((route) => renderRoute(route)), ...pages.map((route) => renderRoute(route, true))];
  return renderPage({
    title: "Cardkeep sandbox",
    body: `<h1>Cardkeep sandbox</h1><p>Play every partner: each form is one route of the sandbox.</p>
<main>${sections.join("")}</main>`,
    script,
  });
}
