/** Texts that are no log and nobody's report, whatever error they quote: files that a program reads, and what is told of a change. */

interface Kind {
  /** Each stands on a line of its own. */
  marks: readonly RegExp[];
  /** A log of the program that reads such a file has these, and quotes the file. */
  unless?: RegExp;
}

const KINDS: readonly Kind[] = [
  // A playbook or a list of tasks.
  {
    marks: [
      /^\s*- name: /,
      /^\s+(?:register|failed_when|changed_when|until|when|ansible\.builtin\.\w{1,40}|shell|command): ?/,
    ],
    unless: /^(?:TASK|PLAY|RUNNING HANDLER) |\bFAILED! =>|^fatal: /,
  },
  // Alerts.
  { marks: [/^\s*- alert: /, /^\s+expr: /] },
  // What builds an image.
  { marks: [/^FROM \S+$|^FROM \S+ AS /i, /^(?:RUN|ENTRYPOINT|CMD|COPY|ENV|WORKDIR) \S/], unless: /^#\d+ / },
  // The log of a repository, or a mail with a patch.
  { marks: [/^commit [0-9a-f]{7,40}$|^From [0-9a-f]{40} /, /^(?:Author|From): .*</] },
  { marks: [/^diff --git a\//, /^@@ -\d/] },
  // What a change is for.
  { marks: [/^\W*(?:what this PR does|special notes for your reviewer|does this PR introduce)/i] },
  // Questions of an examination.
  { marks: [/^\W{0,8}A[.)] \S/, /^\W{0,8}B[.)] \S/, /^\W{0,8}C[.)] \S/] },
  {
    marks: [
      /^\W{0,8}(?:exercise|task|quiz|lab|scenario|mock exam)\b/i,
      /^\W{0,8}(?:<details>.{0,20}<summary>)?(?:answer|solution|hint)s?\b\W{0,12}(?:<\/summary>)?$/i,
    ],
  },
  // What a program is to do, for a test, and mails on a change.
  { marks: [/^\s*(?:Feature|Scenario(?: Outline)?): /, /^\s*(?:Given|When|Then) \S/] },
  { marks: [/^(?:Subject|Re): (?:Re: )?\[(?:PATCH|RFC)\b/i] },
  // A list of what is known, for programs: an error and what helps, side by side or below each other.
  {
    marks: [
      /"(?:symptom|pattern|regexp?|match|issue|problem|error|message|signature)s?": ?["[]/i,
      /"(?:solution|fix|remedy|resolution|action|hint|advice|recommendation|suggestion)s?": ?["[]/i,
    ],
    unless: /"(?:rc|stderr|stdout|msg|MESSAGE)": ?/,
  },
];

/** User data begin with this; what they hold is written to a machine. */
const USER_DATA = /^#cloud-config\b/;

export function isKnownKind(texts: readonly string[]): boolean {
  if (USER_DATA.test(texts[0] ?? '')) return true;
  return KINDS.some(
    ({ marks, unless }) =>
      marks.every((mark) => texts.some((text) => mark.test(text))) &&
      !(unless !== undefined && texts.some((text) => unless.test(text))),
  );
}
