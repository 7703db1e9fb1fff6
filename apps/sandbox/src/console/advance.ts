/** Buttons that advance the time, for several desks. */
import { type Html, markup } from "@cardkeep/html/markup";
import { renderAction, renderEmpty } from "./parts.ts";
import type { SandboxRuntime } from "../openStore.ts";

const steps = [
  { text: "1 min", seconds: 60 },
  { text: "3 min", seconds: 181 },
  { text: "1 h", seconds: 3_600 },
  { text: "1 day", seconds: 86_400 },
] as const;

/** One button per step. One step is a second longer than three minutes, so that a cooldown ends. */
export const renderAdvance = ({ settings }: SandboxRuntime): Html =>
  settings.localChain
    ? renderAction({
        path: "/chain/advance",
        label: "Advance time",
        done: "Time advanced.",
        content: markup`<div class="row">
          <span class="muted">Advance</span>
          ${steps.map(
            ({ text, seconds }) =>
              markup`<button name="seconds" value="${seconds}" data-kind="number" class="plain">${text}</button>`,
          )}
        </div>`,
      })
    : renderEmpty("The sandbox cannot move the time of an external chain.");
