import { expect, it } from 'vitest'
import { readBoundedBody } from '../../shared/network/bounded-body.ts'

/** A body of two chunks of three bytes. */
const body = (source: { cancel?: () => void | Promise<void> } = {}) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array([1, 2, 3]))
      controller.enqueue(new Uint8Array([4, 5, 6]))
      if (!source.cancel) controller.close()
    },
    ...source,
  })

it('returns a body of exactly the limit', async () => {
  expect(await readBoundedBody({ body: body() }, 6)).toEqual(new Uint8Array([1, 2, 3, 4, 5, 6]))
})

it('cancels a body that is longer than the limit', async () => {
  let isCancelled = false
  const source = { cancel: () => void (isCancelled = true) }
  expect(await readBoundedBody({ body: body(source) }, 5)).toBeUndefined()
  expect(isCancelled).toBe(true)
})

it('reports a body that is too long even if cancelling it fails', async () => {
  const source = { cancel: () => Promise.reject(new Error('connection lost')) }
  expect(await readBoundedBody({ body: body(source) }, 5)).toBeUndefined()
})

it('returns no bytes for a response without a body', async () => {
  expect(await readBoundedBody({ body: null }, 0)).toEqual(new Uint8Array())
})
