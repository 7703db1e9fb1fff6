import { updateIban, type Iban } from "@cardkeep/db/queries/users/ibans";
import type { ConsentTokens } from "@cardkeep/providers/emoney/port";
import { ProviderRefused } from "@cardkeep/providers/http";
import { z } from "zod";
import type { Context, WorkerContext } from "../../core/context.ts";
import { lockIban } from "./requestIban.ts";

const stored = z.object({ accessToken: z.string(), refreshToken: z.string().nullable() });

/** The tokens of a user's consent as they are kept. */
export const sealTokens = (
  { secrets }: Pick<Context, "secrets">,
  userId: string,
  { accessToken, refreshToken }: ConsentTokens,
): Promise<string> => secrets.seal(userId, JSON.stringify({ accessToken, refreshToken }));

/** The tokens of a row; null without a consent. @throws SecretUnreadable */
export async function openTokens({ secrets }: Pick<Context, "secrets">, row: Iban): Promise<ConsentTokens | null> {
  if (row.sealedToken === null) return null;
  return stored.parse(JSON.parse(await secrets.unseal(row.userId, row.sealedToken)));
}

/**
 * New tokens for those of a row, in whose place they are kept before their first use; null where the institution gives none.
 *
 * A refresh token serves once. Where the process dies before the new one is kept, the person agrees again.
 */
export async function renewTokens(ctx: WorkerContext, row: Iban, refreshToken: string): Promise<ConsentTokens | null> {
  try {
    const tokens = await ctx.emoney.renewConsent({ refreshToken });
    const sealedToken = await sealTokens(ctx, row.userId, tokens);
    await ctx.commit(async (work) => {
      const fresh = await lockIban(work, row.userId);
      if (fresh.sealedToken === row.sealedToken) await updateIban(work.tx, row.userId, { sealedToken });
    });
    return tokens;
  } catch (error) {
    if (error instanceof ProviderRefused) return null;
    throw error;
  }
}
