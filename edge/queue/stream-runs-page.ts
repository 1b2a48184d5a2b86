import type { RunRecord } from '../../shared/wire/trigger.ts'

/**
 * Streams `{runs: [...], next_cursor}` as JSON text, one run at a time. A page of large runs can exceed the size limit
 * of an RPC value (32 MiB), and should not be loaded into memory as a whole.
 */
export function streamRunsPage(
  runs: Iterable<RunRecord>,
  nextCursor: string | null,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const texts = pageChunks(runs, nextCursor)
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const next = texts.next()
      if (next.done) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
  })
}

function* pageChunks(
  runs: Iterable<RunRecord>,
  nextCursor: string | null,
): Generator<string, void> {
  let before = '{"runs":['
  for (const run of runs) {
    yield before + JSON.stringify(run)
    before = ','
  }
  yield `${before === ',' ? '' : before}],"next_cursor":${JSON.stringify(nextCursor)}}`
}
