import { z } from "zod";
import { defineSandboxRoute } from "../core/route.ts";
import { scriptNames, scripts } from "./scripts.ts";
import { ScriptTerminal } from "./scriptTerminal.ts";

export const scriptRoute = defineSandboxRoute({
  method: "POST",
  path: "/issuer/cards/{cardToken}/scripts/{script}",
  summary: `Plays a whole story on a card, from its first authorization to its last clearing: ${scriptNames.join(", ")}`,
  input: z.object({ cardToken: z.string(), script: z.enum(scriptNames) }),
  example: { script: "hotel" },
  run: async (runtime, { cardToken, script }) => {
    const terminal = new ScriptTerminal(runtime, cardToken);
    await scripts[script].play(terminal);
    return { script, title: scripts[script].title, steps: terminal.steps };
  },
});
