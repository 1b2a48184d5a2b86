import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { Deliveries, recordDelivery } from '../../../edge/queue/deliveries.ts'
import { DELIVERY_RETENTION_MS } from '../../../shared/limits.ts'
import { createTrigger, queueOf, someOwner } from '../app.ts'

const owner = await someOwner()

async function withDeliveries(test: (deliveries: Deliveries, sql: SqlStorage) => void) {
  const { id } = await createTrigger(owner)
  await runInDurableObject(queueOf(id), (_, { storage }) =>
    test(new Deliveries(storage.sql), storage.sql),
  )
}

const count = (sql: SqlStorage) => sql.exec('SELECT count(*) AS n FROM deliveries').one().n

describe('a delivery ID', () => {
  it('is recognized for exactly 24 hours', () =>
    withDeliveries((deliveries, sql) => {
      recordDelivery(sql, 'a', 'run', 1_000)
      expect(deliveries.findRun('a', 1_000 + DELIVERY_RETENTION_MS)).toBe('run')
      expect(deliveries.findRun('a', 1_001 + DELIVERY_RETENTION_MS)).toBeUndefined()
      expect(deliveries.findRun('b', 1_000)).toBeUndefined()
    }))

  it('is recognized while the clock is set back', () =>
    withDeliveries((deliveries, sql) => {
      recordDelivery(sql, 'a', 'run', 10_000_000)
      expect(deliveries.findRun('a', 10_000_000 - 3_600_000)).toBe('run')
    }))

  it('that expired is assigned to the next run with it', () =>
    withDeliveries((deliveries, sql) => {
      const later = DELIVERY_RETENTION_MS + 1
      recordDelivery(sql, 'a', 'first', 0)
      recordDelivery(sql, 'a', 'second', later)
      expect(deliveries.findRun('a', later)).toBe('second')
    }))
})

describe('expired delivery IDs', () => {
  it('are deleted in batches by the alarm, which is set for the next one', () =>
    withDeliveries((deliveries, sql) => {
      for (let i = 0; i < 300; i++) recordDelivery(sql, `old ${i}`, 'run', i)
      recordDelivery(sql, 'young', 'run', DELIVERY_RETENTION_MS)
      const now = DELIVERY_RETENTION_MS + 1_000
      expect(deliveries.runDue(now)).toBeLessThanOrEqual(now)
      expect(count(sql)).toBe(45)
      expect(deliveries.runDue(now)).toBe(2 * DELIVERY_RETENTION_MS + 1)
      expect(count(sql)).toBe(1)
      expect(deliveries.runDue(2 * DELIVERY_RETENTION_MS + 1)).toBeUndefined()
      expect(count(sql)).toBe(0)
    }))

  it('need no alarm if there are none', () =>
    withDeliveries((deliveries) => expect(deliveries.runDue(0)).toBeUndefined()))
})
