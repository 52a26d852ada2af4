import { type Host, HostError } from '../../host/host.ts';

const MAX_BYTES = 1024 * 1024;

/** The text of one of the image's configurations; what is no file that could be one counts as empty, as with cloud-init. */
export async function configFile(host: Host, path: string): Promise<string> {
  try {
    return (await host.files.readIfPresent(path, MAX_BYTES))?.toString('utf8') ?? '';
  } catch (error) {
    // A pipe, a directory, something huge: an image's slip must not keep a machine from its bootstrap.
    if (error instanceof HostError && ['EINVAL', 'EISDIR', 'EFBIG'].includes(error.errno)) return '';
    throw error;
  }
}
