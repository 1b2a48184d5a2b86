import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Tests that take too long for every change. Run by `npm run test:nightly`, never by `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    name: 'nightly',
    include: ['test/nightly/**/*.test.ts', 'test/origin/ethers/{published,likeness}/*.test.ts'],
    globalSetup: ['test/origin/db/server-setup.ts'],
    // The ethers tests then use all vectors and search longer for differences.
    env: { TEST_NIGHTLY: '1' },
    testTimeout: 2 * 60 * 60 * 1000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
})
