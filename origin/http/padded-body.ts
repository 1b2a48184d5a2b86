import { PAD_BYTE } from '../../shared/wire/sealed-http.ts'
import { undefinedAfter } from '../timeout.ts'

/**
 * Returns the bytes if they are ready in time. Otherwise returns a stream that starts with padding bytes, so that
 * proxies do not consider the connection dead.
 * @param padMs time before the first padding byte and between padding bytes, in milliseconds
 */
export async function paddedBody(
  bytes: Promise<Uint8Array<ArrayBuffer>>,
  padMs: number,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  return (await undefinedAfter(padMs, bytes)) ?? paddedStream(bytes, padMs)
}

function paddedStream(
  sealed: Promise<Uint8Array<ArrayBuffer>>,
  padMs: number,
): ReadableStream<Uint8Array> {
  let timer: NodeJS.Timeout | undefined
  let isOpen = true
  const pad = Uint8Array.of(PAD_BYTE)
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(pad)
      timer = setInterval(() => controller.enqueue(pad), padMs)
      const finish = (end: () => void) => {
        clearInterval(timer)
        if (isOpen) end()
      }
      sealed.then(
        (bytes) =>
          finish(() => {
            controller.enqueue(bytes)
            controller.close()
          }),
        (error: unknown) => finish(() => controller.error(error)),
      )
    },
    cancel: () => {
      isOpen = false
      clearInterval(timer)
    },
  })
}
