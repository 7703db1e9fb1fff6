/** The look of a secure card element as an app asks for it: properties of CSS by their names in scripts, as React takes them. */
export type Style = Readonly<Record<string, string | number>> | undefined;

/** Properties whose numbers are no lengths. Source: React's CSSProperties, those an element can use. */
const unitless = new Set(["flex", "flexGrow", "flexShrink", "fontWeight", "lineHeight", "opacity", "order", "zIndex"]);

/** Sets each property; what is no property of CSS does nothing. */
export function applyStyle(element: HTMLElement, style: Style): void {
  for (const [name, value] of Object.entries(style ?? {})) {
    const property = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    element.style.setProperty(property, typeof value === "number" && !unitless.has(name) ? `${value}px` : `${value}`);
  }
}
