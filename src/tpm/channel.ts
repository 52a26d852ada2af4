/** The way to a TPM: a device, or a socket of a software TPM. One conversation at a time. */
export interface TpmChannel {
  /**
   * Sends a whole command and gives the whole answer.
   *
   * @throws HostError if the TPM cannot be reached any more
   */
  transmit(command: Uint8Array): Promise<Uint8Array>;
  /** Waits, while the TPM is busy. */
  pause(ms: number): Promise<void>;
  /** What the conversation left in the TPM goes with it. */
  close(): Promise<void>;
}

/** Upper bound of a command and of an answer: no TPM has a larger buffer (Part 2, TPM_PT_MAX_RESPONSE_SIZE). */
export const MAX_PACKET_BYTES = 4096;
