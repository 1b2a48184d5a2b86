import type { Child, FC } from 'hono/jsx'
import type { ListedTrigger } from '../../../../shared/wire/trigger.ts'
import { blockInterval } from '../block-interval.ts'
import { describeParties, shownTransactions } from '../transaction-config.ts'
import { KindLabel } from '../../../browser/components/trigger-kind.tsx'
import { Badge, FactList, Time } from '../../../browser/components/elements.tsx'
import { UserText } from '../../../browser/components/user-text.tsx'
import { describeSchedule, zoneOf } from '../../../schedule/describe-schedule.ts'
import { scheduleConfig } from '../../../schedule/schedule-config.ts'

export const TriggerListItem = ({ trigger, action }: { trigger: ListedTrigger; action: Child }) => {
  const { id, name, kind, enabled, disabled_reason, created_at, next_run_at } = trigger
  const facts: [string, Child][] = [['Fires', <FiringSummary trigger={trigger} />]]
  if (kind === 'schedule' && enabled)
    facts.push([
      'Next run',
      next_run_at ? <Time at={Date.parse(next_run_at)} /> : (trigger.ended_reason ?? 'none'),
    ])
  if (disabled_reason !== null)
    facts.push(['Reason', <UserText text={disabled_reason} max={600} />])
  facts.push(['Created', <Time at={Date.parse(created_at)} />])
  return (
    <li>
      <div>
        <h2>
          <a href={`/triggers/${id}`}>
            <UserText text={name} />
          </a>{' '}
          <StateBadge enabled={enabled} byService={disabled_reason !== null} />
        </h2>
        <p>
          <KindLabel kind={kind} />
        </p>
        <FactList facts={facts} />
      </div>
      <div class="actions">
        <a class="button quiet" href={`/triggers/${id}/edit`} aria-label={`Edit ${name}`}>
          Edit
        </a>
        {action}
      </div>
    </li>
  )
}

const StateBadge: FC<{ enabled: boolean; byService: boolean }> = ({ enabled, byService }) => {
  if (enabled) return <Badge tone="good">enabled</Badge>
  return byService ? <Badge tone="bad">paused by the service</Badge> : <Badge>paused</Badge>
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
      return (
        <>
          on{' '}
          <code>
            <UserText text={trigger.canonical_signature ?? String(config.event_signature)} />
          </code>{' '}
          from{' '}
          {trigger.addresses_count === undefined ? (
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
