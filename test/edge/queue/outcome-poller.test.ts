import { expect, it } from 'vitest'
import { OutcomePoller } from '../../../edge/queue/outcome-poller.ts'
import type { OutcomesResponse } from '../../../shared/wire/sealed.ts'
import { success } from '../app.ts'

const { outcome } = success('ended')

/** Creates a poller with an origin that responds immediately and reports these runs as finished. */
function pollerOf(ended: Set<string>) {
  const questions: { ids: string[]; waitMs: number }[] = []
  const outcomes = async (
    { run_ids: ids, wait_ms: waitMs }: { run_ids: string[]; wait_ms: number },
    signal: AbortSignal,
  ): Promise<OutcomesResponse> => {
    await new Promise((resolve) => setTimeout(resolve, 0))
    if (signal.aborted) throw new Error('aborted')
    questions.push({ ids, waitMs })
    const running = ids.filter((id) => !ended.has(id))
    const over = ids.filter((id) => ended.has(id)).map((id) => [id, outcome])
    return { state: 'known', ended: Object.fromEntries(over), running, unknown: [] }
  }
  return { poller: new OutcomePoller({ outcomes }, () => {}), questions }
}

it('polls for more runs than fit in a request in turns, and none waits for the others', async () => {
  const ended = new Set<string>()
  const { poller, questions } = pollerOf(ended)
  const ids = Array.from({ length: 100 }, (_, n) => `run-${n}`)
  const asked = ids.map((id) => poller.outcome(id))
  ended.add('run-99')
  expect(await asked[99]).toEqual(outcome)
  expect(Math.max(...questions.map((question) => question.ids.length))).toBe(64)
  expect(questions.every(({ waitMs }) => waitMs <= 1_000)).toBe(true)
  for (const id of ids) ended.add(id)
  await Promise.all(asked)
})

it('long-polls for the maximum wait if all runs fit in one request', async () => {
  const ended = new Set(['run-1'])
  const { poller, questions } = pollerOf(ended)
  await poller.outcome('run-1')
  expect(questions).toEqual([{ ids: ['run-1'], waitMs: 25_000 }])
})
