import { expect, it } from 'vitest'
import { NotTheApi } from '../../../shared/client/failures/transport-errors.ts'
import type { ClientRequest, Requester } from '../../../shared/client/request.ts'
import type { Run } from '../../../shared/client/triggers/records.ts'
import { watchRuns } from '../../../shared/client/triggers/watch-runs.ts'
import { TRIGGER_ID_CHARACTERS } from '../../../shared/ids.ts'

const TRIGGER_ID = 'T'.repeat(TRIGGER_ID_CHARACTERS)
const TIME = '2026-01-01T00:00:00.000Z'
const LATER = '2026-01-01T00:00:00.001Z'
const endedRun = (id: string, queued_at = TIME) =>
  ({ id, queued_at, status: 'success', finished_at: queued_at }) as Run

/** Run history of a trigger, newest first. @param onPoll called after each poll */
function historyOf(runs: Run[], onPoll: () => void) {
  /** `wholePages`: number of older pages served before they become too large for the client. */
  const history = { runs, wholePages: Infinity }
  const page = ({ path }: ClientRequest) => {
    const query = new URL(path, 'https://edge.test').searchParams
    const [since, cursor] = [query.get('since')!, query.get('cursor')]
    const limit = Number(query.get('limit'))
    if (cursor !== null && limit > 10 && history.wholePages-- <= 0)
      throw new NotTheApi('JSON that is too large', 200, undefined)
    const all = history.runs.filter(({ queued_at }) => queued_at >= since)
    const from = all.findIndex(({ id }) => id === cursor) + 1
    const some = all.slice(from, from + limit)
    const next_cursor = from + some.length < all.length ? some.at(-1)!.id : null
    return { runs: some, next_cursor }
  }
  const changed = { cursor: 'cursor', changed: true, lines: [] }
  const requester = {
    edge: async (question: ClientRequest) => ({
      body: question.path.includes('/tail') ? changed : page(question),
    }),
  }
  const parts = {
    requester: requester as unknown as Requester,
    token: 'token',
    now: () => 0,
    random: (bytes: number) => new Uint8Array(bytes),
    sleep: async () => onPoll(),
  }
  return { history, parts }
}

/** IDs of runs in the order received, up to the run `last`. */
async function watched({ parts }: ReturnType<typeof historyOf>): Promise<string[]> {
  const found: string[] = []
  for await (const { id } of watchRuns(parts, TRIGGER_ID, { since: TIME })) {
    found.push(id)
    if (id === 'last') break
  }
  return found
}

it('returns each run of the same millisecond once', async () => {
  const later = [endedRun('last', LATER), endedRun('c'), endedRun('b')]
  const world = historyOf([endedRun('a')], () => world.history.runs.unshift(later.pop()!))
  expect(await watched(world)).toEqual(['a', 'b', 'c', 'last'])
})

it('returns no run of the same millisecond twice after a page that failed to load twice', async () => {
  const runs = Array.from({ length: 80 }, (_, n) => endedRun(`run ${n}`))
  let polls = 0
  const world = historyOf(runs, () => {
    polls++
    // The second poll reads the older page in full, and then only a part of it.
    world.history.wholePages = polls === 1 ? 1 : Infinity
    if (polls === 3) world.history.runs.unshift(endedRun('last', LATER))
  })
  expect(await watched(world)).toHaveLength(81)
})
