import type { Diagnostic } from '../document/document.ts';
import type { Host } from '../host/host.ts';

const KNOWN_BY: readonly (readonly [program: RegExp, what: string])[] = [
  [/(?:^|\/)visudo$/, 'whether sudo takes the rules of users'],
  [/^(?:useradd|groupadd)$/, 'whether uncommon names of users and groups can be made'],
  [/^getent$/, 'whether users and groups are known elsewhere than in /etc/passwd and /etc/group'],
  [/sh$/, 'whether the shell can read all commands'],
];

/** A warning that names what could not be found out, because programs of the image could not be asked apart from the host. */
export async function unaskedPrograms({
  root,
  processes,
}: Pick<Host, 'root' | 'processes'>): Promise<Diagnostic[]> {
  const programs = processes.sandbox?.unasked() ?? [];
  if (programs.length === 0) return [];
  const why =
    (await processes.sandbox?.refusal()) ?? 'this machine cannot run them, or their namespaces failed';
  const unknown = KNOWN_BY.filter(([form]) => programs.some((name) => form.test(name))).map(
    ([, what]) => what,
  );
  const rest = unknown.length === 0 ? '' : ` So it is not known ${unknown.join(', nor ')}.`;
  const message = `Of ${root} no program was asked (${programs.join(', ')}): ${why}.${rest}`;
  return [{ severity: 'warning', code: 'ImageNotAsked', message }];
}
