/** The page of the secure card elements, for an iframe of any app. */
import { renderDocument } from "@cardkeep/html/document";
import { markup } from "@cardkeep/html/markup";
import { createHash } from "node:crypto";

const style = `
  body { margin: 0; font: 16px/1.4 system-ui, sans-serif; color: #16181d; background: transparent; }
  dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0; padding: .5rem; }
  dt { color: #5a6070; } dd { margin: 0; font-variant-numeric: tabular-nums; letter-spacing: .03em; }
  form { display: flex; gap: .5rem; align-items: end; padding: .5rem; }
  label { display: grid; gap: .25rem; color: #5a6070; }
  input { font: inherit; width: 6rem; padding: .4rem; border: 1px solid #9aa1b0; border-radius: .4rem; }
  button { font: inherit; padding: .45rem .9rem; border: 0; border-radius: .4rem; color: #fff; background: #1f4fd8; }
  p { margin: 0; padding: .5rem; }`;

/** Runs in the iframe. `init` opens one element; what it shows never leaves this page. */
const script = `
  const root = document.getElementById("element");
  const show = (text) => { const p = document.createElement("p"); p.setAttribute("role", "status"); p.textContent = text; root.replaceChildren(p); };
  const post = async (path, body) => {
    const response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw Object.assign(new Error(answer.error), { status: response.status });
    return answer;
  };
  const list = (facts) => {
    const dl = document.createElement("dl");
    for (const [name, value] of facts) {
      const dt = document.createElement("dt"), dd = document.createElement("dd");
      dt.textContent = name; dd.textContent = value; dl.append(dt, dd);
    }
    root.replaceChildren(dl);
  };
  const askPin = (grant, tell) => {
    const form = document.createElement("form");
    const label = document.createElement("label"), input = document.createElement("input"), button = document.createElement("button");
    label.textContent = "New PIN";
    Object.assign(input, { type: "password", inputMode: "numeric", maxLength: 4, pattern: "[0-9]{4}", required: true, autocomplete: "off" });
    button.textContent = "Set PIN";
    label.append(input); form.append(label, button);
    form.addEventListener("submit", async (event) => {
      event.preventDefault(); button.disabled = true;
      try { await post("/pin", { grant, pin: input.value }); show("The PIN is set."); tell({ type: "DoneSettingPin" }); }
      catch (error) { show(error.message); tell({ type: "Error", message: error.message }); }
    });
    root.replaceChildren(form);
  };
  let isOpen = false;
  addEventListener("message", async ({ data, source, origin }) => {
    if (source !== parent || typeof data !== "object" || data === null || isOpen) return;
    if ((data.type ?? data.action) !== "init") return;
    isOpen = true;
    const { element, ephemeralToken, accessToken, cardToken } = { ...data, ...data.payload };
    const tell = (message) => parent.postMessage(message, origin);
    try {
      const shown = await post("/open", { element, ephemeralToken, accessToken, cardToken });
      if (element === "cardData") list([["Number", shown.number], ["Expires", shown.expiry], ["CVC", shown.cvc]]);
      else if (element === "cardPin") list([["PIN", shown.pin]]);
      else askPin(shown.grant, tell);
      tell({ type: "Ready", element });
    } catch (error) {
      isOpen = false; show(error.message);
      tell({ type: error.status === 401 ? "InvalidToken" : "Error", message: error.message });
    }
  });
  if (parent !== window) parent.postMessage({ type: "Loaded" }, "*");`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page; apps on this machine may frame it. */
export const renderElements = (): Response =>
  new Response(
    renderDocument({
      title: "Card",
      style,
      script,
      body: markup`<main id="element"><p role="status">Waiting for the app.</p></main>`,
    }),
    {
      headers: {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": [
          "default-src 'none'",
          `style-src ${hashOf(style)}`,
          `script-src ${hashOf(script)}`,
          "img-src data:",
          "connect-src 'self'",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors http://localhost:* http://127.0.0.1:* https://localhost:*",
        ].join("; "),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
      },
    },
  );
