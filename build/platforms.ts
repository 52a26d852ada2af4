import { join } from 'node:path';
import { root } from './project.ts';

/** What binaries are built for, in the words of Node.js. Built on linux-x64, whatever they are for. */
export const PLATFORMS = ['linux-x64', 'linux-arm64'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** The agent alone is built for Windows too: the controller is a container's program. */
export const WINDOWS = 'windows-x64';
export const AGENT_PLATFORMS = [...PLATFORMS, WINDOWS] as const;
export type AgentPlatform = (typeof AGENT_PLATFORMS)[number];

/** What this is built on. */
export const BUILDER: Platform = 'linux-x64';

/**
 * SHA-256 of `bin/node` (`node.exe` for Windows) in the npm package of each platform, version 24.21.0. The package's own sum is in package-lock.json,
 * where npm looks at it when it unpacks; this one holds at each build for what lies there by then.
 */
export const NODE_SHA256: Readonly<Record<AgentPlatform, string>> = {
  'linux-x64': '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
  'linux-arm64': '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
  'windows-x64': 'ba4e6d110e8c1592a1ecd390f6b05f3da124b13871a5be62b341a07a853c6c32',
};

/** The npm package with a platform's Node.js. */
export function nodePackage(platform: AgentPlatform): string {
  return `node-${platform === WINDOWS ? 'win-x64' : platform}`;
}

/** A program's file as it is released. */
export function programName(program: 'slipway' | 'slipway-controller', platform: AgentPlatform): string {
  return `${program}-${platform}${platform === WINDOWS ? '.exe' : ''}`;
}

/** Names of the two programs' files in dist/, one for each platform. */
export function distPath(program: 'slipway' | 'slipway-controller', platform: AgentPlatform): string {
  return join(root, 'dist', programName(program, platform));
}
