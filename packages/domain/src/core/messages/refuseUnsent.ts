import { fail } from "@cardkeep/contract/core/errors";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import { giveBackCode, type ReservedCode } from "../codes/reserveCode.ts";
import type { Context } from "../context.ts";

/**
 * Why a mail with a code, which a request waits for, did not leave.
 * @throws auth.mail_unavailable, server.internal where the server refused it
 */
export async function refuseUnsent(ctx: Context, reserved: ReservedCode, cause: unknown): Promise<never> {
  const again = await giveBackCode(ctx, reserved, cause);
  if (!(cause instanceof ProviderUnavailable)) fail("server.internal", { cause });
  return fail("auth.mail_unavailable", { cause, ...again });
}
