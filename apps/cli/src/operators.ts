/** `cardkeep operators`: signing in at a terminal, and the sessions of all operators. */
import { createContext } from "@cardkeep/domain/core/context";
import { generateId } from "@cardkeep/domain/core/generateId";
import { operators as described } from "@cardkeep/desk/nouns/operators";
import { hashSecret } from "@cardkeep/domain/core/secrets/randomSecret";
import { endSessions } from "@cardkeep/domain/operators/operatorSessions/sessions";
import { SignInFailed } from "@cardkeep/domain/operators/operatorSessions/signIn";
import { signInAtTerminal, type TerminalPrompt } from "@cardkeep/domain/operators/operatorSessions/signInAtTerminal";
import { describeSignInFault } from "@cardkeep/domain/operators/operatorSessions/signInWords";
import { readRemoteAccess } from "@cardkeep/runtime/local";
import { buildCommand } from "@stricli/core";
import { setTimeout } from "node:timers/promises";
import { type Answer, buildVerb, describe, nameTarget } from "./answer.ts";
import { nameVerbs } from "./commandVerbs.ts";
import type { CliContext } from "./context.ts";
import { CommandError, UsageError } from "./errors.ts";
import { buildNoun } from "./desk.ts";
import { readTextFile } from "./inputFile.ts";
import { optionalText, withJson } from "./parameters.ts";
import { renderJson } from "./print.ts";
import type { RemoteServer, RemoteSession, RemoteSignIn } from "./remoteServer.ts";
import { readSessionSecret, writeSessionSecret } from "./sessionFile.ts";
import { createStopSignal } from "./stopSignal.ts";

interface SignInFlags {
  json?: boolean;
  accessToken?: string;
}

const formatPrompt = ({ address, userCode, completeAddress }: TerminalPrompt): string =>
  `Open ${completeAddress ?? address}\nand check that it shows the code ${userCode}\n`;
const formatSignedIn = (name: string, roles: readonly string[]): string =>
  `Signed in as ${name}: ${roles.join(", ")}\n`;

async function signIn(cli: CliContext, isJson: boolean): Promise<void> {
  const { load, process } = cli;
  await nameTarget(cli, true);
  const { services, settings, log } = await load();
  const ctx = createContext(services, { log, requestId: generateId() });
  const host = new URL(settings.openid?.issuer ?? settings.publicUrl).host;
  try {
    const { id, secret, actor } = await signInAtTerminal(ctx, {
      show: (prompt) => process.stderr.write(formatPrompt(prompt)),
      replaced: readSessionSecret(settings),
      stopping: createStopSignal(),
    });
    writeSessionSecret(settings, secret);
    const { name, roles } = actor;
    process.stdout.write(isJson ? renderJson({ id, name, roles }) : formatSignedIn(name, roles));
    process.exitCode = 0;
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error;
    throw new CommandError(describeSignInFault(error.fault, host));
  }
}

/** Asks a server whether the person agreed, until it says so. */
async function waitForSession({ intervalSeconds, ask }: RemoteSignIn, stopping: AbortSignal) {
  for (;;) {
    await setTimeout(intervalSeconds * 1_000, null, { signal: stopping });
    const session = await ask();
    if (session !== null) return session;
  }
}

async function signInPerson(remote: RemoteServer, { process }: CliContext): Promise<RemoteSession> {
  const begun = await remote.startSignIn();
  process.stderr.write(formatPrompt(begun));
  return waitForSession(begun, createStopSignal());
}

async function signInRemotely(
  remote: RemoteServer,
  cli: CliContext,
  { json, accessToken }: SignInFlags,
): Promise<void> {
  const { process } = cli;
  // Before the server has a session: settings that are wrong would lose its secret.
  const { configFolder } = readRemoteAccess();
  const { id, token, name, roles } = await (accessToken === undefined
    ? signInPerson(remote, cli)
    : remote.signInProgram(readTextFile(accessToken).trim()));
  writeSessionSecret({ configFolder, publicUrl: remote.url }, token);
  process.stdout.write(json ? renderJson({ id, name, roles }) : formatSignedIn(name, roles));
  process.exitCode = 0;
}

async function signOutRemotely(remote: RemoteServer): Promise<Answer> {
  const place = { configFolder: readRemoteAccess().configFolder, publicUrl: remote.url };
  const secret = readSessionSecret(place);
  if (secret !== null) await remote.signOut(secret);
  writeSessionSecret(place, null);
  if (secret === null) return { data: { ended: 0 }, text: "This terminal has no session.\n" };
  return { data: { ended: 1 }, text: "Signed out.\n" };
}

export const operators = buildNoun(described, {
  signIn: nameVerbs(
    buildCommand<SignInFlags, [], CliContext>({
      docs: describe({
        brief: "Signs you in with the OpenID provider, for the commands of this terminal",
        details:
          "It prints an address and a code, and waits until you signed in there in a browser. What you do is recorded under your\n" +
          "name and needs one of your roles. Without a sign-in it is recorded under this machine's name. A program gives the access\n" +
          "token of its client credentials: `operators sign-in --server URL --access-token -` reads it from the standard input.",
        example: "operators sign-in",
      }),
      parameters: {
        flags: withJson({
          accessToken: optionalText("FILE", "File with a program's access token; `-` is the standard input"),
        }),
      },
      func(flags) {
        if (this.remote !== null) return signInRemotely(this.remote, this, flags);
        if (flags.accessToken !== undefined) throw new UsageError("--access-token is for --server.");
        return signIn(this, flags.json === true);
      },
    }),
    ["operators.sign-in"],
  ),
  signOut: buildVerb({
    verb: "operators.sign-out",
    brief: "Ends the session of this terminal",
    example: "operators sign-out",
    parameters: { flags: withJson({}) },
    run: async (cli: CliContext) => {
      if (cli.remote !== null) return signOutRemotely(cli.remote);
      const { services, settings, log } = await cli.load();
      const secret = readSessionSecret(settings);
      if (secret === null) return { data: { ended: 0 }, text: "This terminal has no session.\n" };
      const ctx = createContext(services, { log, requestId: generateId() });
      const ended = await endSessions(ctx, { secretHash: hashSecret(secret) }, "signed-out");
      writeSessionSecret(settings, null);
      return { data: { ended: ended.length }, text: "Signed out.\n" };
    },
  }),
});
