/**
 * Counters, gauges and histograms in Prometheus' text format (0.0.4). Nothing grows with the number of
 * machines.
 */

type Labels = Readonly<Record<string, string>>;

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  lines(): string[];
}

export class Counter implements Metric {
  readonly type = 'counter';
  readonly name: string;
  readonly help: string;
  readonly #values = new Map<string, number>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  /** Label values come from a fixed set of our own, never from a stranger. */
  add(labels: Labels = {}, by = 1): void {
    const key = labelText(labels);
    this.#values.set(key, (this.#values.get(key) ?? 0) + by);
  }

  value(labels: Labels = {}): number {
    return this.#values.get(labelText(labels)) ?? 0;
  }

  lines(): string[] {
    const values = this.#values.size === 0 ? new Map([['', 0]]) : this.#values;
    return [...values].map(([labels, value]) => `${this.name}${labels} ${value}`);
  }
}

/** Computed when somebody looks. */
export class Gauge implements Metric {
  readonly type: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  readonly #read: () => readonly { labels?: Labels; value: number }[];

  constructor(
    name: string,
    help: string,
    read: () => readonly { labels?: Labels; value: number }[],
    type: 'gauge' | 'counter' = 'gauge',
  ) {
    this.name = name;
    this.help = help;
    this.#read = read;
    this.type = type;
  }

  lines(): string[] {
    return this.#read().map(({ labels = {}, value }) => `${this.name}${labelText(labels)} ${value}`);
  }
}

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measures in seconds. */
export class Histogram implements Metric {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly #counts = BOUNDS.map(() => 0);
  #sum = 0;
  #count = 0;

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  observe(seconds: number): void {
    const at = BOUNDS.findIndex((bound) => seconds <= bound);
    if (at >= 0) this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += seconds;
    this.#count += 1;
  }

  lines(): string[] {
    let below = 0;
    const buckets = BOUNDS.map((bound, at) => {
      below += this.#counts[at] ?? 0;
      return `${this.name}_bucket{le="${bound}"} ${below}`;
    });
    return [
      ...buckets,
      `${this.name}_bucket{le="+Inf"} ${this.#count}`,
      `${this.name}_sum ${this.#sum}`,
      `${this.name}_count ${this.#count}`,
    ];
  }
}

export class Registry {
  readonly #metrics: Metric[] = [];

  add<M extends Metric>(metric: M): M {
    this.#metrics.push(metric);
    return metric;
  }

  text(): string {
    return this.#metrics
      .map(({ name, help, type, lines }, at) =>
        [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines.call(this.#metrics[at])].join('\n'),
      )
      .join('\n')
      .concat('\n');
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`))}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
