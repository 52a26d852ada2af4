/** Two calls of CRI's ImageService, whose messages are small enough to be written by hand (k8s.io/cri-api, runtime/v1). */
import type { Host } from '../../host/host.ts';

const SERVICE = '/runtime.v1.ImageService';
const OK = 0;
const ASK_MS = 5_000;
/** Tag of field 1 with a length before its content, as all fields here are. */
const FIELD_1 = 0x0a;

/** Is the image on this machine? @throws HostError when nobody answers */
export async function hasImage(host: Host, socket: string, image: string): Promise<boolean> {
  const answer = await host.network.callUnix(socket, `${SERVICE}/ImageStatus`, about(image), ASK_MS);
  // ImageStatusResponse: an image that is not there is left out.
  return answer.status === OK && answer.message[0] === FIELD_1;
}

/**
 * Has the runtime pull an image, as kubeadm does: with the credentials that the runtime has.
 *
 * @returns why it could not; undefined when the image is there
 * @throws HostError when nobody answers in time, or `signal` broke it off
 */
export async function pullImage(
  host: Host,
  socket: string,
  image: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const method = `${SERVICE}/PullImage`;
  const answer = await host.network.callUnix(socket, method, about(image), timeoutMs, signal);
  return answer.status === OK ? undefined : answer.statusMessage;
}

/** ImageStatusRequest and PullImageRequest: an ImageSpec as field 1, whose field 1 is the name. */
function about(image: string): Uint8Array {
  return field(field(Buffer.from(image)));
}

function field(content: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([FIELD_1]), varint(content.length), content]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
