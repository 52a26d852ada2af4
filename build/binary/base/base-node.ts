import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentPlatform, NODE_SHA256, nodePackage, WINDOWS } from '../../platforms.ts';
import { nodeBinary } from '../../project.ts';
import { packageFolder } from '../npm-package.ts';
import { runnerOf } from '../runner.ts';

/** The Node.js that goes into a binary. */
interface BaseNode {
  /** Absolute path of the npm package's file, with its symbols. */
  readonly path: string;
  /** Words before the path of a program of that platform that run it on this machine; none where it runs by itself, or not at all. */
  readonly runner: readonly string[];
}

/**
 * The Node.js of a platform: that of the npm package which package-lock.json names, checked against its sum.
 *
 * @throws Error where it is not the one that is expected, or cannot be had
 */
export function baseNode(platform: AgentPlatform): BaseNode {
  const path = pathOf(platform);
  const sum = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (sum !== NODE_SHA256[platform])
    throw new Error(
      `${path} is not the Node.js that build/platforms.ts expects for ${platform}: its SHA-256 is ${sum}, not ` +
        `${NODE_SHA256[platform]}. Run npm ci; where that does not help, the package is not what it was.`,
    );
  return { path, runner: platform === WINDOWS ? [] : runnerOf(platform) };
}

function pathOf(platform: AgentPlatform): string {
  if (platform === 'linux-x64') return nodeBinary();
  return join(packageFolder(nodePackage(platform)), platform === WINDOWS ? 'bin/node.exe' : 'bin/node');
}
