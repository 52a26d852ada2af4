/** The document's files, directories and links, and what of them is fetched. */
import type { Sensitive } from '../../secrets/sensitive.ts';
import type { Position } from './position.ts';

export interface FileEntry {
  /** Absolute path on the machine. */
  path: string;
  /** Empty where it is still to be fetched. */
  content: Sensitive<Uint8Array>;
  /** Where the content is to be fetched from. */
  from?: RemoteContent;
  /** Permission bits, e.g. 0o640. */
  mode: number;
  /** `user`, `user:group`, numeric ids allowed. */
  owner: string;
  /** Add to the end of the file instead of replacing it. */
  append: boolean;
  /** Written when users and packages are there. */
  defer: boolean;
  /** What becomes of what is there already; without it, the file takes the place of a file. */
  rule?: PlaceRule;
  where?: Position;
  /** Where its first line stands in the user data, if all its lines follow there. */
  textAt?: Position;
}

/** Something that lies on a web server, or in a store of secrets. */
export interface RemoteContent {
  /** http:, https: or a reference to a secret (see docs/secrets.md); may hold a password, a token or a signature. */
  url: Sensitive<string>;
  headers: { name: string; value: Sensitive<string> }[];
  isCompressed: boolean;
  /** `sha256-SUM` or `sha512-SUM` of the content, decompressed. */
  hash?: string;
}

/** How everything of a document is fetched. */
export interface FetchSettings {
  /** URLs, possibly with user name and password, and a list of hosts to reach directly. */
  proxy?: { http?: Sensitive<string>; https?: Sensitive<string>; except: string[] };
  /** PEM; they count beside the well-known authorities. */
  authorities: string[];
  /** The same, to be fetched before anything else. */
  remoteAuthorities?: RemoteContent[];
  /** Seconds for one whole answer. */
  totalSeconds?: number;
  /** A redirect that leaves https is refused. */
  isHttpsOnly?: true;
}

/** What becomes of what is there already. */
export interface PlaceRule {
  /**
   * `remove`: whatever it is goes first. `refuse`: anything is an error, but for the very same content. `keep`:
   * something of the same kind stays.
   */
  present: 'remove' | 'refuse' | 'keep';
  /** What the user data does not say; something that stays keeps its own. */
  unsaid: readonly ('mode' | 'user' | 'group')[];
}

export interface DirectoryEntry {
  path: string;
  mode: number;
  /** `user:group`, numeric ids allowed. */
  owner: string;
  rule: PlaceRule;
  where?: Position;
}

export interface LinkEntry {
  path: string;
  target: string;
  /** Another name of a file instead of a symbolic link; made when all files are there. */
  hard: boolean;
  owner: string;
  /** Whatever is there goes first. */
  overwrite: boolean;
  where?: Position;
}
