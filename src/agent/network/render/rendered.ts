/** A file of a network configuration, as one of the programs that set up networks reads it. */
export interface RenderedFile {
  path: string;
  content: string;
  mode: number;
}

/** What heads each file. */
export const HEADER = "# Made by Slipway from this machine's network configuration";
