import { sandboxOperator } from "@cardkeep/domain/core/actor";
import { createContext, createOperatorContext, type OperatorContext } from "@cardkeep/domain/core/context";
import { beginSession, type BegunSession } from "@cardkeep/domain/operators/operatorSessions/sessions";
import type { Runtime } from "@cardkeep/runtime/compose";

/** The operator at the terminal of a service. */
export const operatorOf = ({ services, log }: Runtime, reason: string | null = null): OperatorContext =>
  createOperatorContext(services, { log, requestId: "test", actor: { ...sandboxOperator, via: "cli" }, reason });

/** Begins a session of a person of the sandbox's OpenID provider, who is in some of its groups. */
export function beginOperatorSession(
  { services, settings, log }: Pick<Runtime, "services" | "settings" | "log">,
  { name, groups, way }: { name: string; groups: string[]; way: "page" | "cli" },
): Promise<BegunSession> {
  const issuer = settings.openid?.issuer ?? "";
  const identity = { issuer, subject: name, name, mail: null, groups, providerSession: null };
  const proof = { kind: "oidc", grant: { identity, refreshToken: null } } as const;
  return beginSession(createContext(services, { log, requestId: "sign-in" }), { way, proof, replaced: null });
}
