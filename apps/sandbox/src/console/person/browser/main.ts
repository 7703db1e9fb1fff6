/**
 * The script of the Person desk: it keeps the people's keys, and carries out each step at the service.
 *
 * Where the person stands comes from the server, which reads it from the service.
 */
import { fillPath, isBusy, readFields, showAnswer, whileBusy } from "../../browser/forms.ts";
import { type Command, createActor } from "./command.ts";
import { account } from "./account.ts";
import { bookkeeping } from "./bookkeeping.ts";
import { build } from "./build.ts";
import { cards } from "./cards.ts";
import { findKept, keepToken, type KeptPerson, openWallet, readToken } from "./keys.ts";
import { renderKeys } from "./people.ts";
import { registration } from "./registration.ts";
import { callSandbox, type Exchange, Refused, type Service } from "./service.ts";
import { renderExchange } from "./trace.ts";
import { verification } from "./verification.ts";

const commands: Readonly<Record<string, Command>> = {
  ...registration,
  ...verification,
  ...account,
  ...cards,
  ...bookkeeping,
};

const play = (): DOMStringMap => document.querySelector<HTMLElement>("#play")?.dataset ?? {};

/** Wallets may sign in at `localhost` only, so the desk is used there. */
if (location.hostname === "127.0.0.1") location.replace(location.href.replace("127.0.0.1", "localhost"));

/** The person of the page, if this browser keeps the key. */
const findPerson = (): KeptPerson | null => findKept([play()["wallet"] ?? ""]);

const updatePage = () => dispatchEvent(new Event("cardkeep:update"));

/** Lets the server see the token, and shows how long it lasts. */
function showSession(): void {
  const person = findPerson();
  const claims = readToken(person?.token ?? null);
  if (claims && person?.token) document.documentElement.dataset["token"] = person.token;
  else delete document.documentElement.dataset["token"];
  const session = document.querySelector("#session");
  if (!session) return;
  const minutes = claims === null ? 0 : Math.round((claims.endsAt.getTime() - Date.now()) / 60_000);
  const text =
    person === null
      ? "This browser does not keep the key of this person."
      : claims === null
        ? person.token === null
          ? "Not signed in yet."
          : "The access token has ended. Sign in again."
        : `Signed in for ${minutes} more ${minutes === 1 ? "minute" : "minutes"}.`;
  if (session.textContent !== text) session.textContent = text;
}

const serviceOf = (trace: Element | null): Service => {
  const isFirst = { yet: true };
  return {
    url: play()["service"] ?? "",
    operations: JSON.parse(play()["operations"] ?? "{}"),
    token: () => findPerson()?.token ?? null,
    record: (exchange: Exchange) => {
      if (isFirst.yet) trace?.replaceChildren(build("h3", { textContent: "What this button did" }));
      isFirst.yet = false;
      trace?.append(renderExchange(exchange));
    },
  };
};

/** What a command says is shown below the step's forms, because its own form may be gone once it is done. */
const findOutput = (form: HTMLFormElement): HTMLOutputElement | null =>
  form.dataset["command"] === undefined
    ? form.querySelector("output")
    : (form.closest(".step")?.querySelector<HTMLOutputElement>(".inside > output") ?? null);

function say(form: HTMLFormElement, text: string, tone: "good" | "bad" | "plain"): void {
  const output = findOutput(form);
  if (!output) return;
  output.value = text;
  output.className = tone;
}

function showRefusal(form: HTMLFormElement, error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  say(form, text, "bad");
  if (!(error instanceof Refused) || error.code === null) return;
  const href = `${play()["service"]}/docs/errors#error-${error.code}`;
  const link = build("a", { href, textContent: error.code, className: "docs", target: "_blank" });
  findOutput(form)?.append(" ", link);
}

async function runCommand(form: HTMLFormElement, name: string, submitter: HTMLElement | null): Promise<void> {
  const [command, person] = [commands[name], findPerson()];
  if (!command) throw new Error(`The page knows no command ${name}`);
  if (!person) throw new Error("This browser does not keep the key of this person. Import the key above.");
  const actor = createActor(
    {
      wallet: openWallet(person),
      chainId: Number(play()["chain"]),
      elementsUrl: play()["elements"] ?? "",
      useToken: (token) => keepToken(person.address, token),
      say: (text) => say(form, text, "plain"),
    },
    serviceOf(traceOf(form)),
  );
  say(form, await command(actor, readFields(form, submitter)), "good");
}

/** Sends a form to a route of the sandbox, which plays a partner. */
async function runRoute(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const fields = readFields(form, submitter);
  const path = fillPath(submitter?.dataset["path"] ?? form.dataset["path"] ?? "", fields);
  const answer = await callSandbox(serviceOf(traceOf(form)), form.dataset["method"] ?? "POST", path, fields);
  showAnswer(form, new Response(), answer as Record<string, unknown>);
}

const traceOf = (form: HTMLFormElement): Element | null => form.closest(".step")?.querySelector(".trace") ?? null;

document.addEventListener(
  "submit",
  (event) => {
    const form = event.target as HTMLFormElement;
    const { command, path } = form.dataset;
    if (!form.closest(".step") || (command === undefined && path === undefined)) return;
    event.preventDefault();
    // The console's own script would send the form too.
    event.stopPropagation();
    if (isBusy(form)) return;
    say(form, "…", "plain");
    void whileBusy(form, () =>
      command === undefined ? runRoute(form, event.submitter) : runCommand(form, command, event.submitter),
    )
      .catch((error: unknown) => showRefusal(form, error))
      .finally(() => {
        showSession();
        showKeys();
        updatePage();
      });
  },
  { capture: true },
);

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>(".next a") : null;
  const step = link && document.querySelector(link.hash);
  if (!step) return;
  event.preventDefault();
  const details = step.querySelector("details");
  if (details) details.open = true;
  details?.querySelector("summary")?.focus({ preventScroll: true });
  step.scrollIntoView({ block: "start", behavior: "smooth" });
});

const showKeys = (): void => renderKeys({ current: findPerson(), isNamed: (play()["wallet"] ?? "") !== "" });

/** The page came without the token. With it the server knows which step is next, and that one is opened. */
function openNext(): void {
  const next = document.querySelector<HTMLDetailsElement>(".step:is(.now, .failed, .waiting) details");
  if (next) next.open = true;
}

const sessionEveryMs = 1_000;

showSession();
showKeys();
addEventListener("cardkeep:updated", openNext, { once: true });
updatePage();
setInterval(showSession, sessionEveryMs);
