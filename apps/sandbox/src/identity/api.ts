/** Answers requests to the OpenID provider, which is written for Node's server. */
import inject from "light-my-request";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Interaction, Provider } from "oidc-provider";
import type { SandboxRuntime } from "../core/openStore.ts";
import { listOperators } from "./operators.ts";
import { pageHeaders, renderChoice } from "./pages.ts";
import { codeParameter, identityPath, issuerOf, loadProvider } from "./provider.ts";

const choicePath = new RegExp(`^${identityPath}/sign-in/[\\w-]+$`);

type Handle = (request: IncomingMessage & { originalUrl?: string }, response: ServerResponse) => Promise<void> | void;

/** Answers a request whose path is below `/identity`. */
export async function answerIdentity(runtime: SandboxRuntime, request: Request, body: string): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const provider = await loadProvider(runtime);
  const run = provider.callback();
  const asLibrary: Handle = (incoming, outgoing) => {
    // The library learns from both that it is mounted below a path.
    // With the library's own parameter it would answer a page that sends itself by a script.
    const query = request.method === "GET" ? search.replace(/([?&])user_code=/, `$1${codeParameter}=`) : search;
    incoming.originalUrl = `${pathname}${query}`;
    incoming.url = `${pathname.slice(identityPath.length) || "/"}${query}`;
    return run(incoming, outgoing);
  };
  const asChoice: Handle = async (incoming, outgoing) => {
    const chosen = new URLSearchParams(body).get("operator") ?? "";
    const result =
      chosen === ""
        ? { error: "access_denied", error_description: "The person did not sign in" }
        : { login: { accountId: chosen } };
    await forgetPerson(provider, await provider.interactionDetails(incoming, outgoing));
    const to = await provider.interactionResult(incoming, outgoing, result);
    outgoing.writeHead(303, { Location: to }).end();
  };
  if (choicePath.test(pathname)) {
    if (request.method !== "POST")
      return new Response(renderChoice(await listOperators(runtime)), { headers: pageHeaders });
    return send(runtime, request, body, asChoice);
  }
  return send(runtime, request, body, asLibrary);
}

/** Ends the browser's session at the provider, which would otherwise ask whether another person may follow the one in it. */
async function forgetPerson(provider: Provider, interaction: Interaction): Promise<void> {
  const uid = interaction.session?.uid;
  if (uid === undefined) return;
  await (await provider.Session.findByUid(uid))?.destroy();
  delete interaction.session;
  await interaction.save(interaction.exp - Math.floor(Date.now() / 1000));
}

async function send(runtime: SandboxRuntime, request: Request, body: string, handle: Handle): Promise<Response> {
  const { host, protocol } = new URL(issuerOf(runtime));
  const { pathname, search } = new URL(request.url);
  const { method } = request;
  const answer = await inject(
    (incoming, outgoing) => {
      void Promise.resolve(handle(incoming, outgoing)).catch((error: unknown) => {
        runtime.log.warn({ err: error }, "the OpenID provider refused a request");
        outgoing.writeHead(400, { "Content-Type": "text/plain" }).end("This sign-in is unknown or too old.");
      });
    },
    {
      // Typed by hand: the library's own list of methods is closed.
      method: method === "POST" ? "POST" : method === "OPTIONS" ? "OPTIONS" : method === "HEAD" ? "HEAD" : "GET",
      url: `${pathname}${search}`,
      headers: { ...Object.fromEntries(request.headers), host, "x-forwarded-proto": protocol.slice(0, -1) },
      ...(body !== "" && { payload: body }),
    },
  );
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers))
    for (const each of [value].flat()) if (each !== undefined) headers.append(name, String(each));
  for (const name of ["connection", "transfer-encoding", "content-length"]) headers.delete(name);
  if (headers.get("content-type")?.startsWith("text/html"))
    for (const [name, value] of Object.entries(pageHeaders)) headers.set(name, value);
  const isEmpty = [204, 303, 304].includes(answer.statusCode);
  return new Response(isEmpty ? null : new Uint8Array(answer.rawPayload), { status: answer.statusCode, headers });
}
