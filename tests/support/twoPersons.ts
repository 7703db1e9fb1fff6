/** Two operators of the sandbox's OpenID provider, for verbs that need both. */
import { type OperatorActor, sandboxOperator } from "@cardkeep/domain/core/actor";
import { ApprovalNeeded } from "@cardkeep/domain/operators/approvals/requireApproval";
import { createOperatorContext, type OperatorContext } from "@cardkeep/domain/core/context";
import { approveRequest } from "@cardkeep/domain/operations/executors/decideApproval";
import type { TwoPersonVerb } from "@cardkeep/domain/core/operators/verbs";
import type { Runtime } from "@cardkeep/runtime/compose";
import { beginOperatorSession } from "./operator.ts";

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
  for (const name of ["ada", "grace"])
    await beginOperatorSession({ services: strict, settings, log }, { name, groups: ["operators-admin"], way: "page" });
  return {
    ask: async (run) => {
      const error = await run(asPerson("ada")).catch((thrown: unknown) => thrown);
      if (error instanceof ApprovalNeeded) return error.request.id;
      throw new Error("The verb did not wait for a second person", { cause: error });
    },
    approve: (who, id) => approveRequest(asPerson(who), { id }),
  };
}
