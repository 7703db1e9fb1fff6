/** Two operators of the sandbox's OpenID provider, for verbs that need both. */
import { type OperatorActor, sandboxOperator } from "@cardkeep/domain/core/actor";
import { ApprovalNeeded } from "@cardkeep/domain/operators/approvals/requireApproval";
import { createContext, createOperatorContext, type OperatorContext } from "@cardkeep/domain/core/context";
import { approveRequest } from "@cardkeep/domain/operations/executors/decideApproval";
import type { TwoPersonVerb } from "@cardkeep/domain/core/operators/verbs";
import { beginSession } from "@cardkeep/domain/operators/operatorSessions/sessions";
import type { Runtime } from "@cardkeep/runtime/compose";

export interface TwoPersons {
  /** Has Ada run a verb. Answers the id of the request that waits for Grace. */
  ask(run: (ada: OperatorContext) => Promise<unknown>): Promise<string>;
  /** Has one of them approve a request. */
  approve(who: "ada" | "grace", id: string): Promise<unknown>;
}

/** Signs both in, where these verbs need two persons. */
export async function openTwoPersons(
  { services, settings, log }: Runtime,
  verbs: readonly TwoPersonVerb[],
): Promise<TwoPersons> {
  const operators = { ...services.policy.operators, twoPersons: verbs };
  const strict = { ...services, policy: { ...services.policy, operators } };
  const issuer = settings.openid?.issuer ?? "";
  const asPerson = (name: string): OperatorContext => {
    const actor: OperatorActor = { ...sandboxOperator, id: `${issuer}#${name}`, name, via: "page", proof: "oidc" };
    return createOperatorContext(strict, { log, requestId: `of-${name}`, actor, reason: `${name} looked at it` });
  };
  for (const name of ["ada", "grace"]) {
    const groups = ["operators-admin"];
    const identity = { issuer, subject: name, name, mail: null, groups, providerSession: null };
    const proof = { kind: "oidc", grant: { identity, refreshToken: null } } as const;
    await beginSession(createContext(strict, { log, requestId: "sign-in" }), { way: "page", proof, replaced: null });
  }
  return {
    ask: async (run) => {
      const error = await run(asPerson("ada")).catch((thrown: unknown) => thrown);
      if (error instanceof ApprovalNeeded) return error.request.id;
      throw new Error("The verb did not wait for a second person", { cause: error });
    },
    approve: (who, id) => approveRequest(asPerson(who), { id }),
  };
}
