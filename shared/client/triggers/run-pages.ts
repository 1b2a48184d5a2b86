import { NotTheApi } from '../failures/transport-errors.ts'
import type { CallOptions } from '../options.ts'
import { triggerBody, triggerPath, type TriggersParts } from './send-request.ts'
import type { Run, RunFilter, RunsPage } from './records.ts'

/** Default number of runs in a page. Typical run records have a few KiB. */
const PAGE_RUNS = 50
/**
 * Page sizes to try if a page exceeds the client's response size limit. The limit is large enough for ten runs with the
 * largest results, and for one run with an input that grows twelvefold in JSON.
 */
const SMALLER_PAGES = [10, 1]

/** The same position always returns the same runs, unless `cursor` is undefined. */
export type PagePosition = { cursor: string | undefined; limit: number }
export type PositionedRunsPage = RunsPage & { place: PagePosition }

export type HistoryQuery = Omit<RunFilter, 'limit'> & { triggerId: string }

/**
 * @param place position of the page. If the runs are too large for one response, the limit is reduced. The returned
 * `place` contains the actual limit
 */
export async function fetchRunsPage(
  parts: TriggersParts,
  query: HistoryQuery,
  place: PagePosition,
  options?: CallOptions,
): Promise<PositionedRunsPage> {
  const path = pathOf(query, place)
  try {
    const request = { method: 'GET', path, repeat: 'idempotent' } as const
    return { ...(await triggerBody<RunsPage>(parts, request, options)), place }
  } catch (error) {
    const isLarge = error instanceof NotTheApi && error.status === 200
    const limit = SMALLER_PAGES.find((runs) => runs < place.limit)
    if (!isLarge || limit === undefined) throw error
    return fetchRunsPage(parts, query, { ...place, limit }, options)
  }
}

/**
 * Yields the pages of a run history. A cursor refers to a run instead of an offset. Runs that are queued during the
 * iteration are therefore not included, and do not cause other runs to appear twice.
 * @param limit maximum number of runs on all pages together
 */
export async function* runPages(
  pageAt: (place: PagePosition) => Promise<PositionedRunsPage>,
  limit = Infinity,
): AsyncGenerator<PositionedRunsPage, void, undefined> {
  let cursor: string | undefined
  for (let left = limit; left > 0;) {
    const page = await pageAt({ cursor, limit: Math.min(left, PAGE_RUNS) })
    left -= page.runs.length
    yield page
    if (page.next_cursor === null) return
    cursor = page.next_cursor
  }
}

export async function* runBatches(pages: AsyncIterable<PositionedRunsPage>): AsyncGenerator<Run[]> {
  for await (const { runs } of pages) yield runs
}

function pathOf(
  { triggerId, status, since, until, ...search }: HistoryQuery,
  place: PagePosition,
): string {
  const { cursor, limit } = place
  const query = new URLSearchParams({ limit: String(limit) })
  const parameters = { status, since: timeText(since), until: timeText(until), ...search, cursor }
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) query.set(name, value)
  return `${triggerPath(triggerId)}/runs?${query}`
}

function timeText(time: string | Date | undefined): string | undefined {
  return typeof time === 'object' ? time.toISOString() : time
}
