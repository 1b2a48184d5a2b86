import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type TestOrigin } from './origin.ts'

/** Requests the wallet's key once a second until the request is refused, at most nine times. */
const KEY_UNTIL_REFUSED = `async function main({ pkpId }) {
  for (let n = 0; n < 9; n++) {
    await Svc.Actions.getPrivateKey({ pkpId })
    await new Promise((resume) => setTimeout(resume, 1000))
  }
  return 'never refused'
}`
/** Requests the wallet's key after running for a while. */
const LATE_KEY = `async function main({ pkpId }) {
  await new Promise((resume) => setTimeout(resume, 1500))
  return await Svc.Actions.getPrivateKey({ pkpId })
}`
const KEY = 'async function main({ pkpId }) { return await Svc.Actions.getPrivateKey({ pkpId }) }'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

async function holder() {
  const master = await origin.account()
  const { pkp_id: pkpId } = await origin.wallet(master)
  const group = await origin.group(master, {
    pkp_ids_permitted: [pkpId],
    cid_hashes_permitted: [0],
  })
  const usage = await origin.usageKey(master, { execute_in_groups: [group] })
  const remove = async () => {
    const body = { usage_api_key: usage }
    expect((await origin.core('remove_usage_api_key', { key: master, body })).status).toBe(200)
  }
  return { master, pkpId, group, usage, remove }
}

/** Sends the head and the beginning of the body, and the rest when `meanwhile` is done. */
async function slowly(
  key: string,
  code: string,
  js_params: object,
  meanwhile: () => Promise<void>,
) {
  const text = Buffer.from(JSON.stringify({ code, js_params }))
  const body = new ReadableStream<Uint8Array>({
    async start(stream) {
      stream.enqueue(text.subarray(0, 10))
      await new Promise((resume) => setTimeout(resume, 50))
      await meanwhile()
      stream.enqueue(text.subarray(10))
      stream.close()
    },
  })
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  const request = new Request('https://origin.test/core/v1/svc_action', {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  })
  const response = await origin.app.request(request)
  return { status: response.status, text: await response.text() }
}

describe('a revocation', () => {
  it('attack: cannot be delayed by a body that is sent slowly', async () => {
    const { usage, pkpId, remove } = await holder()
    const { status, text } = await slowly(usage, KEY, { pkpId }, remove)
    expect([status, JSON.parse(text).error]).toEqual([401, 'unauthorized'])
  })

  it('attack: stops a run that started before it from getting a key after it', async () => {
    const { usage, pkpId, remove } = await holder()
    const run = origin.run(usage, KEY_UNTIL_REFUSED, { pkpId })
    await expect.poll(() => origin.logs.at(-1)?.event, { timeout: 60_000 }).toBe('run.started')
    await remove()
    const { status, body } = await run
    expect([status, body]).toEqual([500, expect.stringContaining('has been revoked')])
    expect(body).not.toMatch(/0x[0-9a-f]{64}\b.*0x[0-9a-f]{64}/)
  })

  it('of a permission applies to the rest of a run too', async () => {
    const { master, group, usage, pkpId } = await holder()
    const run = origin.run(usage, KEY_UNTIL_REFUSED, { pkpId })
    await expect.poll(() => origin.logs.at(-1)?.event, { timeout: 60_000 }).toBe('run.started')
    const body = { group_id: group, pkp_id: pkpId }
    const removed = await origin.core('remove_pkp_from_group', { key: master, body })
    expect(removed.status).toBe(200)
    expect(await run).toMatchObject({
      status: 500,
      body: expect.stringContaining('are not in the same group'),
    })
  })

  it('does not affect a run of another key in flight', async () => {
    const { master, pkpId, remove } = await holder()
    const run = origin.run(master, LATE_KEY, { pkpId })
    await expect.poll(() => origin.logs.at(-1)?.event, { timeout: 60_000 }).toBe('run.started')
    await remove()
    expect(await run).toMatchObject({
      status: 200,
      body: { response: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    })
  })
})
