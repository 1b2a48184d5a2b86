import { expect, it } from 'vitest'
import { LruCache } from '../../origin/lru-cache.ts'

it('caches the most recently used values, and recreates evicted ones', () => {
  const recent = new LruCache<string>(2)
  const made: string[] = []
  const ask = (name: string) =>
    recent.getOrCreate(name, () => (made.push(name), name.toUpperCase()))
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(ask)).toEqual(['A', 'B', 'A', 'C', 'A', 'B'])
  expect(made).toEqual(['a', 'b', 'c', 'b'])
})
