import { afterEach, describe, expect, it, vi } from 'vitest'
import { keyWarnings } from '../../../edge/triggers/key-warnings.ts'
import { storedKeyWarnings } from '../../../edge/triggers/stored-key-warnings.ts'
import { CID, env } from '../app.ts'
import { between } from '../http/front-harness.ts'

afterEach(() => vi.restoreAllMocks())

describe('warnings about a stored key', () => {
  it('state that the key was not checked if the origin does not respond in time', async () => {
    const left = between(() => new Promise(() => {}))
    const stored = { sealed: new Uint8Array(100), triggerId: 'T'.repeat(32), ownerId: 'owner' }
    const warnings = await storedKeyWarnings(env, Date.now, stored, CID, 50)
    expect(warnings).toEqual([expect.stringContaining('could not check whether the key')])
    expect(left).not.toEqual([])
  })

  it('state that an account key would be rejected at each run', () => {
    const warnings = keyWarnings({ key: 'account', mayExecute: true }, CID)
    expect(warnings).toEqual([expect.stringMatching(/an account key.* 403/)])
  })
})
