/** An answer that was not read to its end. */
export class TextCut extends Error {
  override name = 'TextCut'
  /** `cut`: it does not end as it should. */
  readonly reason: 'too_large' | 'cut'
  constructor(reason: TextCut['reason']) {
    super(reason)
    this.reason = reason
  }
}

/**
 * The text of an answer.
 * @param maxBytes after decompression; no more is read
 * @throws {TextCut}
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

/** Nobody reads the rest; that it can not be cancelled changes nothing. */
export async function cancel(body: { cancel(): Promise<void> } | null): Promise<void> {
  await body?.cancel().catch(() => {})
}
