/** The sandbox rejects requests from other sites and under foreign host names before any route runs. */
import { isLoopback } from "@cardkeep/contract/core/loopback";
import type { Runtime } from "@cardkeep/runtime/compose";

const refuse = (status: 403 | 422, error: string): Response => Response.json({ error }, { status });

/**
 * The rejection of a request, or null.
 *
 * - `Host` must name a loopback address, or a host under which the settings reach the sandbox. Another site's name
 * that resolves to this machine (DNS rebinding) is rejected.
 * - `Origin`, which browsers send with every POST, must name a page of this machine.
 * - The path and query must not hold a null character.
 */
export function refuseForeignRequest({ settings }: Runtime, request: Request): Response | null {
  const host = `http://${request.headers.get("host") ?? "localhost"}`;
  const hostname = URL.canParse(host) ? new URL(host).hostname : "";
  const known = [
    settings.kyc.url,
    settings.issuer.url,
    settings.emoney.url,
    settings.openid?.issuer ?? settings.kyc.url,
  ].map((url) => new URL(url).hostname);
  if (!isLoopback(hostname) && !known.includes(hostname))
    return refuse(403, "The sandbox does not answer under this host name");
  const origin = request.headers.get("origin");
  if (origin !== null && !(URL.canParse(origin) && isLoopback(new URL(origin).hostname)))
    return refuse(403, "The sandbox does not accept requests from other sites");
  return /%00/.test(request.url) ? refuse(422, "The address holds a null character") : null;
}
