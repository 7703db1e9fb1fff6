/** An element with its properties and children. */
export function build<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const built = Object.assign(document.createElement(name), properties);
  built.append(...children);
  return built;
}
