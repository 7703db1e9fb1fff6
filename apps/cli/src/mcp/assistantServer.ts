/** The MCP server: tools, and the operator's nouns as resources. */
import { version } from "@cardkeep/contract/version";
import { deskNouns } from "@cardkeep/desk/nouns";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { nameTool, readingRules, type Tool } from "./tool.ts";

const scheme = "cardkeep://";

const render = (data: unknown): string => JSON.stringify(data, null, 1);

type Given = Parameters<Tool["run"]>[0];

/** Texts and numbers as words; other values are in the whole input alone. */
const readGiven = (input: Readonly<Record<string, unknown>>): Given =>
  Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) =>
      ["string", "number"].includes(typeof value) ? [[name, String(value)]] : [],
    ),
  );

/** Builds a server over these tools. `formatThrown` words what a tool threw. */
export function createAssistantServer(tools: readonly Tool[], formatThrown: (error: unknown) => string): Server {
  const server = new Server(
    { name: "cardkeep", version },
    { capabilities: { tools: {}, resources: {} }, instructions: readingRules },
  );
  const findTool = (name: string): Tool | undefined => tools.find((tool) => tool.name === name);
  const answer = async (tool: Tool, input: Readonly<Record<string, unknown>>) => {
    try {
      const data = await tool.run(readGiven(input), input);
      return { content: [{ type: "text" as const, text: render(data) }] };
    } catch (error) {
      return { content: [{ type: "text" as const, text: formatThrown(error) }], isError: true };
    }
  };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, inputSchema, isChange }) => ({
      name,
      description: `${description} ${isChange ? "" : readingRules}`.trim(),
      inputSchema,
      annotations: { readOnlyHint: !isChange, destructiveHint: isChange },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: input = {} } }) => {
    const tool = findTool(name);
    if (tool === undefined) return { content: [{ type: "text", text: `There is no tool ${name}` }], isError: true };
    return answer(tool, input);
  });
  const hasTool = (noun: string, verb: string): boolean => findTool(nameTool(noun, verb)) !== undefined;
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: deskNouns
      .filter(({ name }) => hasTool(name, "list"))
      .map(({ name, title, brief }) => ({
        uri: `${scheme}${name}`,
        name: title,
        description: brief,
        mimeType: "application/json",
      })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: deskNouns.flatMap(({ name, show }) =>
      show === null || !hasTool(name, "show")
        ? []
        : [
            {
              uriTemplate: `${scheme}${name}/{key}`,
              name: show.title,
              description: show.brief,
              mimeType: "application/json",
            },
          ],
    ),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const [noun = "", key] = uri.slice(scheme.length).split("/").map(decodeURIComponent);
    const tool = findTool(nameTool(noun, key === undefined ? "list" : "show"));
    if (!uri.startsWith(scheme) || tool === undefined) throw new Error(`There is no resource ${uri}`);
    const data = await tool.run(key === undefined ? {} : { key }, {});
    return { contents: [{ uri, mimeType: "application/json", text: render(data) }] };
  });
  return server;
}
