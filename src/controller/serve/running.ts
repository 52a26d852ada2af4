/** A running controller. */
export interface Running {
  readonly port: number;
  /** Metrics. */
  readonly adminPort: number;
  readonly probePort: number;
  /** Stops everything in order; whatever was acknowledged is stored. */
  stop(): Promise<void>;
}
