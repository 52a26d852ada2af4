import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'build/**/*.test.ts',
            'test/lab/**/*.test.ts',
            'test/bench/**/*.test.ts',
          ],
        },
      },
    ],
  },
});
