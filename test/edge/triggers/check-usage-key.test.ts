import { afterEach, describe, expect, it, vi } from 'vitest'
import { checkUsageKey } from '../../../edge/triggers/check-usage-key.ts'
import { SEALED_KEYS_PATH } from '../../../shared/wire/sealed-keys.ts'
import { CID, env } from '../app.ts'
import { between } from '../http/front-harness.ts'

afterEach(() => vi.restoreAllMocks())

const check = (key: string) => checkUsageKey(env, Date.now, { api_key: key }, CID)

describe('the check of a usage key by the origin', () => {
  it.each([
    ['usage-1', { key: 'usage', mayExecute: true }],
    ['forbidden-1', { key: 'usage', mayExecute: false }],
    ['account-1', { key: 'account', mayExecute: true }],
    ['unknown-1', { key: 'unknown', mayExecute: false }],
  ])('classifies %s', async (key, said) => {
    expect(await check(key)).toEqual(said)
  })

  it('eavesdropping: sends the key only inside the envelope', async () => {
    const left = between()
    await check('usage-canary')
    const [call] = left.filter((request) => new URL(request.url).pathname === SEALED_KEYS_PATH)
    expect(call).toBeDefined()
    expect(
      JSON.stringify(left.map((request) => [request.url, [...request.headers]])),
    ).not.toContain('canary')
  })

  it('fails if the origin is unreachable', async () => {
    between(() => Promise.reject(new Error('refused')))
    await expect(check('usage-1')).rejects.toMatchObject({ name: 'OriginUnavailableError' })
  })
})
