import { joinBytes } from '../encoding/bytes.ts'

/** The members of `Response` that the reader uses, because shared code has no web types. */
export type Readable = {
  body: {
    cancel(): Promise<void>
    getReader(): {
      read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
      cancel(): Promise<void>
    }
  } | null
}

/** Returns undefined if the body is longer than `maxBytes`. The rest of the body is then cancelled. */
export async function readBoundedBody(
  response: Readable,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  const isWhole = await readChunks(response, maxBytes, (chunk) => void chunks.push(chunk))
  return isWhole ? joinBytes(...chunks) : undefined
}

/**
 * Passes each chunk on as it arrives, so that a large body need not be held twice.
 * @returns false if the body is longer than `maxBytes`; the rest of the body is then cancelled
 */
export async function readChunks(
  { body }: Readable,
  maxBytes: number,
  onChunk: (chunk: Uint8Array) => void,
): Promise<boolean> {
  const reader = body?.getReader()
  if (!reader) return true
  for (let total = 0; ;) {
    const { value } = await reader.read()
    if (!value) return true
    total += value.length
    if (total > maxBytes) {
      // An error of the stream must not replace the result that the body is too long.
      await reader.cancel().catch(() => {})
      return false
    }
    onChunk(value)
  }
}
