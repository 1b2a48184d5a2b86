import { it } from 'vitest'
import { killAtRandom } from '../system/random-kills.ts'

const ROUNDS = 5

it('fifty kills of edge and origin at random moments under load: no run lost, none executed twice', async () => {
  for (let round = 0; round < ROUNDS; round++)
    await killAtRandom({ kills: 10, seed: (Date.now() + round * 7919) % 1_000_000 })
})
