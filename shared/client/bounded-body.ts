import { joinBytes } from '../envelope/format.ts'

/** Cancels a body that is longer than `maxBytes`, and returns undefined. */
export async function readBoundedBody(
  response: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const reader = response.body?.getReader()
  if (!reader) return new Uint8Array()
  const chunks: Uint8Array[] = []
  for (let total = 0; ;) {
    const { done, value } = await reader.read()
    if (done) return joinBytes(...chunks)
    total += value.length
    if (total > maxBytes) {
      await reader.cancel()
      return undefined
    }
    chunks.push(value)
  }
}
