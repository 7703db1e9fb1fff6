import { addWarning, type WarningSubject } from "@cardkeep/db/queries/users/warnings";
import type { Address } from "@cardkeep/contract/core/primitives";
import type { Work } from "../context.ts";
import { generateId } from "../generateId.ts";

/**
 * Has the user learn what happened about a wallet that signs in; no choice of messages stops it. `id` names the wallet, or the
 * token that it made.
 */
export const notify = (
  { tx, now, requestId }: Pick<Work, "tx" | "now" | "requestId">,
  warning: { userId: string; what: WarningSubject; address: Address; id: string },
): Promise<void> => addWarning(tx, { ...warning, messageIds: [generateId(), generateId()], requestId, createdAt: now });
