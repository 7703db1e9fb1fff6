/** Drawings of state machines. */
import { listStates, type Machine } from "@cardkeep/contract/core/machine";
import type { Graph } from "@viz-js/viz";
import { type Html, markup, trust } from "../markup.ts";

const anyState = "any";

/** Not the name of a state: those are words. */
const begin = " begin";

/** Graphviz measures text as 13 px Courier. The page's style draws it in its own monospaced font of the same width. */
const font = { fontname: "Courier", fontsize: 13 };

const badge = (number: number) => ({
  html: `<table border="1" style="rounded" cellborder="0" cellpadding="1" cellspacing="0"><tr><td width="17" height="15" fixedsize="true">${number}</td></tr></table>`,
});

/** The machine as a graph. The number of an edge is the number of its move in the page's list. */
function buildGraph(machine: Machine): Graph {
  const moves = machine.transitions
    .map(({ from, to }, index) => ({ from, to, number: index + 1 }))
    .filter(({ to }) => to !== anyState);
  const hasAny = moves.some(({ from }) => from === anyState);
  return {
    graphAttributes: { rankdir: "TB", nodesep: 0.2, ranksep: 0.35, bgcolor: "transparent", pad: 0.05 },
    nodeAttributes: { ...font, shape: "box", style: "rounded", height: 0.45, margin: "0.11,0.05", class: "state" },
    edgeAttributes: { fontname: "Helvetica", fontsize: 11, arrowsize: 0.7, class: "line" },
    nodes: [
      { name: begin, attributes: { shape: "point", width: 0.12, class: "begin" } },
      ...listStates(machine).map((name, index) => ({
        name,
        attributes: { peripheries: machine.states[name]?.isFinal ? 2 : 1, class: `state state${index}` },
      })),
      ...(hasAny ? [{ name: anyState, attributes: { shape: "plaintext", class: "any" } }] : []),
    ],
    edges: [
      { tail: begin, head: machine.initial },
      ...moves.map(({ from, to, number }) => ({
        tail: from,
        head: to,
        attributes: {
          label: badge(number),
          class: `line move${number}`,
          ...(from === anyState && { style: "dashed" }),
        },
      })),
    ],
  };
}

/**
 * Draws state machines as SVG with Graphviz: states from top to bottom, an arrow for each move. The classes `state0` and `move1`
 * name a state by its place in the table, and a move by its number. A move from any state to any other
 * is in the page's list alone. Loading Graphviz takes about 100 ms, so it is loaded here and the caller keeps the drawings.
 */
export async function drawMachines(machines: readonly Machine[]): Promise<ReadonlyMap<Machine, Html>> {
  const { instance } = await import("@viz-js/viz");
  const viz = await instance();
  return new Map(
    machines.map((machine) => [
      machine,
      finish(machine, viz.renderString(buildGraph(machine), { format: "svg_inline" })),
    ]),
  );
}

/** Gives a drawing its size in pixels, a name and a description for screen readers, and removes Graphviz's own names. */
function finish(machine: Machine, svg: string): Html {
  const inPixels = (length: string | null) => (length ?? "").replace("pt", "");
  const rewriter = new HTMLRewriter()
    .on("svg", {
      element(drawing) {
        for (const side of ["width", "height"]) drawing.setAttribute(side, inPixels(drawing.getAttribute(side)));
        drawing.setAttribute("role", "img");
        drawing.prepend(describe(machine).html, { html: true });
      },
    })
    // Each drawing numbers its parts anew.
    .on("g[id]", { element: (part) => void part.removeAttribute("id") })
    .on("g > title", { element: (title) => void title.remove() })
    .onDocument({ comments: (comment) => void comment.remove() });
  return trust(rewriter.transform(svg));
}

const describe = (machine: Machine): Html =>
  markup`<title>${machine.name}: ${listStates(machine).join(", ")}</title>
    <desc>${machine.transitions.map(({ from, to }, index) => `${index + 1}: ${from} to ${to}. `)}</desc>`;
