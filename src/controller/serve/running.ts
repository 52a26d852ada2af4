/** A running controller. */
export interface Running {
  readonly port: number;
  readonly adminPort: number;
  /** Stops everything in order; whatever was acknowledged is stored. */
  stop(): Promise<void>;
}
