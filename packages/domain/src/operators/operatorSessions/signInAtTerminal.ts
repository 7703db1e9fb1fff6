import type { OperatorActor } from "../../core/actor.ts";
import type { CommitContext } from "../../core/context.ts";
import { beginSession } from "./sessions.ts";
import { askProvider, checkOperatorRoles } from "./signIn.ts";

/** What a person needs to sign in at a terminal. */
export interface TerminalPrompt {
  readonly address: string;
  readonly userCode: string;
  /** The address with the code in it; null where the provider has none. */
  readonly completeAddress: string | null;
}

/**
 * Signs a person in at a terminal (RFC 8628), and answers the session's secret. The session of `replaced`, the secret that the
 * terminal had before, ends.
 * @throws SignInFailed
 */
export async function signInAtTerminal(
  ctx: CommitContext,
  { show, replaced, stopping }: { show(prompt: TerminalPrompt): void; replaced: string | null; stopping: AbortSignal },
): Promise<{ id: string; secret: string; actor: OperatorActor }> {
  const device = await askProvider(ctx, (provider) => provider.startDevice());
  show(device);
  const grant = await askProvider(ctx, () => device.finish(stopping));
  checkOperatorRoles(ctx, grant);
  return beginSession(ctx, { way: "cli", proof: { kind: "oidc", grant }, replaced });
}
