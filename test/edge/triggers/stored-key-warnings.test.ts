import { afterEach, describe, expect, it, vi } from 'vitest'
import { keyWarnings } from '../../../edge/triggers/key-warnings.ts'
import { storedKeyWarnings } from '../../../edge/triggers/stored-key-warnings.ts'
import { CID, env } from '../app.ts'
import { between } from '../http/front-harness.ts'

afterEach(() => vi.restoreAllMocks())

describe('what is said of a stored key', () => {
  it('is that nobody could tell, where the origin answers nothing in time', async () => {
    const left = between(() => new Promise(() => {}))
    const stored = { sealed: new Uint8Array(100), triggerId: 'T'.repeat(32), ownerId: 'owner' }
    const warnings = await storedKeyWarnings(env, Date.now, stored, CID, 50)
    expect(warnings).toEqual([expect.stringContaining('could not be asked now')])
    expect(left).not.toEqual([])
  })

  it('is that it became the key of an account: each run would be refused', () => {
    const warnings = keyWarnings({ key: 'account', mayExecute: true }, CID)
    expect(warnings).toEqual([expect.stringMatching(/key of an account .* 403/)])
  })
})
