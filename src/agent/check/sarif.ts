import { placeText } from '../../kit/position.ts';
import type { LintFinding } from './lint-document.ts';
import { RULES } from './lint-document.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** What was found in files, as SARIF 2.1.0, which forges show beside the lines. */
export function asSarif(
  checked: readonly { file: string; findings: readonly LintFinding[] }[],
  version: string,
): string {
  const rules = RULES.map(({ id, severity, title, why, remedy }) => ({
    id,
    shortDescription: { text: title },
    fullDescription: { text: why },
    help: { text: remedy },
    defaultConfiguration: { level: severity },
  }));
  const results = checked.flatMap(({ file, findings }) =>
    findings.map(({ rule, severity, message, where }) => ({
      ruleId: rule,
      level: severity,
      message: { text: plain(where?.within === undefined ? message : `${placeText(where)}: ${message}`) },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
            // A forge shows the file alone, and lines of another text mean nothing in it.
            region:
              where === undefined || where.within !== undefined
                ? { startLine: 1, startColumn: 1 }
                : { startLine: where.line, startColumn: where.column },
          },
        },
      ],
    })),
  );
  const known = new Set(RULES.map(({ id }) => id));
  const codes = [...new Set(results.map(({ ruleId }) => ruleId))].filter((id) => !known.has(id));
  const driver = { name: 'slipway', version, rules: [...rules, ...codes.map((id) => ({ id }))] };
  return JSON.stringify(
    { $schema: SCHEMA, version: '2.1.0', runs: [{ tool: { driver }, results }] },
    undefined,
    2,
  );
}

/** Without links, which `[text](address)` makes in a message (SARIF 3.11.6): who wrote the user data would choose where they lead. */
function plain(message: string): string {
  return message.replaceAll('](', '] (');
}
