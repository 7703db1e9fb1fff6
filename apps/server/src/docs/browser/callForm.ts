/** The fields of a call: path, query and body, each with the example's value until the reader changes it. */
import type { Call } from "../samples/call.ts";
import { make } from "./elements.ts";

export interface CallForm {
  readonly element: HTMLElement;
  /** The call with the present values. @throws SyntaxError where the body is no JSON */
  read(): Call;
  /** Puts a value into a path parameter that the reader did not change. */
  fill(name: string, value: string): void;
}

/** `onChange` runs after every change of a field. */
export function makeCallForm(example: Call, onChange: () => void): CallForm {
  const element = make("div", { class: "inputs" });
  const addFields = (values: Readonly<Record<string, string>>): Map<string, HTMLInputElement> =>
    new Map(
      Object.entries(values).map(([name, value]) => {
        const field = make("input", { type: "text", autocomplete: "off", spellcheck: "false" });
        field.value = value;
        field.addEventListener("input", onChange);
        element.append(make("label", {}, make("code", {}, name), field));
        return [name, field];
      }),
    );
  const parameters = addFields(example.parameters);
  const query = addFields(example.query);
  const body = example.body === undefined ? null : make("textarea", { spellcheck: "false" });
  if (body) {
    body.value = JSON.stringify(example.body, null, 2);
    body.rows = Math.min(16, body.value.split("\n").length + 1);
    body.addEventListener("input", onChange);
    element.append(make("label", {}, "Body", body));
  }
  const toTexts = (fields: ReadonlyMap<string, HTMLInputElement>): Record<string, string> =>
    Object.fromEntries([...fields].map(([name, field]) => [name, field.value]));
  return {
    element,
    read: () => {
      const { body: _, ...rest } = example;
      const text = body?.value.trim() ?? "";
      return {
        ...rest,
        parameters: toTexts(parameters),
        query: toTexts(query),
        ...(text !== "" && { body: JSON.parse(text) as unknown }),
      };
    },
    fill: (name, value) => {
      const field = parameters.get(name);
      if (!field || field.value !== example.parameters[name]) return;
      field.value = value;
      onChange();
    },
  };
}
