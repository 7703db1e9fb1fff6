/**
 * Chooses one of several nodes.
 *
 * Only a node at the highest block is used, and the first listed one of these. A node that failed rests for a moment.
 * Heights are read at most once a second, and only while there are requests, and each minute the id of the chain too. Every
 * request goes to one node.
 */
import pTimeout from "p-timeout";
import { http } from "viem";
import { ChainUnavailable } from "../errors.ts";
import { buildAnswerLimits } from "./answerLimits.ts";
import { parseAnswer, readNumber } from "./parseAnswer.ts";

/** How long a failed node rests. */
const restMs = 5_000;
const refreshMs = 1_000;
/** How long a node is believed to be on the chain that it named: a balancer may send requests to another network later. */
const namedMs = 60_000;
/** After the first node's answer, the others have this time to answer too. */
const graceMs = 200;
/** A height is one number. */
const heightBytesMax = 64 * 1024;

interface Node {
  readonly url: string;
  /** Null while it does not answer, or is on another chain. */
  height: number | null;
  isOnChain: boolean;
  /** When it last named its chain, in milliseconds. */
  namedAt: number;
  restsUntil: number;
  isProbing: boolean;
}

export interface Nodes {
  /**
   * The URL of the node to use now.
   * @throws ChainUnavailable while no node has answered that it is one of the chain
   */
  pick(): Promise<string>;
  /** Lets a node rest for a moment; returns whether another node can be used. */
  leave(url: string): boolean;
}

/** @param input.timeoutMs longest wait for a node's height */
export function createNodes(input: { urls: readonly string[]; chainId: number; timeoutMs: number }): Nodes {
  const nodes = input.urls.map((url): Node => ({
    url,
    height: null,
    isOnChain: false,
    namedAt: 0,
    restsUntil: 0,
    isProbing: false,
  }));
  const limits = buildAnswerLimits({ timeoutMs: input.timeoutMs, bodyBytesMax: heightBytesMax });
  let refreshedAt = 0;
  let refreshing: Promise<void> | null = null;

  const probe = async (node: Node): Promise<void> => {
    node.isProbing = true;
    const transport = http(node.url, { ...limits, retryCount: 0 })({ retryCount: 0 });
    const requestNumber = async (method: string) => {
      const answer = await transport.request({ method, params: [] });
      return parseAnswer(method, () => readNumber(answer));
    };
    try {
      if (!node.isOnChain || Date.now() - node.namedAt >= namedMs) {
        node.isOnChain = (await requestNumber("eth_chainId")) === input.chainId;
        node.namedAt = Date.now();
      }
      node.height = node.isOnChain ? await requestNumber("eth_blockNumber") : null;
    } catch {
      // After a wrong answer to the height request the node is not used.
      node.height = null;
    } finally {
      node.isProbing = false;
    }
  };
  const refresh = async (): Promise<void> => {
    const probes = nodes
      .filter(({ isProbing }) => !isProbing)
      .map(async (node) => ({ node, answer: await probe(node) }));
    const answered = new Set<Node>();
    const all = Promise.all(probes.map((each) => each.then(({ node }) => answered.add(node))));
    const first = Promise.any(
      probes.map((each) => each.then(({ node }) => node.height ?? Promise.reject(new Error()))),
    );
    await first.then(
      () => pTimeout(all, { milliseconds: graceMs, fallback: () => [] }),
      () => all,
    );
    // An old height says nothing about the present.
    for (const node of nodes) if (node.isProbing) node.height = null;
    refreshedAt = Date.now();
  };
  const isWell = (node: Node): boolean => node.height !== null && node.restsUntil <= Date.now();

  return {
    pick: async () => {
      if (Date.now() - refreshedAt >= refreshMs) {
        refreshing ??= refresh().finally(() => (refreshing = null));
        await refreshing;
      }
      // Without a healthy node, a resting one may recover before the others. One that never named its chain may be of another.
      const eligible = nodes.filter(nodes.some(isWell) ? isWell : ({ isOnChain }) => isOnChain);
      const highest = Math.max(...eligible.map(({ height }) => height ?? -1));
      const best = eligible.find(({ height }) => (height ?? -1) === highest);
      if (!best) throw new ChainUnavailable(`No node has named itself one of chain ${input.chainId}`);
      return best.url;
    },
    leave: (url) => {
      const node = nodes.find((each) => each.url === url);
      if (node) node.restsUntil = Date.now() + restMs;
      return nodes.some(isWell);
    },
  };
}
