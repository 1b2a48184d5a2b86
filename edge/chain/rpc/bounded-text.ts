import { EndpointFailed } from './endpoint-failure.ts'

/**
 * The text of an answer.
 * @param maxBytes after decompression; no more is read
 * @throws {EndpointFailed} `too_large`, or `cut` where it does not end as it should
 */
export async function boundedText(answer: Response, maxBytes: number): Promise<string> {
  if (Number(answer.headers.get('content-length') ?? 0) > maxBytes) {
    await cancel(answer.body)
    throw new EndpointFailed('too_large')
  }
  const reader = answer.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new EndpointFailed('cut')
    })
    if (done) return text + decoder.decode()
    length += value.length
    if (length > maxBytes) {
      await cancel(reader)
      throw new EndpointFailed('too_large')
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Nobody reads the rest; that it can not be cancelled changes nothing. */
export async function cancel(body: { cancel(): Promise<void> } | null): Promise<void> {
  await body?.cancel().catch(() => {})
}
