/** Endpoints that need no key. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

type Request = { method?: string; body?: unknown }
const CID = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o'
const ACCOUNT = { account_name: 'a', account_description: '' }

const OPEN: [string, Request, readonly number[]][] = [
  ['/core/v1/new_account', { body: ACCOUNT }, [200]],
  ['/core/v1/get_svc_action_ipfs_id', { body: 'text' }, [200]],
  [`/core/v1/get_svc_action_wallet?action_ipfs_cid=${CID}`, {}, [200]],
  ['/get_node_chain_config', {}, [200]],
  ['/core/v1/swagger-ui', {}, [200]],
  ['/core/v1/billing/processor_config', {}, [200, 503]],
  ['/attestation', {}, [200]],
  ['/attestation/bundle', {}, [200]],
  ['/info', {}, [200]],
  ['/evidences/', {}, [200]],
  ['/evidences/sha256sum.txt', {}, [200]],
  ['/evidences/quote.json', {}, [200]],
  ['/evidences/cert-origin.test.pem', {}, [200]],
  ['/evidences/acme-account.json', {}, [200]],
]

describe.each(OPEN)('%s', (path, request, statuses) => {
  it('is served without a key', async () => {
    const { status, headers } = await origin.call(path, request)
    expect(statuses).toContain(status)
    expect(headers.has('retry-after')).toBe(status === 503)
  })

  it('ignores a key that is sent anyway', async () => {
    for (const headers of [{ 'x-api-key': 'nobody' }, { authorization: 'Bearer nobody' }])
      expect(statuses).toContain((await origin.call(path, { ...request, headers })).status)
  })
})
