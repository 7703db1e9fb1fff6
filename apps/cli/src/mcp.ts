/** `cardkeep mcp`: tools for assistants, over the standard streams or HTTP on this machine. */
import { createVerbSource } from "@cardkeep/desk/source";
import type { OperatorActor } from "@cardkeep/domain/core/actor";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import type { OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import { isInProduction, readUserAccess } from "@cardkeep/runtime/local";
import { buildCommand } from "@stricli/core";
import { randomBytes } from "node:crypto";
import { describe, guard } from "./answer.ts";
import { createCliOperator } from "./cliOperator.ts";
import { nameVerbs } from "./commandVerbs.ts";
import type { CliContext } from "./context.ts";
import { CommandError, formatError } from "./errors.ts";
import { optionalNumber, optionalSwitch, optionalText } from "./parameters.ts";
import type { Tool } from "./mcp/tool.ts";
import { createStopSignal } from "./stopSignal.ts";

type Flags = { allowChanges?: boolean; showPeople?: boolean; http?: number; api?: string };

/** Who begins; null where that cannot be known, and then the public operations alone are served. */
const identify = (cli: CliContext): Promise<Pick<OperatorActor, "roles"> | null> =>
  (cli.remote ?? cli).identify().catch((error: unknown) => {
    cli.process.stderr.write(`cardkeep: the tools of operators are left out: ${formatError(error, null)}\n`);
    return null;
  });

/** The operator of one call, asked for anew: a sign-in may have ended, or a role, since the tools were listed. */
async function openCall(cli: CliContext, verb: OperatorVerb, reason: string | null): Promise<OperatorContext> {
  const ctx = await guard({ ...cli, ...createCliOperator(cli.load) }, verb, reason).open();
  const { id, name } = await cli.identify();
  // After a sign-out the machine would go on, with more roles than the person had.
  if (ctx.actor.id !== id) throw new CommandError(`these tools began as ${name}: start \`cardkeep mcp\` again`);
  return ctx;
}

/** The tools of this installation, or of `--server`, that the operator's roles allow. */
async function listTools(cli: CliContext, { allowChanges = false, showPeople = false, api }: Flags): Promise<Tool[]> {
  const [{ listDeskTools }, { listOperationTools }] = await Promise.all([
    import("./mcp/deskTools.ts"),
    import("./mcp/operationTools.ts"),
  ]);
  const options = { allowsChanges: allowChanges, showsPeople: showPeople };
  const source = cli.remote ?? createVerbSource((verb, reason) => openCall(cli, verb, reason));
  const { url, token } = readUserAccess();
  const operator = await identify(cli);
  return [
    ...(operator === null ? [] : listDeskTools({ source, options, operator })),
    ...listOperationTools({ url: api ?? url, token }, options),
  ];
}

/** Serves one client over the standard streams until they end. */
async function serveStreams(tools: readonly Tool[], stopping: AbortSignal): Promise<void> {
  const [{ createAssistantServer }, { StdioServerTransport }] = await Promise.all([
    import("./mcp/assistantServer.ts"),
    import("@modelcontextprotocol/sdk/server/stdio.js"),
  ]);
  const server = createAssistantServer(tools, (error) => formatError(error, null));
  const ended = Promise.withResolvers<void>();
  server.onclose = ended.resolve;
  process.stdin.once("end", ended.resolve);
  stopping.addEventListener("abort", () => ended.resolve());
  await server.connect(new StdioServerTransport());
  await ended.promise;
  await server.close();
}

/** Serves clients of this machine over HTTP. Each request needs the token that is printed once: a web page has none. */
async function serveHttp(cli: CliContext, tools: readonly Tool[], port: number, stopping: AbortSignal): Promise<void> {
  const [{ createAssistantServer }, { WebStandardStreamableHTTPServerTransport }] = await Promise.all([
    import("./mcp/assistantServer.ts"),
    import("@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"),
  ]);
  const token = randomBytes(24).toString("base64url");
  const http = Bun.serve({
    port,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      if (request.headers.get("authorization") !== `Bearer ${token}`) return new Response(null, { status: 401 });
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await createAssistantServer(tools, (error) => formatError(error, null)).connect(transport);
      return transport.handleRequest(request);
    },
  });
  cli.process.stderr.write(
    `http://127.0.0.1:${http.port}/mcp answers with \`Authorization: Bearer ${token}\`. Ctrl-C ends.\n`,
  );
  const ended = Promise.withResolvers<void>();
  stopping.addEventListener("abort", () => ended.resolve());
  await ended.promise;
  await http.stop(true);
}

export const mcp = nameVerbs(
  buildCommand<Flags, [], CliContext>({
    docs: describe({
      brief: "Serves tools for assistants by the Model Context Protocol, on standard input and output",
      details:
        "The operator's nouns as resources and tools, and the public operations with the token in CARDKEEP_TOKEN at CARDKEEP_URL. It reads alone,\n" +
        "unless --allow-changes adds one tool for each act that your roles allow. No tool approves or rejects a request. Names, contacts and numbers of people are\n" +
        "hidden, and text that strangers wrote is marked as data.",
      example: ["mcp", "mcp --allow-changes --server https://cards.example.org"],
    }),
    parameters: {
      flags: {
        allowChanges: optionalSwitch("Add the tools that change something"),
        showPeople: optionalSwitch("Show names, contacts and numbers of people"),
        http: optionalNumber("PORT", "Serve HTTP on this port of the machine in place of the standard streams"),
        api: optionalText("URL", "Address of the public operations"),
      },
    },
    async func(flags) {
      // Who calls may stay unknown, a setting may not.
      isInProduction();
      const tools = await listTools(this, flags);
      const stopping = createStopSignal();
      await (flags.http === undefined ? serveStreams(tools, stopping) : serveHttp(this, tools, flags.http, stopping));
      this.process.exitCode = 0;
    },
  }),
  ["mcp.run"],
);
