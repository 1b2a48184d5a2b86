import { it } from 'vitest'
import { boundsOr } from '../nightly/bounds.ts'
import { killAtRandom } from './random-kills.ts'

const bounds = boundsOr({ first: Date.now() % 1_000_000, count: 5 })

// Several times the expected duration: about 5 s per kill, and 20 s to start and stop the test.
const TIMEOUT_MS = 240_000 + bounds.count * 30_000

it(
  'executes an accepted webhook once or fails it with origin_lost, whatever is killed under load',
  async ({ task }) => {
    task.meta.figures = await killAtRandom(bounds)
  },
  TIMEOUT_MS,
)
