import { readChunks, type Readable } from './bounded-body.ts'

export class BodyReadError extends Error {
  override name = 'BodyReadError'
  /** `too_large`: the body exceeded the limit. `cut`: the body ended prematurely. */
  readonly reason: 'too_large' | 'cut'
  constructor(reason: BodyReadError['reason']) {
    super(reason)
    this.reason = reason
  }
}

/**
 * @param maxBytes maximum size after decompression, at which reading stops
 * @throws {BodyReadError} if the body is too large or ends prematurely
 */
export async function readBoundedText(
  response: Readable & { headers: { get(name: string): string | null } },
  maxBytes: number,
): Promise<string> {
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await discardBody(response.body)
    throw new BodyReadError('too_large')
  }
  const decoder = new TextDecoder()
  let text = ''
  const append = (chunk: Uint8Array) => void (text += decoder.decode(chunk, { stream: true }))
  const isWhole = await readChunks(response, maxBytes, append).catch(() => {
    throw new BodyReadError('cut')
  })
  if (!isWhole) throw new BodyReadError('too_large')
  return text + decoder.decode()
}

export async function discardBody(body: { cancel(): Promise<void> } | null): Promise<void> {
  await body?.cancel().catch(() => {})
}
