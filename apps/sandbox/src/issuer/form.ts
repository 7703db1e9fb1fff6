/** `application/x-www-form-urlencoded` with brackets, as the issuer's API takes it: `billing[address][line1]`, `expand[]`. */

interface Branch {
  [name: string]: Branch | string;
}

const depthMax = 8;

/** Names that would change an object's prototype. */
const isForbidden = (name: string): boolean => name === "__proto__" || name === "constructor" || name === "prototype";

/** Parses the fields of a body or query. A branch with the names 0, 1, ... is a list. */
export function parseForm(text: string): Record<string, unknown> {
  const root: Branch = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [...name.matchAll(/([^[\]]+)|\[\]/g)].map(([, segment]) => segment ?? "");
    if (path.length === 0 || path.length > depthMax || path.some(isForbidden)) continue;
    let at = root;
    for (const segment of path.slice(0, -1)) {
      const next = at[segment] ?? (at[segment] = Object.create(null) as Branch);
      if (typeof next === "string") break;
      at = next;
    }
    const last = path.at(-1) ?? "";
    at[last === "" ? String(Object.keys(at).length) : last] = value;
  }
  return Object.fromEntries(Object.entries(root).map(([name, value]) => [name, settle(value)]));
}

function settle(branch: Branch | string): unknown {
  if (typeof branch === "string") return branch;
  const names = Object.keys(branch);
  const values = Object.values(branch).map(settle);
  const isList = names.every((name, index) => name === String(index));
  return isList ? values : Object.fromEntries(names.map((name, index) => [name, values[index]]));
}
