/** What the sandbox refuses before any route: requests that another site or another name of this machine brings. */
import type { Runtime } from "@cardkeep/runtime/compose";

const isLoopback = (hostname: string): boolean =>
  ["localhost", "127.0.0.1", "[::1]"].includes(hostname) || hostname.endsWith(".localhost");

const refuse = (status: 403 | 422, error: string): Response => Response.json({ error }, { status });

/**
 * The refusal of a request, or null.
 *
 * - `Host` names a loopback address, or a host under which the settings reach the sandbox: another site's name that
 *   resolves to this machine (DNS rebinding) is refused.
 * - `Origin`, which browsers send with every POST, names a page of this machine.
 * - The path and query hold no null character.
 */
export function refuseAtDoor({ settings }: Runtime, request: Request): Response | null {
  const host = `http://${request.headers.get("host") ?? "localhost"}`;
  const hostname = URL.canParse(host) ? new URL(host).hostname : "";
  const known = [settings.kyc.url, settings.issuer.url, settings.emoney.url].map((url) => new URL(url).hostname);
  if (!isLoopback(hostname) && !known.includes(hostname))
    return refuse(403, "The sandbox does not answer under this host name");
  const origin = request.headers.get("origin");
  if (origin !== null && !(URL.canParse(origin) && isLoopback(new URL(origin).hostname)))
    return refuse(403, "The sandbox takes no requests of other sites");
  return /%00/.test(request.url) ? refuse(422, "The address holds a null character") : null;
}
