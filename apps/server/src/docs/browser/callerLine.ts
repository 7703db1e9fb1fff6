/** The line of a form that says who runs the route, and takes a new person or a pasted token. */
import type { Call } from "../samples/call.ts";
import { make, makeButton } from "./elements.ts";
import { makePerson, readCaller, writeCaller } from "./person.ts";

/** The sandbox's address; empty in production. */
const sandboxUrl = document.querySelector<HTMLElement>("main")?.dataset["sandbox"] ?? "";

/** Makes the line, which follows the caller of the whole page. */
export function makeCallerLine(tokenName: NonNullable<Call["tokenName"]>): HTMLElement {
  const line = make("div", { class: "caller" });
  const field = make("input", { type: "password", autocomplete: "off", "aria-label": labelOf(tokenName) });
  field.placeholder = labelOf(tokenName);
  const note = make("p", { class: "note", role: "status" });

  const useToken = (): void => {
    const token = field.value.trim().replace(/^Bearer\s+/i, "");
    if (token !== "") writeCaller(tokenName, { token, name: `a pasted ${labelOf(tokenName).toLowerCase()}` });
  };
  const useNewPerson = async (): Promise<void> => {
    note.textContent = "The sandbox makes a person with 500 EURe and a card. This takes some seconds.";
    try {
      writeCaller(tokenName, await makePerson(sandboxUrl));
    } catch (error) {
      note.textContent = error instanceof TypeError ? "The sandbox does not answer." : String(Object(error).message);
    }
  };
  const newPerson = makeButton("New person", () => void useNewPerson());
  const use = makeButton("Use", useToken);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    useToken();
  });

  const show = (): void => {
    const caller = readCaller(tokenName);
    note.textContent = "";
    if (caller) {
      const leave = makeButton("Forget", () => writeCaller(tokenName, null));
      line.replaceChildren(make("span", {}, "As ", make("b", {}, caller.name)), leave);
      return;
    }
    field.value = "";
    const isOfSandbox = sandboxUrl !== "" && tokenName === "TOKEN";
    line.replaceChildren(...(isOfSandbox ? [newPerson, make("span", {}, "or")] : []), field, use, note);
  };
  document.addEventListener("cardkeep:caller", show);
  show();
  return line;
}

const labelOf = (tokenName: NonNullable<Call["tokenName"]>): string =>
  tokenName === "TOKEN" ? "Access token" : "Partner's API key";
