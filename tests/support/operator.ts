import { sandboxOperator } from "@cardkeep/domain/core/actor";
import { createOperatorContext, type OperatorContext } from "@cardkeep/domain/core/context";
import type { Runtime } from "@cardkeep/runtime/compose";

/** The operator at the terminal of a service. */
export const operatorOf = ({ services, log }: Runtime, reason: string | null = null): OperatorContext =>
  createOperatorContext(services, { log, requestId: "test", actor: { ...sandboxOperator, via: "cli" }, reason });
