/** The institution's consent page. It needs no script. */
import { putEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { renderDocument } from "@cardkeep/html/document";
import { markup } from "@cardkeep/html/markup";
import { z } from "zod";
import { SandboxError, type SandboxForm } from "../core/route.ts";
import { style } from "../core/style.ts";
import { generateToken } from "./auth.ts";
import { findProfileOf } from "./state.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const codeMs = 600_000;
const query = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  state: z.string().optional(),
  code_challenge: z.string().regex(/^[\w-]{43}$/, "must be a challenge of S256"),
  code_challenge_method: z.literal("S256"),
  email: z.string().default(""),
});
type Query = z.output<typeof query>;

/** The console's link to the page, as our own app opens it. */
export const buildConsentForm = ({ settings, services }: SandboxRuntime): SandboxForm => ({
  method: "GET",
  path: "/emoney/oauth/authorize",
  summary: "The e-money institution's consent page, where a person links an account that exists already",
  input: query,
  example: {
    client_id: settings.emoney.clientId,
    redirect_uri: services.policy.emoney.consentReturnUrl,
    // The example of RFC 7636, appendix B.
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  },
});

/**
 * The request of an app. The answer redirects only to the app's registered address.
 * @throws SandboxError 400
 */
function readQuery(runtime: SandboxRuntime, url: string): Query {
  const asked = query.parse(Object.fromEntries(new URL(url).searchParams));
  if (asked.client_id !== runtime.settings.emoney.clientId) throw new SandboxError(400, "Unknown client");
  if (asked.redirect_uri !== runtime.services.policy.emoney.consentReturnUrl) {
    throw new SandboxError(400, "redirect_uri is not registered");
  }
  return asked;
}

/** The page. @throws SandboxError 400 */
export const renderConsent = (runtime: SandboxRuntime, url: string): string => render(readQuery(runtime, url), "");

/**
 * Takes the page's form. Redirects to the app, or shows the page again with the fault.
 * @throws SandboxError 400
 */
export async function decideConsent(runtime: SandboxRuntime, url: string, form: string): Promise<Response | string> {
  const asked = readQuery(runtime, url);
  const fields = new URLSearchParams(form);
  const { state } = asked;
  if (fields.get("decision") !== "allow") {
    return goBack(asked, { error: "access_denied", error_description: "The person did not agree", state });
  }
  const email = fields.get("email")?.trim() ?? "";
  const profile = await findProfileOf(runtime, email);
  if (!profile?.own) return render({ ...asked, email }, "There is no profile with this e-mail address.");
  const code = generateToken();
  const { code_challenge: challenge, redirect_uri: redirectUri } = asked;
  const until = Date.now() + codeMs;
  const data = { profile: profile.id, holder: email.toLowerCase(), challenge, redirectUri, until };
  await putEmoneyRecord(runtime.store, { kind: "code", id: code, profile: profile.id, data });
  return goBack(asked, { code, state });
}

function goBack({ redirect_uri: uri }: Query, fields: Record<string, string | undefined>): Response {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) url.searchParams.set(name, value);
  return new Response(null, { status: 302, headers: { Location: url.href } });
}

const render = ({ email }: Query, fault: string): string =>
  renderDocument({
    title: "Link your e-money account",
    style,
    body: markup`<main class="narrow">
      <h1>Link your e-money account</h1>
      <p>The sandbox's e-money institution. <strong>Cardkeep</strong> asks to use your profile.</p>
      <section class="panel">
        <h2>The app will be able to</h2>
        <ul>
          <li>see your name and e-mail address</li>
          <li>link your Safe to your profile</li>
          <li>get an IBAN for it</li>
        </ul>
        <form method="post">
          <label class="field"><span>Your e-mail address</span>
            <input name="email" type="email" value="${email}" autocomplete="email" /></label>
          <p role="alert">${fault}</p>
          <div class="row">
            <button name="decision" value="allow">Allow</button>
            <button name="decision" value="deny" class="plain" formnovalidate>Cancel</button>
          </div>
        </form>
      </section>
    </main>`,
  });
