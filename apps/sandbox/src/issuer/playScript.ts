import { z } from "zod";
import { defineSandboxRoute } from "../route.ts";
import { scriptNames, scripts } from "./scripts.ts";
import { Till } from "./till.ts";

export const playScript = defineSandboxRoute({
  method: "POST",
  path: "/issuer/cards/{cardToken}/scripts/{script}",
  summary: `Plays a whole story on a card, from its first authorization to its last clearing: ${scriptNames.join(", ")}`,
  input: z.object({ cardToken: z.string(), script: z.enum(scriptNames) }),
  example: { script: "hotel" },
  run: async (runtime, { cardToken, script }) => {
    const till = new Till(runtime, cardToken);
    await scripts[script].play(till);
    return { script, title: scripts[script].title, steps: till.steps };
  },
});
