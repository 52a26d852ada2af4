/** Why an image could not be pulled; texts of containerd, CRI-O and the registries behind crictl or CRI. */

import { PROXY_REFUSAL } from './network.ts';
import type { PreflightFinding } from './output.ts';
import { type Diagnosis, inError, type Pattern, shorten } from './pattern.ts';

/** Outside of the named checks: kubeadm config images pull, and phases that pull. */
const pull: Pattern = inError(
  /failed to pull image [^\n]*|Head \\?"https?:\/\/[^\s"]+\/v2\/[^\s"]+\/manifests\/[^\n]*/,
  (match) => diagnoseImagePull({ name: 'ImagePull', text: match[0] }),
);

/** Before the patterns on the network, whose words the registry's errors have too. */
export const imagePatterns: Pattern[] = [pull];

/** A registry's own refusal has a number; that of a proxy on the way to it has words alone. */
const PROXY = new RegExp(
  `proxyconnect tcp: ([^\\n"]+)|(?:Get|Head|Post) \\\\?"https:[^"]*": (${PROXY_REFUSAL})(?=\\\\?["\\s,]|$)|(?=.*\\b407 )(Proxy Authentication Required)`,
  'm',
);

/** @param named What the sentence calls the image; by default as the text names it. */
export function diagnoseImagePull({ text }: PreflightFinding, named?: string): Omit<Diagnosis, 'evidence'> {
  const image =
    /(?:failed to pull image|pulling image|unpack image|reference) "?([^\s":]+(?::\d+\/[^\s":]+)?[^\s",]*)"?/
      .exec(text)?.[1]
      ?.replace(/:$/, '');
  const what = named ?? (image === undefined ? 'A container image' : `The image ${image}`);
  if (/toomanyrequests|429 Too Many|rate limit/i.test(text)) {
    return {
      code: 'ImagePullFailed',
      cause: `${what} could not be pulled: the registry limits the number of pulls.`,
      remedy: 'Use a mirror or credentials for the registry, or preload the image in the machine image.',
    };
  }
  const proxy = PROXY.exec(text);
  if (proxy !== null) {
    return {
      code: 'ImagePullFailed',
      cause: `${what} could not be pulled through the proxy: ${shorten(proxy[1] ?? proxy[2] ?? proxy[3] ?? '', 120)}.`,
      remedy:
        'Correct HTTPS_PROXY for the container runtime (a drop-in of its unit), or add the registry to its NO_PROXY.',
    };
  }
  if (/code = Unimplemented|unknown service runtime/.test(text)) {
    return {
      code: 'ContainerRuntimeUnsuitable',
      cause: `${what} could not be pulled: the container runtime does not offer the CRI v1 interface.`,
    };
  }
  if (
    /no match for platform|no image found in (?:image index|manifest list) for|no matching manifest for/.test(
      text,
    )
  ) {
    return {
      code: 'ImageNotFound',
      cause: `${what} is in its registry, but not for this machine's architecture or operating system.`,
      remedy:
        'Push an image for this architecture as well (a manifest list), or set imageRepository to a registry that has one.',
    };
  }
  if (
    /unauthorized|authentication required|authorization failed|denied|403 Forbidden|401 Unauthorized|status ?code: 40[13]\b/i.test(
      text,
    )
  ) {
    return {
      code: 'ImagePullDenied',
      cause: `${what} cannot be pulled: the registry denies access.`,
      ...remedyForRefusal(text, image),
    };
  }
  if (
    /not found|manifest unknown|name unknown|NotFound|does not exist/i.test(text) &&
    !/lookup|no such host/.test(text)
  ) {
    return { code: 'ImageNotFound', cause: `${what} does not exist in its registry.` };
  }
  if (/no space left on device/.test(text)) {
    return { code: 'DiskFull', cause: `${what} could not be pulled: the disk is full.` };
  }
  if (
    (/connect(?:ing)? endpoint|dial unix\s+\S+\.sock/.test(text) && /refused|no such\s+file/.test(text)) ||
    /Cannot connect to the Docker daemon/.test(text)
  ) {
    return {
      code: 'ContainerRuntimeDown',
      cause: `${what} could not be pulled: the container runtime does not answer.`,
    };
  }
  return {
    code: 'ImagePullFailed',
    cause: `${what} could not be pulled: ${reason(text)}.`,
    ...remedyForTls(text),
  };
}

/** Credentials help only where a registry has some to ask for. */
function remedyForRefusal(text: string, image: string | undefined): { remedy?: string } {
  const [, open] = /^(registry\.k8s\.io|k8s\.gcr\.io)\//.exec(image ?? '') ?? [];
  if (open !== undefined)
    return {
      remedy: `${open} does not require credentials: check what denies access in its place (a proxy, a mirror, a firewall, regional rules), or set imageRepository or a container runtime mirror to a registry that this machine may use.`,
    };
  // What a registry says of an image that it does not have.
  if (/does not exist or may require/.test(text))
    return {
      remedy:
        'Check the image name (imageRepository, kubernetesVersion): the registry gives the same answer for an image that it does not have. If the name is right, configure credentials for that registry in the container runtime.',
    };
  return {};
}

/** It was reached, whatever stands between. */
function remedyForTls(text: string): { remedy?: string } {
  if (/x509: certificate signed by unknown authority/.test(text))
    return {
      remedy:
        "Configure the registry's CA in the container runtime (containerd: hosts.toml of that host), or add it to the image's trust store. If a proxy intercepts TLS, use the proxy's CA.",
    };
  if (/server gave HTTP response to HTTPS client/.test(text))
    return {
      remedy:
        'Give the registry a certificate, or configure plain HTTP for it in the container runtime (containerd: hosts.toml of that host).',
    };
  return {};
}

function reason(text: string): string {
  const lookup = /lookup ([^\s:]+)/.exec(text)?.[1];
  if (lookup !== undefined) return `the name ${lookup} cannot be resolved`;
  const dial = /dial tcp (\S+?): (?:connect: )?([^\n"]+)/.exec(text);
  if (dial !== null) return `${dial[1]}: ${shorten(dial[2] ?? '', 80)}`;
  const x509 = /x509: [^\n"]+/.exec(text)?.[0];
  if (x509 !== undefined) return shorten(x509, 120);
  return shorten(
    text
      .replace(/, error: exit status \d+$/, '')
      .split(': ')
      .slice(-2)
      .join(': '),
    160,
  );
}
