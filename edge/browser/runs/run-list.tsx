/** List of runs. The Worker renders it, and the page's script renders it again to keep the page up to date. */
import type { FC } from 'hono/jsx'
import type { RunSummary } from '../../queue/trigger-snapshot.ts'
import { Badge } from '../components/elements.tsx'
import { escapeInvisible } from '../components/user-text.tsx'
import { StatusBadge, WAIT_TEXTS } from './run-status.tsx'
import { formatDuration, formatTime, relativeTime } from '../format/times.ts'
import { formatBytes, firstLine } from '../format/values.ts'

type RunListProps = { triggerId: string; lines: readonly RunSummary[]; now: number }

/** New runs cause no layout shift, because elements are reused by position and all rows have the same height. */
export const RunList: FC<RunListProps> = ({ triggerId, lines, now }) => (
  <ol class="runs">
    {lines.map((line) => (
      <RunItem triggerId={triggerId} line={line} now={now} />
    ))}
  </ol>
)

const RunItem: FC<{ triggerId: string; line: RunSummary; now: number }> = ({
  triggerId,
  line,
  now,
}) => (
  <li>
    <StatusBadge status={line.status} />
    <a href={`/runs/${triggerId}${line.suffix}`}>
      <time datetime={new Date(line.queuedAt).toISOString()}>{formatTime(line.queuedAt)}</time>
    </a>
    <span class="ago">{relativeTime(line.queuedAt, now)}</span>
    <span class="took">{tookText(line, now)}</span>
    <span class="by">
      {firedText(line)}
      {line.test && <Badge>Test</Badge>}
      {line.isReplay && <Badge>Replay</Badge>}
      {line.reorged && <Badge tone="bad">Reorged</Badge>}
    </span>
    <span class="said">
      <bdi>{summaryText(line, now)}</bdi>
    </span>
  </li>
)

function tookText({ startedAt, finishedAt, status }: RunSummary, now: number): string {
  if (startedAt === null) return status === 'queued' ? '' : 'never started'
  if (finishedAt !== null) return formatDuration(Math.max(0, finishedAt - startedAt))
  return status === 'running' ? `${formatDuration(Math.max(0, now - startedAt))} so far` : ''
}

const chainText = (what: string, block: number | null) =>
  block === null ? what : `${what} in block ${block}`

function firedText({
  source,
  bodyBytes,
  scheduledAt,
  blockNumber,
  every,
  firedBy,
}: RunSummary): string {
  switch (source) {
    case 'webhook':
      return `Webhook, ${formatBytes(bodyBytes)}`
    case 'webhook_batch':
      return `Batch of webhooks, ${formatBytes(bodyBytes)}`
    case 'schedule':
      return scheduledAt === null ? 'Tick' : `Tick of ${formatTime(scheduledAt)}`
    case 'chain_event':
      if (every !== null) return `Block ${blockNumber}`
      return chainText(firedBy === 'transaction' ? 'Transaction' : 'Log', blockNumber)
    case 'params':
      return 'Params'
  }
}

function summaryText(
  { text, waitingFor, nextAttemptAt, attempt }: RunSummary,
  now: number,
): string {
  if (text !== null) return escapeInvisible(firstLine(text))
  if (waitingFor !== null) return WAIT_TEXTS[waitingFor].what
  if (nextAttemptAt !== null && attempt > 0)
    return `Attempt ${attempt} failed; next attempt ${relativeTime(nextAttemptAt, now)}`
  return ''
}
