/** A browser of an operator, without a screen: it keeps cookies and follows redirects. */
import { development } from "@cardkeep/runtime/development";

const redirectsMax = 10;

/** A service, as far as a browser knows it. */
interface Pages {
  readonly runtime: { readonly settings: { readonly publicUrl: string } };
}

/** The address at which a service's OpenID provider sends browsers back. */
export const pagesOf = ({ runtime }: Pages): string => runtime.settings.publicUrl;

export class OperatorBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Sends one request with the cookies of its origin, and keeps those of the answer. */
  async send(url: string, init: { form?: Record<string, string>; headers?: Record<string, string> } = {}) {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { ...(cookie !== "" && { Cookie: cookie }), ...(init.form && { Origin: origin }), ...init.headers },
      ...(init.form && { method: "POST", body: new URLSearchParams(init.form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Sends a request and follows redirects until a page, or until an address that contains `until`. */
  async open(url: string, init: { form?: Record<string, string>; until?: string } = {}) {
    let response = await this.send(url, init);
    let at = url;
    for (let count = 0; count < redirectsMax; count++) {
      const to = response.headers.get("location");
      if (to === null) break;
      at = new URL(to, at).href;
      if (init.until !== undefined && at.includes(init.until)) break;
      response = await this.send(at);
    }
    return { url: at, status: response.status, headers: response.headers, text: await response.text() };
  }

  /** The header of the cookies of a service. */
  cookieOf(url: string): string {
    return [...(this.#cookies.get(new URL(url).origin) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** Signs in with the OpenID provider of the sandbox, up to the callback of the service, which is not opened. */
  async beginSignIn(service: Pages, operator: string, next = "/operator"): Promise<string> {
    const start = `${pagesOf(service)}/operator/sign-in/start?next=${encodeURIComponent(next)}`;
    const choice = await this.open(start);
    const chosen = await this.open(choice.url, { form: { operator }, until: "/operator/callback" });
    return chosen.url;
  }

  /** Signs in with the OpenID provider of the sandbox, and answers the page after it. */
  async signIn(service: Pages, operator: string, next = "/operator") {
    return this.open(await this.beginSignIn(service, operator, next));
  }
}

/** The cookie of a session that the shared key began. */
export async function signInWithKey(
  url: string,
  {
    key = development.OPERATOR_API_KEY,
    send = fetch,
  }: { key?: string; send?: (request: Request) => Promise<Response> } = {},
): Promise<string> {
  const body = new URLSearchParams({ key });
  const headers = { Origin: url, Host: new URL(url).host };
  const response = await send(
    new Request(`${url}/operator/sign-in`, { method: "POST", headers, body, redirect: "manual" }),
  );
  return response.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
}

/** What a browser sends of a form that nobody has changed. */
export async function readForm(page: Response, action: string): Promise<Record<string, string>> {
  const fields: Record<string, string> = {};
  const form = `form[action="${action}"]`;
  let chosen = "";
  const keep = (name: string | null, value: string | null) => name && (fields[name] = value ?? "");
  const rewriter = new HTMLRewriter()
    .on(`${form} input:not([type=checkbox])`, {
      element: (input) => void keep(input.getAttribute("name"), input.getAttribute("value")),
    })
    .on(`${form} select`, { element: (select) => void (chosen = select.getAttribute("name") ?? "") })
    .on(`${form} option[selected]`, { element: (option) => void keep(chosen, option.getAttribute("value")) });
  await rewriter.transform(page).text();
  return fields;
}
