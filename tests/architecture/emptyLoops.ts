/** Loops of tests that assert something of each entry of a list. Over an empty list they assert nothing, and pass. */
import { parseSync } from "oxc-parser";
import type { Source } from "./sources.ts";

/** A node of the syntax tree, as far as it is read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof Object(value).type === "string";

/** The nodes of a tree, by their type. */
function groupNodes(root: Node): Map<string, Node[]> {
  const groups = new Map<string, Node[]>();
  const left = [root];
  for (let node = left.pop(); node; node = left.pop()) {
    const group = groups.get(node.type);
    if (group) group.push(node);
    else groups.set(node.type, [node]);
    for (const value of Object.values(node)) for (const each of [value].flat()) if (isNode(each)) left.push(each);
  }
  return groups;
}

/** A file whose expressions can be asked whether they have an entry. */
interface File {
  readonly text: string;
  /** The values that a name gets anywhere in the file, and the names that come from other files. */
  readonly values: ReadonlyMap<string, readonly Node[]>;
  readonly imported: ReadonlySet<string>;
}

const textOf = ({ text }: File, node: Node): string => text.slice(node.start, node.end);
const nodeOf = (node: Node, field: string): Node | null => {
  const value = node[field];
  return isNode(value) ? value : null;
};
const nodesOf = (node: Node, field: string): Node[] => [node[field]].flat().filter(isNode);

/** Calls that answer an entry for each entry of what they are called on, or of their first argument. */
const keeping = new Set(["map", "entries", "keys", "values", "toSorted", "toReversed", "sort", "concat", "split"]);
const ofArgument = new Set(["Object.entries", "Object.keys", "Object.values", "Promise.all", "filled"]);

/** Whether the text alone says that a list has an entry: a literal, a constant of the program, or one made from these. */
function hasEntry(file: File, node: Node | null, depth = 0): boolean {
  if (node === null || depth > 8) return false;
  const ask = (field: string) => hasEntry(file, nodeOf(node, field), depth + 1);
  switch (node.type) {
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return ask("expression");
    case "AwaitExpression":
      return ask("argument");
    case "ConditionalExpression":
      return ask("consequent") && ask("alternate");
    case "Literal":
      return textOf(file, node).length > 2;
    case "ArrayExpression":
      return nodesOf(node, "elements").some(
        (each) => each.type !== "SpreadElement" || hasEntry(file, nodeOf(each, "argument"), depth + 1),
      );
    case "ObjectExpression":
      return nodesOf(node, "properties").some(({ type }) => type === "Property");
    case "NewExpression":
      return hasEntry(file, nodesOf(node, "arguments")[0] ?? null, depth + 1);
    case "Identifier": {
      const name = textOf(file, node);
      const values = file.values.get(name) ?? [];
      if (values.length === 0) return file.imported.has(name);
      return values.every((value) => hasEntry(file, value, depth + 1));
    }
    case "CallExpression": {
      const callee = nodeOf(node, "callee");
      const [first = null] = nodesOf(node, "arguments");
      if (callee === null) return false;
      const name = textOf(file, callee);
      if (name === "filled" || (name === "Array.from" && first?.type === "ObjectExpression")) return true;
      if (ofArgument.has(name)) return hasEntry(file, first, depth + 1);
      const method = nodeOf(callee, "property");
      return (
        method !== null && keeping.has(textOf(file, method)) && hasEntry(file, nodeOf(callee, "object"), depth + 1)
      );
    }
    default:
      return false;
  }
}

/** `expect(list).toHaveLength(2)` and its like, before the loop. An expected `[]` says nothing of the kind. */
const asserts =
  /^(?:\.length|\.size)?\)\s*\.(?:toHaveLength\((?!0\))|toBe(?:GreaterThanOrEqual)?\((?!0\))|toBeGreaterThan\(|(?:toEqual|toMatchObject)\(\s*(?:\[(?!\])|[a-zA-Z]))/;

function isAsserted(looped: string, before: string): boolean {
  const list = looped.replace(/\.entries\(\)$/, "");
  for (let at = before.indexOf(`expect(${list}`); at !== -1; at = before.indexOf(`expect(${list}`, at + 1))
    if (asserts.test(before.slice(at + "expect(".length + list.length))) return true;
  return false;
}

/** The text between the begin of a loop's test and the loop. */
function textBefore(text: string, { start }: Node): string {
  const before = text.slice(0, start);
  const begin = [...before.matchAll(/^ *(?:test|describe|beforeAll)\b/gm)].at(-1)?.index ?? 0;
  return before.slice(begin);
}

function readFile(text: string, nodes: ReadonlyMap<string, readonly Node[]>): File {
  const values = new Map<string, Node[]>();
  for (const declared of nodes.get("VariableDeclarator") ?? []) {
    const [id, init] = [nodeOf(declared, "id"), nodeOf(declared, "init")];
    if (id?.type !== "Identifier" || init === null) continue;
    const name = String(id["name"]);
    values.set(name, [...(values.get(name) ?? []), init]);
  }
  const specifiers = (nodes.get("ImportSpecifier") ?? []).map((each) => String(nodeOf(each, "local")?.["name"]));
  return { text, values, imported: new Set(specifiers) };
}

/** Loops that assert, over a list that may be empty, and whose length was not asserted before. */
export const findEmptyLoops = (sources: readonly Source[]): string[] =>
  sources.flatMap(({ path, text }) => {
    const program = parseSync(path, text).program as unknown;
    if (!isNode(program)) throw new Error(`${path} cannot be parsed`);
    const nodes = groupNodes(program);
    const file = readFile(text, nodes);
    return (nodes.get("ForOfStatement") ?? []).flatMap((loop) => {
      const [list, body] = [nodeOf(loop, "right"), nodeOf(loop, "body")];
      if (list === null || body === null || !/\bexpect\w*\(/.test(textOf(file, body))) return [];
      if (hasEntry(file, list) || isAsserted(textOf(file, list), textBefore(text, loop))) return [];
      const line = text.slice(0, loop.start).split("\n").length;
      return [`${path}:${line}: loops over ${textOf(file, list).replaceAll(/\s+/g, " ").slice(0, 120)}`];
    });
  });
