import type { Child, FC } from 'hono/jsx'
import type { TriggerRecord } from '../../../../shared/wire/trigger.ts'
import { FactList } from '../../../browser/components/elements.tsx'
import { escapeInvisible, UserText } from '../../../browser/components/user-text.tsx'
import { formatTimeIn } from '../../../browser/format/times.ts'
import { Moment } from '../../../browser/runs/run-status.tsx'
import { describeSchedule, zoneOf } from '../../../schedule/describe-schedule.ts'
import { scheduleOf } from '../../../schedule/schedule.ts'
import { type ScheduleConfig, scheduleConfig } from '../../../schedule/schedule-config.ts'

const TICKS = 5

export const ScheduleCard: FC<{ trigger: TriggerRecord; now: number }> = ({ trigger, now }) => {
  const { enabled, ended_reason } = trigger
  const config = scheduleConfig(trigger.config)
  const zone = 'cron' in config && config.timezone !== undefined ? config.timezone : undefined
  return (
    <section class="card" aria-labelledby="fires">
      <h2 id="fires">Schedule</h2>
      <FactList facts={factsOf(config)} />
      <h3>Next ticks</h3>
      {!enabled && <p class="note">None while the trigger is paused. If resumed:</p>}
      {ended_reason !== undefined && (
        <p class="note">
          <UserText text={ended_reason} />
        </p>
      )}
      <ol>
        {nextTicks(trigger, config, now).map((at) => (
          <li>
            <Moment at={at} now={now} />
            {zone !== undefined && <div class="note">{formatTimeIn(zone, at)} local time</div>}
          </li>
        ))}
      </ol>
    </section>
  )
}

function factsOf(config: ScheduleConfig): [string, Child][] {
  if ('at' in config) return [['Runs once', <UserText text={config.at} />]]
  const { cron, timezone, starts_at, ends_at, jitter_s } = config
  const words = describeSchedule(config)
  const facts: [string, Child][] = [['Cron', <code>{escapeInvisible(cron)}</code>]]
  if (words !== undefined) facts.push(['Description', words])
  if (timezone !== undefined) facts.push(['Time zone', zoneOf(config)])
  if (starts_at !== undefined) facts.push(['Starts', <UserText text={starts_at} />])
  if (ends_at !== undefined) facts.push(['Ends', <UserText text={ends_at} />])
  if (jitter_s) facts.push(['Jitter', `up to ${jitter_s} s after each tick`])
  return facts
}

/** The times at which the next ticks fire, including jitter. */
function nextTicks({ id }: TriggerRecord, config: ScheduleConfig, now: number): number[] {
  const { ticks } = scheduleOf(config, id)
  const next: number[] = []
  let tick = ticks.next(now)
  while (tick !== undefined && next.length < TICKS) {
    next.push(tick)
    tick = ticks.next(tick)
  }
  return next
}
