import { execaSync } from 'execa';

interface NpmResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs npm to its end. In an npm script it is the same npm on the same Node.js; else it is the npm of PATH.
 *
 * `npm` alone would not do in an npm script: PATH begins with the Node.js of this project, and a distribution's npm belongs
 * to the distribution's Node.js.
 */
export function npm(words: readonly string[], cwd: string): NpmResult {
  const { npm_node_execpath: node, npm_execpath: program } = process.env;
  const [file, ...first] = node !== undefined && program !== undefined ? [node, program] : ['npm'];
  const { failed, stdout = '', stderr = '' } = execaSync(file, [...first, ...words], { cwd, reject: false });
  return { ok: !failed, stdout, stderr };
}
