/** What runs, part by part, and what `doctor` says in one line. */
import { type Html, markup, prose } from "./markup.ts";

/** A part of the installation, or the verdict about all of it. */
export interface PartState {
  readonly name: string;
  readonly severity: "ok" | "warning" | "fault";
  /** What was found and, unless all is well, what to do. */
  readonly text: string;
}

/** The style of these lists, for pages with the shared look. */
export const overviewLook = `
.states { border: 1px solid var(--line); border-radius: .8rem; background: var(--soft); }
.states li { display: grid; grid-template-columns: 4.5rem 11.5rem minmax(0, 1fr); gap: .1rem 1rem; align-items: baseline; padding: .6rem 1.1rem; border-top: 1px solid var(--line); font-size: .93rem; }
.states li:first-child { border-top: 0; }
.states .status { justify-self: start; }
.states li > :last-child { color: var(--muted); overflow-wrap: anywhere; }
.verdict { display: flex; gap: .75rem; align-items: baseline; margin: 1.25rem 0 0; padding: .85rem 1.1rem; border: 1px solid color-mix(in srgb, var(--tone) 45%, var(--line)); border-radius: .8rem; background: var(--soft); }
.verdict > span:last-child { min-width: 0; overflow-wrap: anywhere; }
.verdict code { white-space: normal; }
.ok { --tone: var(--post); } .warning { --tone: var(--put); } .fault { --tone: var(--delete); }
.links { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: .75rem; }
.links a { display: block; height: 100%; padding: .8rem 1.1rem; border: 1px solid var(--line); border-radius: .8rem; background: var(--soft); }
.links a:hover { border-color: var(--accent); text-decoration: none; }
.links strong { display: block; font-weight: 600; }
.links span { display: block; font-size: .88rem; line-height: 1.5; color: var(--muted); }
@media (max-width: 40rem) {
  .states li { grid-template-columns: minmax(0, 1fr) auto; padding: .6rem .9rem; }
  .states .status { order: 1; }
  .states li > :last-child { order: 2; grid-column: 1 / -1; }
  .verdict { padding: .75rem .9rem; }
}
`;

const renderSeverity = (severity: PartState["severity"]): Html =>
  markup`<span class="status ${severity}">${severity}</span>`;

/** Each part with its state. */
export const renderStates = (parts: readonly PartState[]): Html =>
  markup`<ul class="states">
    ${parts.map(
      ({ name, severity, text }) =>
        markup`<li>${renderSeverity(severity)} <strong>${name}</strong> <span>${prose(text)}</span></li>`,
    )}
  </ul>`;

/** The verdict of `doctor` in one line. */
export const renderVerdict = ({ severity, text }: Omit<PartState, "name">): Html =>
  markup`<p class="verdict ${severity}">${renderSeverity(severity)} <span>${prose(text)}</span></p>`;
