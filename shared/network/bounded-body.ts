import { joinBytes } from '../encoding/bytes.ts'

/** The members of `Response` that the reader uses, because shared code has no web types. */
type Readable = {
  body: {
    getReader(): {
      read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
      cancel(): Promise<void>
    }
  } | null
}

/** If the body is longer than `maxBytes`, cancels it and returns undefined. */
export async function readBoundedBody(
  { body }: Readable,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const reader = body?.getReader()
  if (!reader) return new Uint8Array()
  const chunks: Uint8Array[] = []
  for (let total = 0; ;) {
    const { value } = await reader.read()
    if (!value) return joinBytes(...chunks)
    total += value.length
    if (total > maxBytes) {
      await reader.cancel()
      return undefined
    }
    chunks.push(value)
  }
}
