/**
 * A state machine as a drawing: its states below each other in the order of the table, and an arrow for each move.
 *
 * - lane: a vertical line beside the states on which every move to one state runs, forward on the right, back on the left.
 * - badge: the number of a move in the table's list.
 */
import { listStates, type Machine } from "@cardkeep/contract/machine";
import { markup, type Html } from "@cardkeep/html/markup";

const stateHeightMin = 40;
const gap = 34;
const top = 30;
const laneWidth = 20;
/** Room between a state and the first lane, for the badge. */
const stub = 34;
/** Room for the badge of each line. */
const portStep = 20;
/** Of the mono font at 13 px. */
const letterWidth = 7.9;
const padding = 28;

interface Edge {
  from: number;
  to: number;
  number: number;
}

interface Lane {
  to: number;
  edges: Edge[];
  /** Counted from the states outwards. */
  position: number;
}

type Side = "left" | "right";

/** Lanes of one side; those that do not overlap share a position, shorter ones run nearer to the states. */
function layLanes(edges: readonly Edge[]): Lane[] {
  const spans = [...Map.groupBy(edges, ({ to }) => to)].map(([to, ofTarget]) => {
    const ends = [to, ...ofTarget.map(({ from }) => from)];
    return { to, edges: ofTarget, low: Math.min(...ends), high: Math.max(...ends) };
  });
  const laid: (Lane & { low: number; high: number })[] = [];
  for (const span of spans.toSorted((a, b) => a.high - a.low - (b.high - b.low))) {
    let position = 0;
    while (laid.some((lane) => lane.position === position && lane.low <= span.high && span.low <= lane.high))
      position++;
    laid.push({ ...span, position });
  }
  return laid;
}

interface Sheet {
  stateHeight: number;
  states: readonly string[];
  left: number;
  width: number;
  lanes: Record<Side, Lane[]>;
}

const centreOf = ({ stateHeight }: Pick<Sheet, "stateHeight">, index: number): number =>
  top + index * (stateHeight + gap) + stateHeight / 2;

const portsOf = (lanes: readonly Lane[], state: number): { arriving: Lane[]; leaving: Lane[] } => ({
  arriving: lanes.filter(({ to }) => to === state),
  leaving: lanes.filter(({ edges }) => edges.some(({ from }) => from === state)),
});

/** Where on a state's side its lines begin and end: moves that arrive above moves that leave, in the lanes' order. */
function portOf(sheet: Sheet, side: Side, state: number, lane: Lane, isArriving: boolean): number {
  const { arriving, leaving } = portsOf(sheet.lanes[side], state);
  const ports = [...arriving, ...leaving];
  const index = isArriving ? arriving.indexOf(lane) : arriving.length + leaving.indexOf(lane);
  return centreOf(sheet, state) + (index - (ports.length - 1) / 2) * portStep;
}

const badge = (x: number, y: number, number: number): Html =>
  markup`<g class="badge"><circle cx="${x}" cy="${y}" r="9" /><text x="${x}" y="${y + 4}">${number}</text></g>`;

function drawLane(sheet: Sheet, side: Side, lane: Lane): Html {
  const out = side === "right" ? 1 : -1;
  const edge = side === "right" ? sheet.left + sheet.width : sheet.left;
  const x = edge + out * (stub + lane.position * laneWidth);
  const end = portOf(sheet, side, lane.to, lane, true);
  return markup`${lane.edges.map(({ from, number }) => {
    const start = portOf(sheet, side, from, lane, false);
    const turn = Math.sign(end - start) * 7;
    const path = `M${edge} ${start}H${x - out * 7}Q${x} ${start} ${x} ${start + turn}V${end - turn}Q${x} ${end} ${x - out * 7} ${end}H${edge + out * 2}`;
    return markup`<path class="line" d="${path}" marker-end="url(#arrow)" />${badge(edge + out * 17, start, number)}`;
  })}`;
}

function drawStraight(sheet: Sheet, { from, to, number }: Edge): Html {
  const { left, width, stateHeight } = sheet;
  const x = left + width / 2;
  const [start, end] = [centreOf(sheet, from) + stateHeight / 2, centreOf(sheet, to) - stateHeight / 2];
  return markup`<path
      class="line"
      d="M${x} ${start}V${end - 2}"
      marker-end="url(#arrow)"
    />${badge(x, (start + end) / 2 - 3, number)}`;
}

