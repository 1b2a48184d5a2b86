import { it } from 'vitest'
import { FULL_LOAD, killAtRandom } from '../system/random-kills.ts'
import { boundsOr } from './bounds.ts'

it('executes each accepted webhook once or fails it with origin_lost at full load', async ({
  task,
}) => {
  task.meta.figures = await killAtRandom(boundsOr({ first: 1, count: 20 }), FULL_LOAD)
})
