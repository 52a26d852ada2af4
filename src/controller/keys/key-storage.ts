import { ExpectedError } from '../../kit/errors.ts';

/** Where a key lies. */
export interface KeyStorage<T> {
  /** For people. */
  readonly name: string;
  /** Undefined if nobody has made it yet. */
  read(): Promise<T | undefined>;
  /** @returns false if somebody else has written since `read` */
  write(material: T): Promise<boolean>;
}

/** What lies there; the first replica makes it. @throws KubeError, StoreBusy */
export async function makeOnce<T>(place: KeyStorage<T>, make: () => T): Promise<T> {
  const found = await place.read();
  if (found) return found;
  const made = make();
  if (await place.write(made)) return made;
  return await readExisting(place);
}

/** @throws Error if no controller has made it yet; KubeError */
export async function readExisting<T>(place: KeyStorage<T>): Promise<T> {
  const found = await place.read();
  if (found) return found;
  throw new ExpectedError(`there is no ${place.name} yet; the controller makes it when it starts`);
}
