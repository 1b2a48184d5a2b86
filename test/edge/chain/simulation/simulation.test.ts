import { expect, inject, it } from 'vitest'
import { playSeeds, SEED_TIMEOUT_MS } from './seeds.ts'

const { first, count: all } = inject('simulation')
/** `further-seeds.test.ts` plays the other half, in parallel. */
const count = Math.ceil(all / 2)

it(
  'creates one run per event and marks the reorged ones, whatever the chain and its endpoints do',
  async ({ task }) => {
    const filters = await playSeeds({ first, count }, task.meta)
    if (first !== 1) return
    expect(filters.filter(({ every }) => every !== undefined)).toHaveLength(7)
    expect(filters.filter(({ createdFrom }) => createdFrom !== undefined).length).toBeGreaterThan(2)
    expect(filters.filter(({ transactions }) => transactions !== undefined)).toHaveLength(7)
  },
  count * SEED_TIMEOUT_MS,
)
