/** Why nothing of the user data ran, in cloud-init's own words: its log is all there is of a machine on which kubeadm never began. */
import { lastKnown, type Rule, reason, rule } from './causes/rule.ts';
import { bareFailure } from './lone-node.ts';
import type { LogLine } from './transcript/line.ts';
import type { KubeadmFailure } from './words/classify.ts';

/** Texts: cloudinit/handlers, user_data.py, util.py, subp.py, 19 to 25; what makes all of them run into nothing comes first. */
const RULES = [
  rule(/Unhandled non-multipart \((\S+?)\) userdata/, ([, type]) => ({
    code: 'CloudInitFailed',
    cause: `cloud-init did not recognize the type of the user data (${type}), so none of it ran.`,
    remedy:
      'User data must begin with #cloud-config, #! or a MIME header, with nothing before it. Check whether something encoded or replaced it on the way (base64 twice, a template that was not filled in).',
  })),
  rule(/Failed loading yaml blob\.? ?(.*)/, ([, why]) => ({
    code: 'CloudInitFailed',
    cause: `cloud-init could not read the user data as YAML${why ? ` (${reason(why)})` : ''}, so none of it ran.`,
    remedy: 'Correct it; slipway check FILE, or cloud-init schema --config-file FILE, shows the line.',
  })),
  rule(/Failed to shellify (.{1,80}?)(?: into file|$)|Unable to shellify type (\S+)/i, ([, what, type]) => ({
    code: 'CloudInitFailed',
    cause: `cloud-init could not turn the commands into a script${what === undefined ? ` (an entry is of the type ${type})` : ` (${reason(what)})`}, so none of them ran.`,
    remedy:
      'Write each entry of runcmd and bootcmd as one string or as a list of strings; quote a string that contains a colon followed by a space.',
  })),
  // The provider of Cluster API for AWS has user data fetched by one, and included then.
  rule(/Boothooks script (\S+) execution error/, ([, path]) => ({
    code: 'CloudInitFailed',
    cause: `A boothook in the user data failed (${path}), so what it fetches or sets up is missing.`,
    remedy:
      "Read the lines above this one in cloud-init-output.log. If the boothook fetches the user data (Cluster API on AWS), the machine's role needs permission to read the secret (Secrets Manager, SSM), and the image needs the programs that the boothook calls (the AWS CLI).",
  })),
  // That of the same provider is missing at first, and comes by the boothook.
  rule(
    /No such file or directory: '(?!\/etc\/secret-userdata\.txt')[^']+' for url: (\S+?)\.?$/,
    ([, url]) => ({
      code: 'CloudInitFailed',
      cause: `The user data includes ${url}, which does not exist, so that part did not run.`,
      remedy:
        'Find out what should have written that file earlier, such as a boothook; its errors are in cloud-init-output.log.',
    }),
  ),
];

/** It began, and a command of it failed: whether kubeadm was to come after that, its log does not tell. */
const SCRIPT = [
  rule(
    /Failed running (\/var\/lib\/cloud\/\S+)(?: \[([-\d]+)\])?|Runparts: \d+ failures \(([^)]{1,80})\)/,
    ([, path, status, parts]) => ({
      code: 'CloudInitFailed',
      cause: `A script in the user data failed before kubeadm printed anything: ${path ?? parts}${status === undefined ? '' : ` exited with status ${status}`}.`,
      remedy: 'Read the lines above this one: the last command before it failed.',
    }),
  ),
  // Which one it was stands in cloud-init.log alone.
  rule(/Failed to run module scripts[-_]user \(scripts in (\/\S+?)\)/, ([, directory]) => ({
    code: 'CloudInitFailed',
    cause: `A script in the user data failed before kubeadm printed anything: one in ${directory}.`,
    remedy:
      'Read the lines above this one: the last command before it failed. cloud-init.log names the script and its status.',
  })),
];

/** Why nothing of the user data ran; the rule that stops the most comes first. */
export const cloudInitFailure = (lines: readonly LogLine[]): KubeadmFailure | undefined =>
  saidBy(RULES, lines);

/** A script of the user data that failed, of which kubeadm may have been a part. */
export const failedScript = (lines: readonly LogLine[]): KubeadmFailure | undefined => saidBy(SCRIPT, lines);

function saidBy(rules: readonly Rule[], lines: readonly LogLine[]): KubeadmFailure | undefined {
  const texts = lines.map(({ text }) => text);
  for (const one of rules) {
    const found = lastKnown([one], texts);
    if (found === undefined) continue;
    const { evidence, ...said } = found;
    return { ...bareFailure(found.code, evidence), ...said };
  }
  return undefined;
}
