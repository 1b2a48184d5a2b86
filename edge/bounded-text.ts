/** Thrown if a response body was not read completely. */
export class TextCut extends Error {
  override name = 'TextCut'
  /** `too_large`: the body exceeded the limit. `cut`: it ended prematurely. */
  readonly reason: 'too_large' | 'cut'
  constructor(reason: TextCut['reason']) {
    super(reason)
    this.reason = reason
  }
}

/**
 * @param maxBytes maximum size after decompression, at which reading stops
 * @throws {TextCut} if the body is too large or ends prematurely
 */
export async function boundedText(answer: Response, maxBytes: number): Promise<string> {
  if (Number(answer.headers.get('content-length') ?? 0) > maxBytes) {
    await cancel(answer.body)
    throw new TextCut('too_large')
  }
  const reader = answer.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new TextCut('cut')
    })
    if (done) return text + decoder.decode()
    length += value.length
    if (length > maxBytes) {
      await cancel(reader)
      throw new TextCut('too_large')
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Discards the rest of a response body. Ignores errors. */
export async function cancel(body: { cancel(): Promise<void> } | null): Promise<void> {
  await body?.cancel().catch(() => {})
}
