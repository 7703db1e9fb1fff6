import { fail } from "@cardkeep/contract/errors";
import type { Hex } from "@cardkeep/contract/primitives";
import type { Commit, UserContext } from "../context.ts";
import { requireCallbackUrl } from "./requireCallbackUrl.ts";
import { requestIban } from "./request.ts";

/**
 * Asks for the user's IBAN; it comes by itself.
 *
 * @throws ibans.invalid_callback_url, ibans.profile_exists with the address of the consent page, and as `requestIban`
 */
export async function createProfile(
  ctx: UserContext,
  { signature, callbackUrl }: { signature: Hex; callbackUrl?: string | undefined },
): Promise<Commit<{ data: { success: boolean } }>> {
  await requireCallbackUrl(ctx, callbackUrl);
  return requestIban(
    ctx,
    { signature, callbackUrl },
    {
      tell: () => ({ data: { success: true } }),
      exists: (redirectUrl) => fail("ibans.profile_exists", { details: { redirectUrl } }),
    },
  );
}
