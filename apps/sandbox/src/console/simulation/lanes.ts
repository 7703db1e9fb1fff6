/** The picture of a run: a lane for each process from top to bottom, and an arrow for each message from one to another. */
import { markup, type Html, type Part } from "@cardkeep/html/markup";
import { cut, percent, type Picture, renderSvg, type Tone } from "@cardkeep/html/pictures/picture";
import type { RunMessage } from "./readRun.ts";

const people = "people";
const ends = { sql: "Postgres", rpc: "chain", block: "chain" } as const;
const rowPx = 30;
const headPx = 26;
const arrowPx = 6;
const wordsMax = 58;
/** What of a lane's place is right of it, so that the last ones have room. */
const inset = 0.5;

const tones: Readonly<Record<string, Tone>> = {
  sql: "first",
  rpc: "third",
  block: "third",
  request: "second",
  answer: "second",
};

/** `server-3.24 POST /callbacks/stripe #46` is of the lane `server-3`: one that died has another one after it. */
function laneOf(actor: string): string {
  const [, process] = /^((?:server|worker)-\d+|partners)\b/.exec(actor) ?? [];
  return process ?? (actor.startsWith("person") ? people : "world");
}

const isHost = (lane: string): boolean => lane.startsWith("server") || lane === "partners";

/** Where a message goes to, and where it comes from; the same lane for what a process does by itself. */
function endsOf({ actor, kind, text, said }: RunMessage): { from: string; to: string } {
  const own = laneOf(actor);
  if (kind === "sql" || kind === "rpc" || kind === "block") return { from: own, to: ends[kind] };
  if (kind !== "request" && kind !== "answer") return { from: own, to: own };
  // A request says where it went; its answer comes back from there.
  const named = laneOf((kind === "answer" ? text : (said ?? "")).replace(/^.* (?:at|from) /, "").replace(/"$/, ""));
  const other = isHost(named) ? named : own;
  return kind === "answer" ? { from: other, to: own } : { from: own, to: other };
}

/** The lanes of a run in the order of the way that a request takes. */
export function listLanes(messages: readonly RunMessage[]): string[] {
  const met = new Set(messages.flatMap((each) => Object.values(endsOf(each))));
  const hosts = [...met]
    .filter((lane) => !["world", people, "partners", ...Object.values(ends)].includes(lane))
    .toSorted();
  return ["world", people, ...hosts, "partners", "Postgres", "chain"].filter((lane) => met.has(lane));
}

function renderRow(
  message: RunMessage,
  { y, xOf, href, isShown }: { y: number; xOf: (lane: string) => number; href: string; isShown: boolean },
): Part {
  const { from, to } = endsOf(message);
  const [start, end] = [xOf(from), xOf(to)];
  const isRight = end >= start;
  const words = cut(`${message.step} ${message.kind} ${message.text.replaceAll(/\s+/g, " ")}`, wordsMax);
  const middle = (start + end) / 2;
  const anchor = middle < 0.3 ? "start" : middle > 0.7 ? "end" : "middle";
  const at = anchor === "middle" ? middle : anchor === "start" ? Math.min(start, end) : Math.max(start, end);
  const line =
    from === to
      ? markup`<circle cx="${percent(start)}" cy="${y}" r="5" />`
      : markup`<line class="value" x1="${percent(start)}" x2="${percent(end)}" y1="${y}" y2="${y}" />
        <svg class="tip" x="${percent(end)}" y="${y}"><path d="M0 0 L${isRight ? -arrowPx : arrowPx} ${-arrowPx / 2} V${arrowPx / 2} Z" /></svg>`;
  return markup`<a href="${href}" class="tone-${tones[message.kind] ?? "plain"}${message.said === null && " ahead"}">
    <title>${message.actor}: ${message.kind} ${message.text}${message.said !== null && ` => ${message.said}`}</title>
    ${line}
    <text class="name${isShown && " shown"}" x="${percent(at)}" y="${y - 5}" text-anchor="${anchor}">${words}</text>
  </a>`;
}

/** Draws these messages in their order. `shown` is the step that the page is about. */
export function drawLanes(
  picture: Picture,
  {
    lanes,
    messages,
    shown,
    hrefOf,
  }: { lanes: readonly string[]; messages: readonly RunMessage[]; shown: number; hrefOf: (step: number) => string },
): Html {
  const height = headPx + messages.length * rowPx + arrowPx;
  const xOf = (lane: string): number => (lanes.indexOf(lane) + inset) / Math.max(1, lanes.length);
  const rows = messages.map((message, index) =>
    renderRow(message, {
      y: headPx + (index + 1) * rowPx - arrowPx,
      xOf,
      href: hrefOf(message.step),
      isShown: message.step === shown,
    }),
  );
  return renderSvg(
    picture,
    height,
    markup`${lanes.map((lane) => {
      const x = percent(xOf(lane));
      return markup`<line class="rule" x1="${x}" x2="${x}" y1="${headPx - 8}" y2="${height}" />
        <text class="name" x="${x}" y="12" text-anchor="middle">${lane}</text>`;
    })}
    ${rows}`,
  );
}
