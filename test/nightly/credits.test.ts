import { it } from 'vitest'
import { playSeeds } from '../origin/credits/simulation/seeds.ts'

/** Fewer, for a look at the campaign itself. */
const SEEDS = Number(process.env['SVC_NIGHTLY_SEEDS'] ?? 10_000)

const COMMAND = 'npx vitest run --config test/nightly/vitest.config.ts test/nightly/credits.test.ts'

it('10,000 seeds of money under every failure: nothing is charged or credited twice, lost or overdrawn', async () => {
  await playSeeds({ first: 1, count: SEEDS, command: COMMAND }, (done) =>
    console.info(`${done} of ${SEEDS} seeds`),
  )
})
