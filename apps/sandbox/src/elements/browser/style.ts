/** The app's style of a secure card element: CSS properties by their names in scripts, as in React. */
export type Style = Readonly<Record<string, string | number>> | undefined;

/** Properties whose numbers are not lengths. Source: React's CSSProperties, limited to those of an element. */
const unitless = new Set(["flex", "flexGrow", "flexShrink", "fontWeight", "lineHeight", "opacity", "order", "zIndex"]);

/** Sets each property; an unknown property has no effect. */
export function applyStyle(element: HTMLElement, style: Style): void {
  for (const [name, value] of Object.entries(style ?? {})) {
    const property = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    element.style.setProperty(property, typeof value === "number" && !unitless.has(name) ? `${value}px` : `${value}`);
  }
}
