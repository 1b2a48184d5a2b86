import { it } from 'vitest'
import { boundsOr } from '../nightly/bounds.ts'
import { killAtRandom } from './random-kills.ts'

const bounds = boundsOr({ first: Date.now() % 1_000_000, count: 5 })

/** Several times what a kill takes, and what comes before and after all of them. */
const TIMEOUT_MS = 240_000 + bounds.count * 30_000

it(
  'a 202 is executed once or origin_lost, never twice, whatever is killed under load',
  async ({ task }) => {
    task.meta.figures = await killAtRandom(bounds)
  },
  TIMEOUT_MS,
)
