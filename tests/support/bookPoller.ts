/** A bookkeeping program: it polls with a token of its own, and keeps a copy of what it reads. */
import type { CardEvent } from "@cardkeep/contract/spending/cardEvents";
import type { Person } from "./person.ts";

/** A change may become visible this much after its instant. The guide says a minute; less shows more. */
const lateMs = 5_000;

type Line = Pick<CardEvent, "threadId" | "kind" | "createdAt">;

const keyOf = ({ threadId, kind, createdAt }: Line): string => [threadId, kind, createdAt].join(" ");

/** The lines of some pages, by their keys. */
export const byKey = (lines: readonly Line[]): Map<string, Line> =>
  new Map(lines.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).map((line) => [keyOf(line), line]));

export class BookPoller {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  #since: Date | null = null;
  readonly copy = new Map<string, Line>();

  private constructor(url: string, token: string) {
    this.#url = url;
    this.#headers = { Authorization: `Bearer ${token}` };
  }

  /** Makes a token of the person that reads transactions. */
  static async start(person: Person): Promise<BookPoller> {
    const { body } = await person.call("POST", "/tokens", { name: "Books", scopes: ["transactions"] });
    return new BookPoller(person.service.url, body.token);
  }

  /** Reads what changed since the visit before. */
  async visit(): Promise<void> {
    const since = this.#since === null ? "" : `&updatedSince=${new Date(this.#since.getTime() - lateMs).toISOString()}`;
    let path: string | null = `/api/v1/cards/transactions?limit=10${since}`;
    let visitedAt: Date | null = null;
    while (path !== null) {
      const answer: Response = await fetch(this.#url + path, { headers: this.#headers });
      if (!answer.ok) throw new Error(`The poller got ${answer.status}`);
      visitedAt ??= new Date(answer.headers.get("date") ?? Date.now());
      const page: { results: Line[]; next: string | null } = await answer.json();
      for (const line of page.results) this.copy.set(keyOf(line), line);
      path = page.next;
    }
    this.#since = visitedAt;
  }

  /** Visits again and again; ends the loop with the answer. */
  poll(everyMs: number): () => Promise<void> {
    let isEnded = false;
    const loop = (async () => {
      while (!isEnded) {
        await this.visit();
        await Bun.sleep(everyMs);
      }
    })();
    return () => {
      isEnded = true;
      return loop;
    };
  }
}
