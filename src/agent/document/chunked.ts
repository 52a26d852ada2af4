/** User data that lie in pieces in a store of secrets, gzip over all of them. */
export interface ChunkedUserData {
  /** In their order, as docs/secrets.md has references. */
  references: string[];
  /** Where the boothook would write them. */
  file: string;
  /** All pieces together are base64. */
  isBase64: boolean;
  /** The store's address, where that is not AWS' own. */
  endpoint?: string;
}
