import { describe, expect, it } from 'vitest'
import { BodyMemory } from '../../../edge/http/core/body-memory.ts'
import { readBodyWithRoom } from '../../../edge/http/core/request-body.ts'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { BODY_TIMEOUT_MS, CORE_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import { edge } from '../app.ts'
import { someKey } from './front-harness.ts'

const MIB = 1024 * 1024

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'taken',
    (error: unknown) => (error instanceof ApiError ? error.status : error),
  )

/** Creates a body with a sender that sends this many bytes and then stalls. */
function held(bytes: number) {
  const { readable, writable } = new TransformStream<Uint8Array>()
  const writer = writable.getWriter()
  const parts = Array.from({ length: bytes / MIB }, () => writer.write(new Uint8Array(MIB)))
  const sent = Promise.all(parts).catch(() => {})
  return { body: readable, sent, end: () => writer.close().catch(() => {}) }
}

const postOf = (body: BodyInit) =>
  new Request('https://edge.test/core/v1/svc_action', {
    method: 'POST',
    body,
    headers: { 'x-api-key': someKey() },
  })

describe('memory: a flood of large bodies with invented keys', () => {
  it('does not fill the memory of the isolate: bodies without room get 503', async () => {
    const bodies = new BodyMemory(Date.now)
    const read = (request: Request) => {
      const share = bodies.open()
      const limits = { maxBytes: CORE_BODY_MAX_BYTES, roomBytes: 0, share }
      return readBodyWithRoom(request, limits).finally(() => share.close())
    }
    const senders = Array.from({ length: 8 }, () => held(CORE_BODY_MAX_BYTES / 2))
    const answers = senders.map(({ body }) => refusal(read(postOf(body))))
    // Rejected requests are rejected immediately. The others wait for the rest of their bodies.
    const settled = await Promise.all(
      answers.map((answer) =>
        Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 300, 'held'))]),
      ),
    )
    for (const { end } of senders) void end()
    await Promise.all(answers)
    expect(settled.filter((answer) => answer === 'held').length).toBeLessThanOrEqual(2)
    expect(new Set(settled)).toEqual(new Set(['held', 503]))
  })

  it('leaves room for small bodies, and for one of the largest size once the others are done', async () => {
    const statusOf = async (body: BodyInit) => {
      const answer = await edge('/core/v1/svc_action', postOf(body))
      await answer.arrayBuffer()
      return answer.status
    }
    const first = held(20 * MIB)
    const answered = statusOf(first.body)
    await first.sent
    expect(await statusOf(new Uint8Array(20 * MIB))).toBe(503)
    expect(await statusOf(new Uint8Array(MIB / 5))).toBe(200)
    void first.end()
    expect(await answered).toBe(200)
    expect(await statusOf(new Uint8Array(CORE_BODY_MAX_BYTES))).toBe(200)
  })

  it('frees the room of clients that vanish after the time limit for bodies', () => {
    let now = 0
    const bodies = new BodyMemory(() => now)
    bodies.open().grow(CORE_BODY_MAX_BYTES)
    const next = bodies.open()
    expect(() => next.grow(MIB)).toThrow()
    now += BODY_TIMEOUT_MS
    next.grow(CORE_BODY_MAX_BYTES)
  })
})

it('slow loris: aborts a slow body, because it holds memory', async () => {
  const request = postOf(held(MIB).body)
  const share = new BodyMemory(Date.now).open()
  const limits = { maxBytes: CORE_BODY_MAX_BYTES, roomBytes: 0, share, withinMs: 50 }
  expect(await refusal(readBodyWithRoom(request, limits))).toBe(400)
})
