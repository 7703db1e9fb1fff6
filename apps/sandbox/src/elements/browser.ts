/**
 * Runs in the iframe of a secure card element. The messages are those of `@gnosispay/pse-sdk`.
 *
 * - in: `init` opens one element, `tokenRefresh` opens it again with another ephemeral token.
 * - out: events, by name. The shown values never leave this page.
 */
import { applyStyle, type Style } from "./browser/style.ts";

const pinDigits = 4;

interface Init {
  readonly element: unknown;
  readonly cardToken: unknown;
  readonly accessToken: unknown;
  readonly style: Readonly<Record<string, Style>>;
}

type Message = Readonly<Record<string, unknown>>;

class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const root = document.querySelector("main") ?? document.body;
const isObject = (value: unknown): value is Message => typeof value === "object" && value !== null;

/** An element of the page with its text and the app's style. */
function build<K extends keyof HTMLElementTagNameMap>(name: K, text: string, style?: Style): HTMLElementTagNameMap[K] {
  const built = document.createElement(name);
  built.textContent = text;
  applyStyle(built, style);
  return built;
}

function show(text: string, style?: Style): void {
  const shown = build("p", text, style);
  shown.setAttribute("role", "status");
  root.replaceChildren(shown);
}

async function post(path: string, body: object): Promise<Record<string, string>> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Refused(response.status, String(answer.error));
  return answer;
}

/** A value of the card with a button that copies it. */
function buildField(input: {
  name: string;
  value: string;
  copied: string | null;
  init: Init;
  send: Send;
}): HTMLElement {
  const { name, value, copied, init, send } = input;
  const field = build("div", "", init.style["field"]);
  field.append(build("dt", name, init.style["label"]), build("dd", value, init.style["value"]));
  if (copied === null) return field;
  const button = build("button", "Copy", init.style["copyButton"]);
  button.setAttribute("aria-label", `Copy ${name}`);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value.replaceAll(" ", ""));
      button.textContent = "Copied";
      send({ type: copied });
    } catch (error) {
      send({
        type: "Error",
        message: "The browser does not allow this frame to copy",
        details: { cause: String(error) },
      });
    }
  };
  button.addEventListener("click", () => void copy());
  field.append(button);
  return field;
}

type Send = (message: Message) => void;

function showFields(fields: HTMLElement[]): void {
  const list = document.createElement("dl");
  list.append(...fields);
  root.replaceChildren(list);
}

function promptPin(grant: string | undefined, init: Init, send: Send): void {
  const form = build("form", "", init.style["field"]);
  const label = build("label", "New PIN", init.style["label"]);
  const input = build("input", "", init.style["value"]);
  const button = build("button", "Set PIN", init.style["changePinButton"]);
  Object.assign(input, { type: "password", inputMode: "numeric", maxLength: pinDigits, required: true });
  Object.assign(input, { pattern: `[0-9]{${pinDigits}}`, title: `${pinDigits} digits`, autocomplete: "off" });
  label.append(input);
  form.append(label, button);
  const setPin = async (): Promise<void> => {
    try {
      await post("/pin", { grant, pin: input.value });
      show("The PIN is set.", init.style["successNotice"]);
      send({ type: "SetPinSuccess" });
      send({ type: "DoneSettingPin" });
    } catch (error) {
      // The form is gone, so a new token opens another one.
      isOpen = false;
      report(error, send);
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    button.disabled = true;
    void setPin();
  });
  root.replaceChildren(form);
  input.focus();
}

/** Shows the error and sends it to the app. */
function report(error: unknown, send: Send): void {
  const message = error instanceof Error ? error.message : String(error);
  show(message);
  const status = error instanceof Refused ? error.status : null;
  if (status === 401) send({ type: "EphemeralTokenInvalid", message });
  else send({ type: "Error", message, details: { status } });
}

async function open(init: Init, ephemeralToken: unknown, send: Send): Promise<void> {
  const { element, accessToken, cardToken } = init;
  const shown = await post("/open", { element, ephemeralToken, accessToken, cardToken });
  const field = (name: string, value: string | undefined, copied: string | null) =>
    buildField({ name, value: value ?? "", copied, init, send });
  if (element === "cardData") {
    showFields([
      field("Number", shown["number"], "CardNumberCopied"),
      field("Expires", shown["expiry"], "CardExpirationCopied"),
      field("CVC", shown["cvc"], "CardSecurityCodeCopied"),
    ]);
  } else if (element === "cardPin") showFields([field("PIN", shown["pin"], null)]);
  else promptPin(shown["grant"], init, send);
  applyStyle(root, init.style["container"]);
  send({ type: "Ready", element });
}

let last: Init | null = null;
let isOpen = false;

addEventListener("message", ({ data, source, origin }) => {
  if (source !== parent || !isObject(data) || isOpen) return;
  if (data["type"] === "init") {
    last = {
      element: data["elementType"] ?? data["element"],
      cardToken: data["cardToken"],
      accessToken: data["gnosisPayApiAuthToken"] ?? data["accessToken"],
      style: isObject(data["style"]) ? (data["style"] as Init["style"]) : {},
    };
  } else if (data["type"] !== "tokenRefresh" || last === null) return;
  const send: Send = (message) => parent.postMessage(message, origin);
  isOpen = true;
  open(last, data["ephemeralToken"], send).catch((error: unknown) => {
    isOpen = false;
    report(error, send);
  });
});
if (parent !== window) parent.postMessage({ type: "Loaded" }, "*");
else root.replaceChildren(...(document.querySelector("template")?.content.children ?? []));
