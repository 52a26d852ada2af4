import type { Command } from '../../../document/document.ts';
import type { Report } from '../../../text/diagnostics.ts';
import type { Node } from '../../../text/yaml/yaml-node.ts';
import { readShellItems } from './shell.ts';

/** `bootcmd`: commands for every boot; they run before files are written (cloud-init's `cc_bootcmd`). */
export function readBootcmd(node: Node, report: Report): Command[] {
  return readShellItems(node, 'bootcmd', report).map((item) => item.command);
}
