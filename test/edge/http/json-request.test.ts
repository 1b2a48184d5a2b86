import { afterEach, expect, it, vi } from 'vitest'
import { readJson } from '../../../edge/http/json-request.ts'
import { BODY_TIMEOUT_MS } from '../../../shared/limits.ts'

afterEach(() => vi.useRealTimers())

function post(body: BodyInit): Request {
  const headers = { 'content-type': 'application/json' }
  return new Request('https://edge.test/api/triggers', { method: 'POST', body, headers })
}

it('slow loris: rejects JSON that does not finish in time', async () => {
  vi.useFakeTimers()
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  void writer.write(new TextEncoder().encode('{"name":')).catch(() => {})
  const read = readJson(post(readable), 1_000)
  const refused = expect(read).rejects.toMatchObject({ status: 400, reason: 'body_too_slow' })
  await vi.advanceTimersByTimeAsync(BODY_TIMEOUT_MS)
  await refused
})

it('counts JSON without a content length while reading', async () => {
  const stream = () => new Blob([JSON.stringify({ name: 'x'.repeat(100) })]).stream()
  expect(await readJson(post(stream()), 111)).toEqual({ name: 'x'.repeat(100) })
  await expect(readJson(post(stream()), 110)).rejects.toMatchObject({ status: 413 })
})
