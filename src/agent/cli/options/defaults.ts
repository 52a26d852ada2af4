/** A bootstrap that takes longer than this has failed; operators look after ten minutes (MachineHealthCheck's default). */
export const DEFAULT_DEADLINE_SECONDS = 15 * 60;