function drawLoop(sheet: Sheet, { from, number }: Edge): Html {
  const { left } = sheet;
  const y = centreOf(sheet, from);
  return markup`<path
      class="line"
      d="M${left} ${y - 9}H${left - 16}Q${left - 24} ${y - 9} ${left - 24} ${y}T${left - 16} ${y + 9}H${left - 2}"
      marker-end="url(#arrow)"
    />${badge(left - 24, y, number)}`;
}

function drawFromAny(sheet: Sheet, { to, number }: Edge): Html {
  const { left } = sheet;
  const y = centreOf(sheet, to);
  return markup`<path
      class="line any"
      d="M${left - 58} ${y}H${left - 2}"
      marker-end="url(#arrow)"
    />${badge(left - 30, y, number)} <text class="any" x="${left - 64}" y="${y + 4}">any</text>`;
}

function drawState(sheet: Sheet, machine: Machine, index: number): Html {
  const { states, left, width, stateHeight } = sheet;
  const state = states[index] ?? "";
  const y = centreOf(sheet, index) - stateHeight / 2;
  const isFinal = machine.states[state]?.isFinal === true;
  return markup`<g class="state">
    <rect x="${left}" y="${y}" width="${width}" height="${stateHeight}" rx="9" />
    ${isFinal && markup`<rect class="inner" x="${left + 4}" y="${y + 4}" width="${width - 8}" height="${stateHeight - 8}" rx="6" />`}
    <text x="${left + width / 2}" y="${y + stateHeight / 2 + 4.5}">${state}</text>
  </g>`;
}

const widthOf = (lanes: readonly Lane[]): number =>
  lanes.length === 0 ? 0 : stub + Math.max(...lanes.map(({ position }) => position)) * laneWidth + 8;

/** The drawing; what leads from any state to any other is only said in the list. */
export function drawMachine(machine: Machine): Html {
  const states = listStates(machine);
  const numbered = machine.transitions.map(({ from, to }, index) => ({
    from: states.indexOf(from),
    to: states.indexOf(to),
    number: index + 1,
  }));
  const ofAny = numbered.filter(({ from, to }) => from === -1 && to !== -1);
  const moves = numbered.filter(({ from, to }) => from !== -1 && to !== -1);
  const loops = moves.filter(({ from, to }) => from === to);
  const lanes = {
    left: layLanes(moves.filter(({ from, to }) => to < from)),
    right: layLanes(moves.filter(({ from, to }) => to > from + 1)),
  };
  const beside = Math.max(widthOf(lanes.left), loops.length > 0 ? 36 : 0, ofAny.length > 0 ? 100 : 0, 2);
  const width = Math.ceil(Math.max(...states.map((state) => state.length)) * letterWidth + padding);
  const portsMax = Math.max(
    ...states.flatMap((_, state) =>
      [lanes.left, lanes.right].map((ofSide) => Object.values(portsOf(ofSide, state)).flat().length),
    ),
  );
  const stateHeight = Math.max(stateHeightMin, portsMax * portStep);
  const sheet: Sheet = { stateHeight, states, left: beside, width, lanes };
  const size = {
    width: beside + width + widthOf(lanes.right) + 2,
    height: top + states.length * (stateHeight + gap) - gap + 4,
  };
  const begin = states.indexOf(machine.initial);
  return markup`<svg viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" role="img">
    <title>${machine.name}: ${states.join(", ")}</title>
    <path
      class="line"
      d="M${sheet.left + width / 2} 8V${centreOf(sheet, begin) - stateHeight / 2 - 2}"
      marker-end="url(#arrow)"
    />
    <circle class="begin" cx="${sheet.left + width / 2}" cy="8" r="5" />
    ${moves.filter(({ from, to }) => to === from + 1).map((edge) => drawStraight(sheet, edge))}
    ${lanes.left.map((lane) => drawLane(sheet, "left", lane))}
    ${lanes.right.map((lane) => drawLane(sheet, "right", lane))} ${loops.map((edge) => drawLoop(sheet, edge))}
    ${ofAny.map((edge) => drawFromAny(sheet, edge))} ${states.map((_, index) => drawState(sheet, machine, index))}
  </svg>`;
}
