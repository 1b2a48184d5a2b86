import { expect, it } from 'vitest'
import type { ClientRequest, Requester } from '../../../shared/client/request.ts'
import type { Run } from '../../../shared/client/triggers/records.ts'
import { type TailedLine, tailTrigger } from '../../../shared/client/triggers/tail.ts'
import { TRIGGER_ID_CHARACTERS } from '../../../shared/ids.ts'

const TRIGGER_ID = 'T'.repeat(TRIGGER_ID_CHARACTERS)
const TIME = '2026-01-01T00:00:00.000Z'
const logs = ['a', 'b', 'c'].map((text) => ({ level: 'log' as const, at_ms: 1, text }))
const endedRun = (id: string, attempt = 1) =>
  ({ id, queued_at: TIME, finished_at: TIME, attempt, logs }) as Run
const lineOf = (index: number, attempt = 1): TailedLine => ({
  run_id: 'run',
  attempt,
  index,
  ...logs[index]!,
})

type Response = { changed: boolean; lines: TailedLine[]; runs?: Run[] }

/**
 * Texts of the lines, and IDs of the runs, that a client yields for these responses. Each response is followed by a list
 * of `runs`, the last one by a list with the run `run`.
 */
async function tailed(responses: Response[], attempt = 1) {
  let runs: Run[] = []
  const respond = ({ path }: ClientRequest) => {
    if (!path.includes('/tail')) return { runs, next_cursor: null }
    const { runs: listed = [], ...tail } = responses.shift()!
    runs = responses.length === 0 ? [endedRun('run', attempt)] : listed
    return { cursor: 'cursor', ...tail }
  }
  const requester = { edge: async (request: ClientRequest) => ({ body: respond(request) }) }
  const parts = {
    requester: requester as unknown as Requester,
    token: 'token',
    now: () => 0,
    random: (bytes: number) => new Uint8Array(bytes),
    sleep: async () => {},
  }
  const found: string[] = []
  for await (const event of tailTrigger(parts, TRIGGER_ID, { since: TIME })) {
    found.push(event.type === 'line' ? event.line.text : event.run.id)
    if (event.type === 'run' && event.run.id === 'run') break
  }
  return found
}

it('yields the lines of the record that were not yielded before', async () => {
  const early = [
    { changed: false, lines: [lineOf(0)] },
    { changed: true, lines: [] },
  ]
  expect(await tailed(early)).toEqual(['a', 'b', 'c', 'run'])
})

it('yields repeated lines once', async () => {
  const repeated = [
    { changed: false, lines: [lineOf(0), lineOf(1)] },
    { changed: false, lines: [lineOf(0), lineOf(1), lineOf(2)] },
    { changed: true, lines: [] },
  ]
  expect(await tailed(repeated)).toEqual(['a', 'b', 'c', 'run'])
})

it('keeps the order if a line is missing until the run has ended', async () => {
  const withGap = [{ changed: true, lines: [lineOf(0), lineOf(2)] }]
  expect(await tailed(withGap)).toEqual(['a', 'b', 'c', 'run'])
})

it('drops lines that arrive after their run', async () => {
  const other = { ...lineOf(0), run_id: 'other' }
  const late = [
    { changed: true, lines: [], runs: [endedRun('other')] },
    { changed: true, lines: [other] },
  ]
  expect(await tailed(late)).toEqual(['a', 'b', 'c', 'other', 'a', 'b', 'c', 'run'])
})

it('yields the output of a second attempt as a whole', async () => {
  const first = [
    { changed: false, lines: [lineOf(0), lineOf(1)] },
    { changed: true, lines: [] },
  ]
  expect(await tailed(first, 2)).toEqual(['a', 'b', 'a', 'b', 'c', 'run'])
})
