import type { Tail } from '../../../shared/wire/tail.ts'
import { fetchJson, poll } from './poll.ts'
import { renderOver } from './render-over.ts'
import { LogItem } from './run-details.tsx'

/** Number of lines that the page shows. */
const LINES_MAX = 500

/** Minimum time between two requests, which otherwise wait until there is something new. */
const INTERVAL_MS = 500

/** Characters at the end of a run ID that identify a run among its neighbours. */
const SHORT_ID_CHARACTERS = 6

/** Shows new console output while `details` is open. */
export function followOutput(details: HTMLDetailsElement, trigger: string): void {
  const log = details.querySelector('div')!
  const list = log.querySelector('ol')!
  const status = details.querySelector('p')!
  const hint = status.textContent
  let lines: Tail['lines'] = []
  let cursor: string | undefined

  const ask = async () => {
    const query = new URLSearchParams(cursor === undefined ? {} : { after: cursor, wait: '25' })
    const tail = await fetchJson<Tail>(`/triggers/${trigger}/tail.json?${query}`)
    cursor = tail.cursor
    if (tail.lines.length > 0) show(tail.lines)
    return INTERVAL_MS
  }

  function show(more: Tail['lines']): void {
    const isAtEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 1
    lines = [...lines, ...more].slice(-LINES_MAX)
    status.textContent = hint
    renderOver(
      list,
      <>
        {lines.map(({ run_id, level, text }) => (
          <LogItem
            level={level}
            text={text}
            at={<a href={`/runs/${run_id}`}>{run_id.slice(-SHORT_ID_CHARACTERS)}</a>}
          />
        ))}
      </>,
    )
    if (isAtEnd) log.scrollTop = log.scrollHeight
  }

  details.addEventListener('toggle', () => {
    if (details.open) document.dispatchEvent(new Event('svc-resume'))
  })
  void poll(
    ask,
    () => !details.open,
    (message) => {
      status.textContent = message
    },
  )
}
