import type { Command } from '../../../document/document.ts';
import type { Diagnostics } from '../../../text/diagnostics.ts';
import type { YamlNode } from '../../../text/yaml/yaml-node.ts';
import { readShellItems } from './shell.ts';

/** `bootcmd`: commands for every boot; they run before files are written (cloud-init's `cc_bootcmd`). */
export function readBootcmd(node: YamlNode, diagnostics: Diagnostics): Command[] {
  return readShellItems(node, 'bootcmd', diagnostics).map((item) => item.command);
}
