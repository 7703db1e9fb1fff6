import { resealAll } from "./resealAll.ts";
import type { Context } from "../context.ts";

/** Seals anew what older keys of `SECRETS_KEYS` sealed. @throws SecretUnreadable after the last secret, where any stays closed */
export async function resealSecrets(ctx: Pick<Context, "db" | "clock" | "secrets" | "log">): Promise<void> {
  const count = await resealAll(ctx);
  if (count > 0) ctx.log.info({ count }, "sealed secrets with the first key of SECRETS_KEYS");
}
