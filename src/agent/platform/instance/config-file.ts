import { type Host, HostError } from '../../host/host.ts';

const MAX_BYTES = 1024 * 1024;

/** The text of one of the image's configurations, with `\n` for every line break of YAML; what can be none counts as empty, as with cloud-init. */
export async function configFile(host: Host, path: string): Promise<string> {
  try {
    const text = (await host.files.readIfPresent(path, MAX_BYTES))?.toString('utf8') ?? '';
    return text.replace(/\r\n?|\u0085/g, '\n');
  } catch (error) {
    // A pipe, a directory, something huge: an image's slip must not keep a machine from its bootstrap.
    if (error instanceof HostError && ['EINVAL', 'EISDIR', 'EFBIG'].includes(error.errno)) return '';
    throw error;
  }
}
