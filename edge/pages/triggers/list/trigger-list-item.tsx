import type { Child, FC } from 'hono/jsx'
import type { ListedActivity, ListedTrigger } from '../../../../shared/wire/trigger.ts'
import { blockInterval } from '../block-interval.ts'
import { shownFactory } from '../factory-config.ts'
import { describeParties, shownTransactions } from '../transaction-config.ts'
import { KIND_NAMES, KindIcon } from '../../../browser/components/trigger-kind.tsx'
import { ActionCell, Badge, Cell, Time } from '../../../browser/components/elements.tsx'
import { STATUS_NAMES } from '../../../browser/runs/run-status.tsx'
import { formatDuration, relativeTime } from '../../../browser/format/times.ts'
import { UserText } from '../../../browser/components/user-text.tsx'
import { describeSchedule, zoneOf } from '../../../schedule/describe-schedule.ts'
import { Sparkline } from './sparkline.tsx'
import { scheduleConfig } from '../../../schedule/schedule-config.ts'

export const TRIGGER_COLUMNS = [
  'Name',
  'State',
  'Next run',
  'Last run',
  'Last 24 hours',
  '(Actions)',
] as const

type TriggerListItemProps = {
  trigger: ListedTrigger
  /** Unix milliseconds. */
  now: number
  action: Child
}

export const TriggerListItem = ({ trigger, now, action }: TriggerListItemProps) => {
  const { id, name, kind, disabled_reason, activity } = trigger
  return (
    <tr>
      <th scope="row">
        <a href={`/triggers/${id}`}>
          <UserText text={name} />
        </a>
        <div class="fires note">
          <KindIcon kind={kind} /> <span class="unseen">{KIND_NAMES[kind]}: </span>
          <span>
            <FiringSummary trigger={trigger} />
          </span>
        </div>
        {disabled_reason !== null && (
          <p class="note">
            Reason: <UserText text={disabled_reason} max={600} />
          </p>
        )}
      </th>
      <Cell of="State">
        <StateBadge trigger={trigger} />
      </Cell>
      <Cell of="Next run">{nextRun(trigger)}</Cell>
      <Cell of="Last run">
        {activity?.last_run ? <LastRun run={activity.last_run} now={now} /> : '–'}
      </Cell>
      <Cell of="Last 24 hours">{activity ? <Figures activity={activity} /> : '–'}</Cell>
      <ActionCell>
        <a class="button quiet" href={`/triggers/${id}/edit`} aria-label={`Edit ${name}`}>
          Edit
        </a>
        {action}
      </ActionCell>
    </tr>
  )
}

function nextRun({ kind, enabled, next_run_at, ended_reason }: ListedTrigger): Child {
  if (kind !== 'schedule' || !enabled) return '–'
  return next_run_at ? <Time at={Date.parse(next_run_at)} /> : (ended_reason ?? 'None')
}

const LastRun: FC<{ run: NonNullable<ListedActivity['last_run']>; now: number }> = ({
  run: { id, status, queued_at, test },
  now,
}) => (
  <>
    <a href={`/runs/${id}`}>{STATUS_NAMES[status]}</a>{' '}
    <time datetime={queued_at}>{relativeTime(Date.parse(queued_at), now)}</time>
    {test && (
      <>
        {' '}
        <Badge>Test</Badge>
      </>
    )}
  </>
)

const Figures: FC<{ activity: ListedActivity }> = ({ activity }) => {
  const { ok, failed, success_rate, p95_ms } = activity
  if (success_rate === null) return <>No runs</>
  return (
    <>
      <Sparkline counts={activity} />
      <p class="note">
        {formatShare(success_rate)} of {(ok + failed).toLocaleString('en-US')}
        {p95_ms !== null && `, p95 ${formatDuration(p95_ms)}`}
      </p>
    </>
  )
}

/** Rounds down, so that a trigger with a failed run never shows 100%. */
const formatShare = (share: number) => `${Math.floor(share * 1_000) / 10}%`

const StateBadge: FC<{ trigger: ListedTrigger }> = ({
  trigger: { enabled, disabled_reason, activity },
}) => {
  if (enabled && activity?.failing) return <Badge tone="bad">Failing</Badge>
  if (enabled) return <Badge tone="good">Enabled</Badge>
  return disabled_reason !== null ? (
    <Badge tone="bad">Paused by the service</Badge>
  ) : (
    <Badge>Paused</Badge>
  )
}

const FiringSummary: FC<{
  trigger: Pick<
    ListedTrigger,
    'kind' | 'config' | 'webhook_url' | 'canonical_signature' | 'addresses_count'
  >
}> = ({ trigger: { kind, config, ...trigger } }) => {
  switch (kind) {
    case 'webhook':
      return (
        <>
          on POST to <code>{trigger.webhook_url}</code>
        </>
      )
    case 'schedule': {
      const schedule = scheduleConfig(config)
      if ('at' in schedule)
        return (
          <>
            once, at <UserText text={schedule.at} />
          </>
        )
      return (
        <>
          {describeSchedule(schedule) ?? zoneOf(schedule)}:{' '}
          <code class="cron">
            <UserText text={schedule.cron} />
          </code>
        </>
      )
    }
    case 'chain_event': {
      const every = blockInterval(config)
      if (every !== undefined)
        return (
          <>
            at blocks divisible by {every} on <UserText text={String(config.chain)} />
          </>
        )
      const transactions = shownTransactions(config)
      if (transactions)
        return (
          <>
            on transactions <UserText text={describeParties(transactions)} /> on{' '}
            <UserText text={String(config.chain)} />
          </>
        )
      const factory = shownFactory(config)
      return (
        <>
          on{' '}
          <code>
            <UserText text={trigger.canonical_signature ?? String(config.event_signature)} />
          </code>{' '}
          from{' '}
          {factory ? (
            <>
              contracts of{' '}
              <code>
                <UserText text={factory.address} />
              </code>
            </>
          ) : trigger.addresses_count === undefined ? (
            <code>
              <UserText text={String(config.contract_address)} />
            </code>
          ) : (
            `${trigger.addresses_count} contracts`
          )}{' '}
          on <UserText text={String(config.chain)} />
        </>
      )
    }
  }
}
