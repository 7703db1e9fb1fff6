import { fail } from "@cardkeep/contract/core/errors";
import type { Tool } from "./tool.ts";

interface WordTool extends Omit<Tool, "inputSchema"> {
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

/**
 * A tool over described words. What it has no name for, or what is no word, is refused: left out, the tool would choose or do
 * something else. @throws request.invalid
 */
export const buildTool = ({ properties, required, ...tool }: WordTool): Tool => ({
  ...tool,
  inputSchema: { type: "object", additionalProperties: false, properties, ...(required && { required }) },
  run: async (given, whole) => {
    for (const name of Object.keys(whole ?? {})) {
      const text = `${tool.name} takes no ${Object.hasOwn(properties, name) ? "such " : ""}${name}`;
      if (!Object.hasOwn(properties, name) || given[name] === undefined) fail("request.invalid", { text });
    }
    return tool.run(given, whole);
  },
});
