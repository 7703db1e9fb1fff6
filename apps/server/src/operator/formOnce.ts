/**
 * A form of an act is carried out once: a double click, a reload and a form that was opened again act no second time. Each form
 * that a page shows has a key of its own, which is kept as an `Idempotency-Key` of the operator's API is. An act that ends after its
 * commit is kept from a later send, not from one at the same time.
 */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import type { OperatorActor } from "@cardkeep/domain/core/actor";
import { requireKey } from "@cardkeep/domain/core/performOnce";
import type { IdempotentAct } from "@cardkeep/domain/operators/idempotency/actOnce";
import { formKeyName } from "./page/confirm.ts";

/** What a form is kept by; null for one without a key. @throws idempotency.invalid_key */
export function readFormOnce({ id }: OperatorActor, form: URLSearchParams): IdempotentAct | null {
  const key = form.get(formKeyName);
  if (key === null) return null;
  requireKey(key);
  // Without its content: a form that was changed after it was carried out is the same form.
  return { scope: `operator:${id}:form`, key, bodyHash: "form" };
}

/** The same fault, in the words of a page. */
export const sayOnce = (fault: CardkeepError): CardkeepError =>
  fault.code === "idempotency.in_flight"
    ? new CardkeepError(fault.code, {
        text: "This form was sent before, and is carried out once. Its page says what became of it. A new key is on its first answer alone",
      })
    : fault;
