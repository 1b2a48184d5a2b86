import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** What takes too long for every change; by `npm run test:nightly`, never by `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    name: 'nightly',
    include: ['test/nightly/**/*.test.ts'],
    testTimeout: 2 * 60 * 60 * 1000,
    fileParallelism: false,
  },
})
