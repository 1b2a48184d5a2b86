/** Rendered by the Worker, and again by the script that keeps the page up to date. */
import type { FC } from 'hono/jsx'
import type { RunLine } from '../../queue/trigger-glance.ts'
import { Badge } from '../parts.tsx'
import { visible } from '../user-text.tsx'
import { Status, WAITS } from './states.tsx'
import { bytesWritten, duration, firstLine, moment, relative } from './written.ts'

type Listed = { triggerId: string; lines: readonly RunLine[]; now: number }

/** New runs cause no layout shift, because elements are reused by position and all rows have the same height. */
export const RunList: FC<Listed> = ({ triggerId, lines, now }) => (
  <ol class="runs">
    {lines.map((line) => (
      <RunItem triggerId={triggerId} line={line} now={now} />
    ))}
  </ol>
)

const RunItem: FC<{ triggerId: string; line: RunLine; now: number }> = ({
  triggerId,
  line,
  now,
}) => (
  <li>
    <Status status={line.status} />
    <a href={`/runs/${triggerId}${line.suffix}`}>
      <time datetime={new Date(line.queuedAt).toISOString()}>{moment(line.queuedAt)}</time>
    </a>
    <span class="ago">{relative(line.queuedAt, now)}</span>
    <span class="took">{tookText(line, now)}</span>
    <span class="by">
      {firedText(line)}
      {line.test && <Badge>Test</Badge>}
      {line.isReplay && <Badge>Replay</Badge>}
      {line.reorged && <Badge tone="bad">Reorged</Badge>}
    </span>
    <span class="said">
      <bdi>{saidText(line, now)}</bdi>
    </span>
  </li>
)

function tookText({ startedAt, finishedAt, status }: RunLine, now: number): string {
  if (startedAt === null) return status === 'queued' ? '' : 'never started'
  if (finishedAt !== null) return duration(Math.max(0, finishedAt - startedAt))
  return status === 'running' ? `${duration(Math.max(0, now - startedAt))} so far` : ''
}

export function firedText({ source, bodyBytes, scheduledAt, blockNumber }: RunLine): string {
  switch (source) {
    case 'webhook':
      return `Webhook, ${bytesWritten(bodyBytes)}`
    case 'schedule':
      return scheduledAt === null ? 'Tick' : `Tick of ${moment(scheduledAt)}`
    case 'chain_event':
      return blockNumber === null ? 'Log' : `Log in block ${blockNumber}`
    case 'params':
      return 'Params'
  }
}

function saidText({ text, waitingFor, nextAttemptAt, attempt }: RunLine, now: number): string {
  if (text !== null) return visible(firstLine(text))
  if (waitingFor !== null) return WAITS[waitingFor].what
  if (nextAttemptAt !== null && attempt > 0)
    return `Attempt ${attempt} failed; next attempt ${relative(nextAttemptAt, now)}`
  return ''
}
