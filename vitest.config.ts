import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { unitFiles } from './build/project.ts';

export default defineConfig({
  test: {
    // One for each processor and one more, because tests that start programs wait for them; by itself Vitest leaves one idle.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        // As build/binary/bundle.ts does it.
        define: { SLIPWAY_UNITS: JSON.stringify(JSON.stringify(unitFiles())) },
        test: {
          name: 'unit',
          // No test measures time; a machine that is busy with other things must not fail one.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          // By itself a second, in which no program starts on such a machine.
          expect: { poll: { timeout: 300_000 } },
          globalSetup: 'test/support/tmp/own-tmp.ts',
          include: [
            'src/**/*.test.ts',
            'build/**/*.test.ts',
            'test/lab/**/*.test.ts',
            'test/support/**/*.test.ts',
            'test/cases/**/*.test.ts',
            'test/bench/**/*.test.ts',
          ],
        },
      },
    ],
  },
});
