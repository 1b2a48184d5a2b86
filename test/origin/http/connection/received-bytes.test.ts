import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ReceivedBytes } from '../../../../origin/http/connection/received-bytes.ts'

it('returns what was added, in order, however it is split', () => {
  const step = fc.oneof(
    fc.record({ add: fc.integer({ min: 1, max: 3_000 }) }),
    fc.record({ take: fc.integer({ min: 1, max: 5_000 }) }),
    fc.constant({ clear: true as const }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const received = new ReceivedBytes()
      let expected: number[] = []
      let next = 0
      for (const one of steps) {
        if ('clear' in one) {
          received.clear()
          expected = []
        } else if ('add' in one) {
          const bytes = Array.from({ length: one.add }, () => next++ % 251)
          received.add(Buffer.from(bytes))
          expected.push(...bytes)
        } else if (expected.length > 0) {
          const first = received.first(one.take)
          expect(first.length).toBeGreaterThan(0)
          expect(first.length).toBeLessThanOrEqual(one.take)
          expect([...first]).toEqual(expected.splice(0, first.length))
          received.skip(first.length)
        }
        expect(received.length).toBe(expected.length)
      }
    }),
  )
})

it('attack: stores 64 KiB in pieces of one byte without a buffer for each', () => {
  const received = new ReceivedBytes()
  for (let n = 0; n < 64 * 1024; n++) received.add(Buffer.from([n % 256]))
  let pieces = 0
  for (; received.length > 0; pieces++)
    received.skip(received.first(Number.MAX_SAFE_INTEGER).length)
  expect(pieces).toBeLessThan(20)
})
