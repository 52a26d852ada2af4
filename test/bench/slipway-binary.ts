import { existsSync } from 'node:fs';
import { binaryPath } from '../../build/project.ts';
import { BenchError } from './measure/measure.ts';

/** The built binary. @throws BenchError where there is none. */
export function slipwayBinary(): string {
  if (!existsSync(binaryPath))
    throw new BenchError('there is no dist/slipway-linux-x64: npm run build makes it');
  return binaryPath;
}
