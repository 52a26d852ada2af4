import { gzipSync } from 'node:zlib';
import { CLOUDS, countedSize } from '../../../kit/bytes/user-data-limits.ts';
import type { Rule } from '../rule/rule.ts';

export const SIZE_RULES: readonly Rule[] = [
  {
    id: 'larger-than-a-cloud-takes',
    severity: 'note',
    title: 'Some clouds do not accept user data of this size',
    why: "The cloud refuses to create the machine, or truncates the user data. With --cloud NAME, exceeding that cloud's limit is an error.",
    remedy:
      'Compress it with gzip if the provider does not, move files into the image, or fetch them by digest.',
    example: {
      wrong: `write_files:\n- {path: /a, content: ${'x'.repeat(16_500)}}\n`,
      right: 'write_files:\n- {path: /a, content: x}\n',
    },
    find: ({ raw }) => {
      const over = CLOUDS.filter((cloud) => countedSize(cloud, raw.length) > cloud.bytes);
      if (over.length === 0) return [];
      const zipped = gzipSync(raw).length;
      const told = over.map((cloud) => {
        const fits = countedSize(cloud, zipped) <= cloud.bytes;
        return `${cloud.name} (${cloud.bytes}${fits ? ', fits with gzip' : ''})`;
      });
      const sizes = `${raw.length} bytes, ${Math.ceil(raw.length / 3) * 4} as base64, ${zipped} with gzip`;
      return [{ message: `${sizes}: more than the limit of ${told.join(', ')}.` }];
    },
  },
];
