import { STATE_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';

const FILE = `${STATE_DIR}/new-users.json`;

/** What was there before a user's creation began; `phase` matters if the agent was killed meanwhile. */
export interface NewUser {
  phase: 'creating' | 'created';
  /** The home directory, if it was not there before. */
  newHome?: string;
  /** True if the group with the user's name was not there before. */
  newGroup: boolean;
}

/**
 * Remembers the users that an unfinished step creates. Otherwise a step that resumes after a kill would take
 * its own half-made user for one of the image, give it no password, and not repair what a killed useradd
 * left.
 */
export class NewUsers {
  readonly #host: Host;
  readonly #notes: Record<string, NewUser>;

  private constructor(host: Host, notes: Record<string, NewUser>) {
    this.#host = host;
    this.#notes = notes;
  }

  static async load(host: Host): Promise<NewUsers> {
    const text = (await host.files.readIfPresent(FILE))?.toString('utf8');
    return new NewUsers(host, text === undefined ? {} : (JSON.parse(text) as Record<string, NewUser>));
  }

  of(name: string): NewUser | undefined {
    return Object.hasOwn(this.#notes, name) ? this.#notes[name] : undefined;
  }

  async note(name: string, note: NewUser): Promise<void> {
    this.#notes[name] = note;
    await this.#host.files.write(FILE, JSON.stringify(this.#notes), { mode: 0o600 });
  }

  /** Call it when the step has done all its work. */
  async forget(): Promise<void> {
    await this.#host.files.remove(FILE);
  }
}
