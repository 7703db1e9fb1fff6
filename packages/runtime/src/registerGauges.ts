import { Gauge, type Registry } from "prom-client";

/** One value of a gauge. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A gauge whose samples come from a reading `R`. */
export interface GaugeOf<R> {
  /** Without the prefix `cardkeep_`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  readonly samples: (reading: R) => readonly Sample[];
}

/**
 * Registers gauges that are read at each scrape, all from one reading.
 *
 * A reading that fails leaves its gauges without a value: `/readyz` has the reason.
 */
export function registerGauges<R>(registry: Registry, read: () => Promise<R>, gauges: readonly GaugeOf<R>[]): void {
  let reading: Promise<R | null> | null = null;
  const readOnce = (): Promise<R | null> =>
    (reading ??= read()
      .catch(() => null)
      .finally(() => (reading = null)));
  for (const { name, help, labelNames = [], samples } of gauges) {
    new Gauge({
      name: `cardkeep_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        const current = await readOnce();
        this.reset();
        // Without labels, a gauge that is reset is 0, which would be an answer.
        if (labelNames.length === 0) this.remove();
        if (current === null) return;
        for (const { labels = {}, value } of samples(current)) this.set(labels, value);
      },
    });
  }
}
