/** A history, newest first, page by page. */
import { NotTheApi } from '../failures/on-the-way.ts'
import type { CallOptions } from '../options.ts'
import { ask, triggerPath, type TriggersParts } from './ask.ts'
import type { Run, RunFilter, RunsPage } from './records.ts'

/** Usual runs have a few KiB. */
const PAGE_RUNS = 50
/**
 * Sizes of smaller pages, for a page that is larger than the client reads of one answer: ten runs with the largest results, or
 * one whose input grows twelvefold in JSON.
 */
const SMALLER_PAGES = [10, 1]

/** Where a page begins and ends. It has the same runs whenever it is asked for, unless `cursor` is absent. */
export type PagePlace = { cursor: string | undefined; limit: number }
export type PageOfRuns = RunsPage & { place: PagePlace }

/** What is asked of a history, for all of its pages. */
export type HistoryQuery = Omit<RunFilter, 'limit'> & { triggerId: string }

/** @param place a page of large runs has fewer than its limit, and says so */
export async function runsPage(
  parts: TriggersParts,
  query: HistoryQuery,
  place: PagePlace,
  options?: CallOptions,
): Promise<PageOfRuns> {
  const path = pathOf(query, place)
  try {
    const { body } = await ask<RunsPage>(
      parts,
      { method: 'GET', path, repeat: 'idempotent' },
      options,
    )
    return { ...body, place }
  } catch (error) {
    const isLarge = error instanceof NotTheApi && error.status === 200
    const limit = SMALLER_PAGES.find((runs) => runs < place.limit)
    if (!isLarge || limit === undefined) throw error
    return runsPage(parts, query, { ...place, limit }, options)
  }
}

/**
 * The pages of a history. A cursor names a run and not a distance from the newest: what is fired while they are read comes
 * into none of them, and moves no run into two.
 * @param pageAt asks for one
 * @param limit of all runs together
 */
export async function* runPages(
  pageAt: (place: PagePlace) => Promise<PageOfRuns>,
  limit = Infinity,
): AsyncGenerator<PageOfRuns, void, undefined> {
  let cursor: string | undefined
  for (let left = limit; left > 0;) {
    const page = await pageAt({ cursor, limit: Math.min(left, PAGE_RUNS) })
    left -= page.runs.length
    yield page
    if (page.next_cursor === null) return
    cursor = page.next_cursor
  }
}

/** Without their places, for who lists runs. */
export async function* runsOf(pages: AsyncIterable<PageOfRuns>): AsyncGenerator<Run[]> {
  for await (const { runs } of pages) yield runs
}

function pathOf({ triggerId, status, since, until }: HistoryQuery, place: PagePlace): string {
  const { cursor, limit } = place
  const query = new URLSearchParams({ limit: String(limit) })
  const parameters = { status, since: timeText(since), until: timeText(until), cursor }
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) query.set(name, value)
  return `${triggerPath(triggerId)}/runs?${query}`
}

function timeText(time: string | Date | undefined): string | undefined {
  return typeof time === 'object' ? time.toISOString() : time
}
