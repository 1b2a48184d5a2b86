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

it('limits the total weight of the values', () => {
  const recent = new LruCache<string>(5, (value) => value.length)
  for (const name of ['aa', 'bb']) recent.getOrCreate(name, () => name)
  expect(recent.get('aa')).toBe('aa')
  recent.getOrCreate('ccc', () => 'ccc')
  expect(['aa', 'bb', 'ccc'].map((name) => recent.get(name))).toEqual(['aa', undefined, 'ccc'])
  expect(recent.getOrCreate('too heavy', () => '123456')).toBe('123456')
  expect(['aa', 'ccc', 'too heavy'].map((name) => recent.get(name))).toEqual(
    Array(3).fill(undefined),
  )
})
