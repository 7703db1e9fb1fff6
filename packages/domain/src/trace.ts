/** What went on elsewhere for a request, from one instant to another. */
export interface Stretch {
  readonly requestId: string;
  readonly name: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly attributes: Readonly<Record<string, string | number>>;
}
