import { execaSync } from 'execa';
import { root } from './project.ts';

/** Commits up to this one have subjects from before there was a rule. */
const BEFORE = 'ac8d1b4f43864c4b820c8868a86c20b898dd99e6';

/** `room: what changed`, in at most 72 characters, without a full stop. Git's own merges and reverts are exempt. */
export function subjectFault(subject: string): string | undefined {
  if (/^(?:Merge|Revert) /.test(subject)) return;
  if (subject.length > 72) return `has ${subject.length} characters; at most 72 are allowed`;
  if (!/^[a-z0-9][^:]*: \S/.test(subject)) return 'does not read "room: what changed"';
  if (subject.endsWith('.')) return 'ends with a full stop';
  return;
}

/** Subjects since the rule, newest first; undefined in a shallow clone or without Git, where the history is not there. */
export function recentSubjects(): string[] | undefined {
  const git = execaSync('git', ['log', '--format=%s', `${BEFORE}..HEAD`], { cwd: root, reject: false });
  return git.failed ? undefined : git.stdout.split('\n').filter((subject) => subject !== '');
}
