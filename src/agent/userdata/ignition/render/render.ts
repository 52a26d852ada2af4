import type { RemoteContent } from '../../../document/document.ts';
import { FetchError, fetchBytes } from '../../../fetch/fetch.ts';
import { Diagnostics, printable } from '../../../text/diagnostics.ts';
import { MAX_DECODED_BYTES } from '../../../text/limits.ts';
import { plainText, type SourceText } from '../../../text/source-text.ts';
import {
  displayAddress,
  type IncludeSource,
  IncludeUnavailable,
  NOT_READ,
} from '../../includes/fetch-include.ts';
import { INCLUDE_SECONDS, MAX_INCLUDE_DEPTH, MAX_INCLUDES } from '../../includes/limits.ts';
import { Remarks } from '../check/remarks.ts';
import { checkSpec3 } from '../check/spec3.ts';
import { type Checked, readConfig } from '../config/read-config.ts';
import { NEWEST } from '../config/version.ts';
import type { Places } from '../schema/bind.ts';
import type { Config, Resource } from '../schema/spec3.ts';
import { Contents } from '../translate/content.ts';
import { fetchSettings, remoteOf } from '../translate/remote.ts';
import { append, merge } from './merge.ts';

/**
 * Puts in the place of a config the one that it is to be replaced by, and lays over it those that it is to be merged with, or
 * that are to be appended to it (spec 2), each fetched, compared with its hash, and checked; then checks what came of it, as
 * Ignition does.
 *
 * @returns undefined if `diagnostics` got an error
 * @throws IncludeUnavailable if a server may give a config later
 */
export async function renderConfig(
  checked: Checked,
  library: IncludeSource | undefined,
  diagnostics: Diagnostics,
): Promise<Rendered | undefined> {
  if (!refersToOthers(checked)) return { checked, asked: [] };
  const rendering = new Rendering(library, diagnostics, checked.places);
  const whole = await rendering.all(checked, [], {});
  if (whole === undefined || isWrong(diagnostics)) return undefined;
  if (whole.spec === 3) checkWhole(whole.config, checked.places, diagnostics);
  return isWrong(diagnostics) ? undefined : { checked: whole, asked: rendering.asked };
}

/** A config that nobody could look at says nothing of the others. */
function isWrong({ entries }: Diagnostics): boolean {
  return entries.some(({ severity, message }) => severity === 'error' && !message.includes(NOT_READ));
}

interface Rendered {
  checked: Checked;
  /** What was asked of servers, with the headers and addresses that only this machine knows. */
  asked: RemoteContent[];
}

/**
 * What servers gave, for as long as one reading of the machine's user data: who reads them again without their secrets, to see
 * that they ask for the same, has no right to the server any more.
 */
const KNOWN = new WeakMap<IncludeSource, Map<string, Buffer>>();

function refersToOthers(checked: Checked): boolean {
  return othersOf(checked).length > 0 || Boolean(checked.config.ignition?.config?.replace?.source);
}

/** What is laid over a config: those that it is merged with, or in spec 2 those that are appended. */
function othersOf(checked: Checked): readonly Resource[] {
  if (checked.spec === 3) return checked.config.ignition?.config?.merge ?? [];
  return checked.config.ignition?.config?.append ?? [];
}

/** Two valid configs can make one that is not; their warnings were said of each. */
function checkWhole(config: Config, places: Places, diagnostics: Diagnostics): void {
  const again = new Diagnostics();
  checkSpec3(config, NEWEST[3], new Remarks(places, again));
  for (const { severity, code, message, where } of again.entries)
    if (severity === 'error') diagnostics.error(code, message, where);
}

/** What a config says of proxies, authorities and timeouts. */
function settingsOf(checked: Checked): Config {
  if (checked.spec === 3) return checked.config;
  const { config: _, ...ignition } = checked.config.ignition ?? {};
  return { ignition };
}

class Rendering {
  readonly #library: IncludeSource | undefined;
  readonly #diagnostics: Diagnostics;
  readonly #places: Places;
  readonly asked: RemoteContent[] = [];
  #configs = 0;
  #bytes = MAX_DECODED_BYTES;

  constructor(library: IncludeSource | undefined, diagnostics: Diagnostics, places: Places) {
    this.#library = library;
    this.#diagnostics = diagnostics;
    this.#places = places;
  }

