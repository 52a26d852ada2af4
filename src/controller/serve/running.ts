/** A controller that serves. */
export interface Running {
  readonly port: number;
  readonly adminPort: number;
  /** Lets go of everything, in order: what is acknowledged is stored. */
  stop(): Promise<void>;
}
