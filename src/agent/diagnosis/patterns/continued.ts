/** Whether a line goes on with what the one before it says. */

/** Where somebody broke a sentence of kubeadm's at a word: it says no more than what it wanted to do. */
const MIDDLE =
  / (?:could not bootstrap the admin user|(?:Get|Post|Put|Patch|Delete)|couldn't validate the identity of the API Server|error (?:downloading|uploading) certs|API (?:is not implemented )?for endpoint)$|curl -sSL \S+'$/;

/** Is an error's sentence not at its end yet: inside a quotation or a bracket, or behind a colon? */
export function isUnfinished(text: string): boolean {
  const end = text.trimEnd();
  if (/[:,([{]$/.test(end) || MIDDLE.test(end)) return true;
  if (((end.replaceAll('\\"', '').match(/"/g)?.length ?? 0) & 1) === 1) return true;
  return count(end, '[') > count(end, ']') || count(end, '(') > count(end, ')');
}

const count = (text: string, sign: string): number => text.split(sign).length - 1;

/** Somebody broke a finding behind the image, before what crictl, which logs as kubeadm does, or the runtime says. */
export const saysWhyNotPulled = (finding: string, text: string): boolean =>
  /failed to pull image \S+$/.test(finding.trimEnd()) &&
  /PullImage from image service failed|\bmsg="pulling image|^(?:output: )?(?:rpc error|Error response from daemon):/.test(
    text,
  );

/** A finding repeats what another program printed up to `, error: `; else only indented lines are its own. */
export function continuesFinding(finding: string, text: string): boolean {
  if (/^\s*, err(?:or)?: /.test(text)) return true;
  if (saysWhyNotPulled(finding, text)) return true;
  const repeats = /output: /.test(finding) && !/, err(?:or)?: (?:exit|signal)/.test(finding);
  return repeats || /^\s+\S/.test(text) || isUnfinished(finding);
}

/** journalctl marks with `>` where it has cut a line off: nothing goes on there. */
export const isCutOff = (text: string): boolean => />$/.test(text) && !/<[^<>]*>$|[-=]>$/.test(text);
