import { describe, expect, it } from 'vitest'
import { LargeBodies } from '../../../edge/http/core/large-bodies.ts'
import { readBodyWithRoom } from '../../../edge/http/core/request-body.ts'
import { ApiError } from '../../../shared/errors.ts'
import { BODY_WITHIN_MS, CORE_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import { edge } from '../app.ts'
import { someKey } from './front-harness.ts'

const MIB = 1024 * 1024

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'taken',
    (error: unknown) => (error instanceof ApiError ? error.status : error),
  )

/** A body whose sender has sent so much and then waits. */
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

describe('a flood of large bodies under made-up keys', () => {
  it('does not fill the isolate’s memory: what has no room beside the others is 503', async () => {
    const bodies = new LargeBodies(Date.now)
    const read = (request: Request) => {
      const share = bodies.begin()
      const limits = { maxBytes: CORE_BODY_MAX_BYTES, roomBytes: 0, share }
      return readBodyWithRoom(request, limits).finally(() => share.end())
    }
    const senders = Array.from({ length: 8 }, () => held(CORE_BODY_MAX_BYTES / 2))
    const answers = senders.map(({ body }) => refusal(read(postOf(body))))
    // Those that are refused are so at once; the others wait for the rest of their bodies.
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

  it('leaves room for small ones, and for one of the largest once they are gone', async () => {
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

  it('holds nobody up for longer than a body may take, whose clients vanish without a word', () => {
    let now = 0
    const bodies = new LargeBodies(() => now)
    bodies.begin().grow(CORE_BODY_MAX_BYTES)
    const next = bodies.begin()
    expect(() => next.grow(MIB)).toThrow()
    now += BODY_WITHIN_MS
    next.grow(CORE_BODY_MAX_BYTES)
  })
})

it('a body that is sent slowly is ended: it holds memory meanwhile', async () => {
  const request = postOf(held(MIB).body)
  const share = new LargeBodies(Date.now).begin()
  const limits = { maxBytes: CORE_BODY_MAX_BYTES, roomBytes: 0, share, withinMs: 50 }
  expect(await refusal(readBodyWithRoom(request, limits))).toBe(400)
})
