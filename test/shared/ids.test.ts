import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseTriggerId, triggerIdOfRun } from '../../shared/ids.ts'

const trigger = randomBytes(24)
const id = trigger.toString('base64url')
const run = id + randomBytes(12).toString('base64url')

describe('IDs', () => {
  it('a trigger ID consists of its random part and its MAC', () => {
    const parsed = parseTriggerId(id)
    expect(parsed?.random).toEqual(Uint8Array.from(trigger.subarray(0, 16)))
    expect(parsed?.mac).toEqual(Uint8Array.from(trigger.subarray(16)))
  })

  it('a run ID contains its trigger ID', () => {
    expect(triggerIdOfRun(run)).toBe(id)
  })

  it('rejects texts of another format', () => {
    for (const text of ['', id.slice(1), `${id}A`, `${id.slice(1)}!`, `${id.slice(1)}é`])
      expect(parseTriggerId(text)).toBeUndefined()
    for (const text of ['', id, run.slice(1), `${run}A`, `${run.slice(1)}=`])
      expect(triggerIdOfRun(text)).toBeUndefined()
  })
})
