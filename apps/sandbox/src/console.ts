import { escapeHtml, renderPage } from "./html.ts";
import type { SandboxRoute } from "./route.ts";

const script = `
for (const form of document.forms) form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const output = form.querySelector("pre");
  output.textContent = "…";
  try {
    const fields = JSON.parse(form.elements.input.value || "{}");
    const path = form.dataset.path.replace(/\\{(\\w+)\\}/g, (_, name) => { const value = fields[name]; delete fields[name]; return encodeURIComponent(value ?? ""); });
    const isGet = form.dataset.method === "GET";
    const response = await fetch(isGet ? path + "?" + new URLSearchParams(fields) : path, isGet ? {} : { method: "POST", body: JSON.stringify(fields) });
    output.textContent = response.status + "\\n" + JSON.stringify(await response.json(), null, 2);
  } catch (error) { output.textContent = String(error); }
});`;

const renderRoute = ({ method, path, summary, example }: SandboxRoute): string => `<section>
<h2><code>${method} ${escapeHtml(path)}</code></h2><p>${escapeHtml(summary)}</p>
<form data-method="${method}" data-path="${escapeHtml(path)}">
<textarea name="input" aria-label="Input of ${method} ${escapeHtml(path)}" spellcheck="false">${escapeHtml(JSON.stringify(example, null, 1))}</textarea>
<button>Send</button><pre aria-live="polite"></pre></form></section>`;

/** The console: a form for every route of the sandbox. */
export const renderConsole = (routes: readonly SandboxRoute[]): string =>
  renderPage({
    title: "Cardkeep sandbox",
    body: `<h1>Cardkeep sandbox</h1><p>Play every partner: each form is one route of the sandbox.</p><main>${routes.map(renderRoute).join("")}</main>`,
    script,
  });
