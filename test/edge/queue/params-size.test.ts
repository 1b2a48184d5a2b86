import { describe, expect, it } from 'vitest'
import { eventParams, type WebhookFiring } from '../../../edge/queue/firing.ts'
import { paramsRefusal } from '../../../edge/queue/params-size.ts'
import { WEBHOOK_BODY_MAX_BYTES } from '../../../shared/limits.ts'

const MIB = 1024 * 1024

/** Returns the rejection for an event of `size` equal bytes, if any. */
function refusalOf(byte: number, size: number) {
  const firing: WebhookFiring = {
    source: 'webhook',
    method: 'POST',
    url: 'https://edge.test/webhook/x',
    query: {},
    receivedAt: 0,
    contentType: 'text/plain',
    headers: {},
  }
  const body = new Uint8Array(size).fill(byte)
  return paramsRefusal(JSON.stringify(eventParams(firing, body)))
}

describe('params above the origin’s limit', () => {
  it('are rejected with the origin’s message: two megabytes of control characters', () => {
    expect(refusalOf(1, WEBHOOK_BODY_MAX_BYTES)).toMatchObject({
      status: 413,
      message: expect.stringMatching(/^js_params: 2516\d{4} bytes exceed the limit of 8388608/),
    })
  })

  it.each([
    ['letters', 0x78],
    ['bytes that are no text', 0xff],
  ])('cannot come from the largest event of %s', (_, byte) => {
    expect(refusalOf(byte, WEBHOOK_BODY_MAX_BYTES)).toBeUndefined()
  })

  it('cannot come from an event of half a megabyte', () => {
    expect(refusalOf(1, MIB / 2)).toBeUndefined()
  })
})
