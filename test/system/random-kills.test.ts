import { it } from 'vitest'
import { killAtRandom } from './random-kills.ts'

it('edge and origin killed at random moments under load: every 202 is executed once or origin_lost, none twice', async () => {
  await killAtRandom({ kills: 5, seed: Date.now() % 1_000_000 })
})
