import { omitUndefined } from '../../../kit/json.ts';
import {
  type Comparison,
  type DiskExpectation,
  EXPECTED_NUMBERS,
  EXPECTED_WORDS,
  type Expectations,
} from '../../document/node-settings.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import type { Fields } from '../../text/yaml/fields.ts';
import { sections } from './fields.ts';

/** `expect`: what the machine is to be, and whether it is refused (`unmet: fail`) or warned of otherwise. */
export function readExpect(fields: Fields, diagnostics: Diagnostics): Expectations {
  const unmet = fields.text('unmet') ?? 'fail';
  if (unmet !== 'fail' && unmet !== 'warn') fields.wrong('unmet', 'unmet must be fail or warn.');
  const models = fields.node('gpus')?.kind === 'sequence';
  const expectations: Expectations = {
    unmet: unmet === 'warn' ? 'warn' : 'fail',
    numbers: EXPECTED_NUMBERS.flatMap((what) => {
      if (what === 'gpus' && models) return [];
      const comparison = compared(fields, what, what === 'memory');
      const where = fields.node(what)?.where;
      return comparison === undefined ? [] : [{ what, ...comparison, ...(where ? { where } : {}) }];
    }),
    words: EXPECTED_WORDS.flatMap((what) => {
      const value = what === 'secureBoot' ? flag(fields, what)?.toString() : fields.looseText(what);
      const where = fields.node(what)?.where;
      return value === undefined ? [] : [{ what, value, ...(where ? { where } : {}) }];
    }),
    disks: sections(fields.node('disks'), 'slipway.expect.disks', diagnostics).map(readDisk),
    gpuModels: models
      ? sections(fields.node('gpus'), 'slipway.expect.gpus', diagnostics).flatMap((gpu) => {
          const model = gpu.text('model');
          if (model === undefined && !gpu.has('model')) gpu.wrong('model', 'a GPU entry has no model.');
          gpu.refuseUnknown();
          return model === undefined ? [] : [model];
        })
      : [],
  };
  fields.refuseUnknown();
  return expectations;
}

function readDisk(fields: Fields): DiskExpectation {
  const size = compared(fields, 'size', true);
  const model = fields.text('model');
  const rotational = flag(fields, 'rotational');
  fields.refuseUnknown();
  return omitUndefined({ size, rotational, model });
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
};
const COMPARISON = /^\s*(?:(>=|<=|>|<|=)\s*)?(\d{1,15}(?:\.\d{1,6})?)(?:\s*([KMGTP]i|[kMGTP]))?\s*$/;

/** `>= 16Gi`, `2`; without a sign it is to be just so. */
function compared(fields: Fields, name: string, isSize: boolean): Comparison | undefined {
  const text = fields.looseText(name);
  if (text === undefined) return undefined;
  const [, op = '=', digits = '', unit = ''] = COMPARISON.exec(text) ?? [];
  const factor = UNITS[unit];
  if (digits === '' || factor === undefined || (unit !== '' && !isSize)) {
    fields.wrong(name, `${name} must be like ${isSize ? '">= 16Gi"' : '">= 2"'}, or a number.`);
    return undefined;
  }
  return { op: op as Comparison['op'], value: Number(digits) * factor, text: text.trim() };
}

function flag(fields: Fields, name: string): boolean | undefined {
  return fields.node(name) === undefined ? undefined : fields.bool(name, false);
}
