import { it } from 'vitest'
import { boundsOr } from '../nightly/bounds.ts'
import { killAtRandom } from './random-kills.ts'

const bounds = boundsOr({ first: Date.now() % 1_000_000, count: 5 })

/** A kill takes about 5 s, and the start and the end of the test together about 20 s: several times that. */
const TIMEOUT_MS = 240_000 + bounds.count * 30_000

it(
  'a 202 is executed once or origin_lost, never twice, whatever is killed under load',
  async ({ task }) => {
    task.meta.figures = await killAtRandom(bounds)
  },
  TIMEOUT_MS,
)
