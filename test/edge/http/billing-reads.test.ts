/** Reads of billing data through the edge. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { asHeader } from '../../doubles/core-script.ts'
import { edge } from '../app.ts'
import { asked, between, someKey } from './front-harness.ts'

afterEach(() => vi.restoreAllMocks())

const KEY = someKey()

describe('a billing read with a key', () => {
  it.each([
    '/core/v1/billing/balance',
    '/core/v1/billing/usage',
    '/core/v1/billing/usage?from=2026-05-01&to=2026-05-31&format=csv',
  ])('is sealed, including its query: %s', async (path) => {
    const left = between()
    const headers = { 'x-api-key': KEY, accept: 'text/csv' }
    const request = await asked(path, { headers })
    expect(request).toMatchObject({ method: 'GET', sealed: true, headers })
    expect(request.path + request.query).toBe(path)
    expect(left.some(({ url }) => url.includes('billing'))).toBe(false)
  })

  it('with a wallet proof is sealed like one with a key', async () => {
    const headers = { 'x-wallet-auth': 'proof' }
    expect(await asked('/core/v1/billing/usage', { headers })).toMatchObject({
      sealed: true,
      headers,
    })
  })
})

describe('usage as CSV', () => {
  const table = 'day,key_name,cents\r\n2026-05-22,"é, ""a""\nb",12\r\n'
  const headers: [string, string][] = [
    ['content-type', 'text/csv; charset=utf-8; header=present'],
    ['content-disposition', 'attachment; filename="usage.csv"'],
    ['x-total-count', '1'],
    ['vary', 'accept'],
  ]

  it('arrives byte for byte, as a file with its name', async () => {
    const script = asHeader({ headers, text: table })
    const response = await edge('/core/v1/billing/usage?format=csv', {
      headers: { authorization: `Bearer ${KEY}`, ...script },
    })
    expect(response.status).toBe(200)
    for (const [name, value] of headers)
      expect([name, response.headers.get(name)]).toEqual([name, value])
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(bytes).toEqual(new TextEncoder().encode(table))
  })
})
