/** Makes elements of a page without HTML in texts. */

type Attributes = Readonly<Record<string, string>>;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function makeButton(text: string, act: () => void): HTMLButtonElement {
  const button = make("button", { type: "button" }, text);
  button.addEventListener("click", act);
  return button;
}