  /**
   * @param chain The addresses that led here, the outermost first.
   * @param around What the configs around this one say of proxies, authorities and timeouts.
   */
  async all(checked: Checked, chain: readonly string[], around: Config): Promise<Checked | undefined> {
    const replace = checked.config.ignition?.config?.replace as Resource | undefined;
    if (replace?.source) {
      const next = await this.#read(replace, this.#over(around, settingsOf(checked)), chain);
      return next && this.all(next, [...chain, replace.source], {});
    }
    let whole: Checked = checked;
    for (const reference of othersOf(checked)) {
      const outer = this.#over(around, settingsOf(whole));
      const next = await this.#read(reference, outer, chain);
      // Where nobody is asked, what is wrong with the others and with this one is told all the same.
      if (next === undefined && this.#library?.isOffline) continue;
      if (next === undefined) return undefined;
      const inner = await this.all(next, [...chain, reference.source ?? ''], outer);
      if (inner === undefined) return undefined;
      const laid = this.#laid(whole, inner);
      if (laid === undefined)
        return this.#refuse(
          reference,
          `is a config of spec ${inner.spec}, which cannot be ${whole.spec === 3 ? 'merged into' : 'appended to'} one of spec ${whole.spec}`,
        );
      whole = laid;
    }
    return whole;
  }

  #over(around: Config, settings: Config): Config {
    return merge(around, settings, this.#places);
  }

  /** Both under the version of the first; undefined where they are of different specs. */
  #laid(under: Checked, over: Checked): Checked | undefined {
    if (under.spec === 3 && over.spec === 3)
      return { ...under, config: merge(under.config, over.config, this.#places) };
    if (under.spec === 2 && over.spec === 2)
      return { ...under, config: append(under.config, over.config, this.#places) };
    return undefined;
  }

  #refuse(reference: Resource, message: string): undefined {
    new Remarks(this.#places, this.#diagnostics).error(reference, ['source'], message);
  }

  async #read(reference: Resource, settings: Config, chain: readonly string[]): Promise<Checked | undefined> {
    const { source = '' } = reference;
    this.#configs += 1;
    if (chain.includes(source)) return this.#refuse(reference, 'includes itself');
    if (this.#configs > MAX_INCLUDES || chain.length >= MAX_INCLUDE_DEPTH)
      return this.#refuse(
        reference,
        `exceeds the limit of ${MAX_INCLUDES} configs, or ${MAX_INCLUDE_DEPTH} levels`,
      );
    const bytes = await this.#bytesOf(reference, settings);
    if (bytes === undefined || (this.#diagnostics.failed && !this.#library?.isOffline)) return undefined;
    this.#bytes -= bytes.length;
    if (this.#bytes < 0)
      return this.#refuse(reference, `brings the total to more than ${MAX_DECODED_BYTES} bytes`);
    return readConfig(this.#named(bytes, reference), this.#diagnostics, this.#places);
  }

  /** Its positions count in that config, and messages say so. */
  #named(bytes: Buffer, reference: Resource): SourceText {
    const { path } = this.#places.of(reference);
    const { source = '' } = reference;
    const name = source.startsWith('data:') ? `the config at ${path}` : displayAddress(source);
    return { ...plainText(bytes.toString('utf8')), within: printable(name) };
  }

  async #bytesOf(reference: Resource, settings: Config): Promise<Buffer | undefined> {
    const { source = '' } = reference;
    const say = new Remarks(this.#places, this.#diagnostics);
    const contents = new Contents(say);
    const own = contents.bytesOf(reference);
    if (own !== undefined) return own;
    const remote = remoteOf(reference, say);
    if (remote === undefined) return undefined;
    if (this.#library === undefined || this.#library.isOffline)
      return this.#refuse(reference, `is another config, which ${NOT_READ}`);
    this.asked.push(remote);
    const how = fetchSettings(settings.ignition ?? {}, contents, say);
    const known = KNOWN.get(this.#library) ?? new Map<string, Buffer>();
    KNOWN.set(this.#library, known);
    const key = `${this.#configs} ${displayAddress(source)} ${remote.hash ?? ''}`;
    try {
      const bytes =
        known.get(key) ??
        (await fetchBytes(
          this.#library.host,
          remote,
          { totalSeconds: INCLUDE_SECONDS, ...how },
          this.#bytes,
          this.#library.signal?.(),
        ));
      known.set(key, bytes);
      return bytes;
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      if (!error.refused) throw new IncludeUnavailable(error.message);
      return this.#refuse(reference, `was refused: ${error.message}`);
    }
  }
}
