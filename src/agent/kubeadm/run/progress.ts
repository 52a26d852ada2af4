/** Turns kubeadm's output into progress messages as it comes. */
import { Redactor } from '../../../secrets/redact.ts';

/** Phase markers that tell a person something; not hints and warnings. */
const MARKER = /^\[([a-z][a-z0-9-]*(?:\/[a-z-]+)?)\] (\S.*)$/;
const NOISE = [
  /^FYI: /,
  /^You can also perform this action/,
  /^This might take a minute/,
  /^WARNING: /,
  /^If you know what/,
];
const MAX = 200;
/** Only a control plane with an etcd of its own says it, and only in a join. */
const JOINS_ETCD = /^\[check-etcd\] Checking that the etcd cluster is healthy/;
/** From 1.32 on kubeadm says nothing more until the member may vote, for minutes where it does not come up. */
const ETCD_WRITTEN = /^\[etcd\] Creating static Pod manifest for "etcd"/;
/** What the etcd client within kubeadm logs of a call that it repeats: etcd's clientv3, 3.4 to 3.6. */
const ETCD_RETRY = /^\{"level":"warn",.*"msg":"retrying of unary invoker failed"/;

/**
 * Makes a reader of lines that answers with a message to tell, or undefined. It tells a line that comes twice
 * in a row once (the kubelet check repeats itself), and never a secret.
 */
export function progressReader(): (line: string, stream: 'stdout' | 'stderr') => string | undefined {
  const redactors = { stdout: new Redactor(), stderr: new Redactor() };
  let last = '';
  let joinsEtcd = false;
  return (line, stream) => {
    const clean = redactors[stream].line(line);
    if (clean === undefined) return undefined;
    if (stream === 'stdout') joinsEtcd ||= JOINS_ETCD.test(clean);
    const message = stream === 'stdout' ? ofStep(clean.trimEnd(), joinsEtcd) : ofEtcdClient(clean);
    if (message === undefined || message === last) return undefined;
    last = message;
    return message;
  };
}

function ofStep(line: string, joinsEtcd: boolean): string | undefined {
  const [, phase, text = ''] = MARKER.exec(line) ?? [];
  if (phase === undefined || NOISE.some((pattern) => pattern.test(text))) return undefined;
  if (joinsEtcd && ETCD_WRITTEN.test(line))
    return 'etcd: Waiting for the new etcd member to start and catch up';
  return `${phase}: ${cut(text)}`;
}

function ofEtcdClient(line: string): string | undefined {
  if (!ETCD_RETRY.test(line)) return undefined;
  const [, method = 'a request'] = /"method":"[^"]*\/(\w+)"/.exec(line) ?? [];
  const [, address] = /"target":"[^"]*\/([^"/]+)"/.exec(line) ?? [];
  const [, error = ''] = /"error":"((?:[^"\\]|\\.)*)"/.exec(line) ?? [];
  const why = error.replace(/^rpc error: code = \w+ desc = /, '').replace(/\\(.)/g, '$1');
  return `etcd: ${method}${address === undefined ? '' : ` at ${address}`} is tried again: ${cut(why)}`;
}

const cut = (text: string): string => (text.length > MAX ? `${text.slice(0, MAX - 1)}…` : text);
