/** `cardkeep operators`: signing in at a terminal, and the sessions of all operators. */
import { createContext } from "@cardkeep/domain/core/context";
import { generateId } from "@cardkeep/domain/core/generateId";
import {
  endSession,
  endSessions,
  hashSecret,
  listSessions,
} from "@cardkeep/domain/operators/operatorSessions/sessions";
import { SignInFailed } from "@cardkeep/domain/operators/operatorSessions/signIn";
import { signInAtTerminal } from "@cardkeep/domain/operators/operatorSessions/signInAtTerminal";
import { describeSignInFault } from "@cardkeep/domain/operators/operatorSessions/signInWords";
import { formatWay } from "@cardkeep/domain/core/wording";
import { buildCommand, buildRouteMap } from "@stricli/core";
import { buildChange, buildVerb, describe } from "./answer.ts";
import { nameVerbs } from "./commandVerbs.ts";
import type { CliContext } from "./context.ts";
import { CommandError } from "./errors.ts";
import { textArgument, withJson, withReason } from "./parameters.ts";
import { renderJson, renderTable } from "./print.ts";
import { readSessionSecret, writeSessionSecret } from "./sessionFile.ts";
import { createStopSignal } from "./stopSignal.ts";

const columns = [
  { title: "session" },
  { title: "operator", elastic: true },
  { title: "by", optional: true },
  { title: "roles" },
  { title: "last seen" },
  { title: "ends" },
];

async function signIn({ load, process }: CliContext, isJson: boolean): Promise<void> {
  const { services, settings, log } = await load();
  const ctx = createContext(services, { log, requestId: generateId() });
  const host = new URL(settings.openid?.issuer ?? settings.publicUrl).host;
  try {
    const { id, secret, actor } = await signInAtTerminal(ctx, {
      show: ({ address, userCode, completeAddress }) =>
        process.stderr.write(`Open ${completeAddress ?? address}\nand check that it shows the code ${userCode}\n`),
      replaced: readSessionSecret(settings),
      stopping: createStopSignal(),
    });
    writeSessionSecret(settings, secret);
    const { name, roles } = actor;
    process.stdout.write(isJson ? renderJson({ id, name, roles }) : `Signed in as ${name}: ${roles.join(", ")}\n`);
    process.exitCode = 0;
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error;
    throw new CommandError(describeSignInFault(error.fault, host));
  }
}

export const operators = buildRouteMap({
  docs: { brief: "Signing in at this terminal, and the sessions of all operators" },
  routes: {
    signIn: nameVerbs(
      buildCommand<{ json?: boolean }, [], CliContext>({
        docs: describe({
          brief: "Signs you in with the OpenID provider, for the commands of this terminal",
          details:
            "It prints an address and a code, and waits until you signed in there in a browser. What you do is recorded under your\n" +
            "name and needs one of your roles. Without a sign-in it is recorded under this machine's name.",
          example: "operators sign-in",
        }),
        parameters: { flags: withJson({}) },
        func(flags) {
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
        const { services, settings, log } = await cli.load();
        const secret = readSessionSecret(settings);
        if (secret === null) return { data: { ended: 0 }, text: "This terminal has no session.\n" };
        const ctx = createContext(services, { log, requestId: generateId() });
        const ended = await endSessions(ctx, { secretHash: hashSecret(secret) }, "signed-out");
        writeSessionSecret(settings, null);
        return { data: { ended: ended.length }, text: "Signed out.\n" };
      },
    }),
    list: buildVerb({
      verb: "operators.list",
      brief: "Lists the sessions of operators, in browsers and at terminals",
      example: "operators list",
      parameters: { flags: withJson({}) },
      run: async (cli: CliContext) => {
        const data = await listSessions(await cli.open());
        const rows = data.map(({ id, actor, seenAt, endsAt }) => [
          id,
          actor.name,
          formatWay(actor),
          actor.roles.join(", "),
          seenAt,
          endsAt,
        ]);
        return { data, text: renderTable(columns, rows, "There are no sessions.") };
      },
    }),
    end: buildChange({
      verb: "operators.end",
      brief: "Ends a session at once on every server",
      example: "operators end 01a203da-e080-734a-b8df-3a0e6288513f --reason left",
      parameters: { flags: withReason({}), positional: textArgument("session", "Id of the session") },
      run: async (cli: CliContext, _: object, id: string) => {
        await endSession(await cli.open(), id);
        return { data: { id }, text: `The session ${id} has ended.\n` };
      },
    }),
  },
});
