/** Results of the expressions in a form. */
import type { FC } from 'hono/jsx'
import type { RecentEvent } from '../../../shared/wire/preview.ts'
import { Time } from '../components/elements.tsx'
import { UserText } from '../components/user-text.tsx'

type ExpressionValues = RecentEvent['expressions']

export type ExpressionCheck = {
  /** Syntax errors by field. */
  problems: Record<string, string>
  /** Why the check itself failed, which says nothing about the expressions. */
  failure?: string
  /** Values on the sample event. */
  sample?: ExpressionValues
  /** Values on the latest events of the trigger, newest first. */
  recent?: RecentEvent[]
}

const VALUE_MAX_CHARACTERS = 160

const LABELS: Record<string, string> = {
  filter: 'Filter',
  dedup_key: 'Deduplication key',
  concurrency_key: 'Concurrency key',
  order_key: 'Order key',
  debounce_key: 'Debounce key',
}

export const ExpressionFacts: FC<{ expressions: ExpressionValues; on: string }> = ({
  expressions,
  on,
}) => (
  <dl class="facts">
    {Object.entries(expressions).map(([name, value]) => (
      <>
        <dt>{LABELS[name]}</dt>
        <dd>
          <Value of={value} /> {on}
        </dd>
      </>
    ))}
  </dl>
)

const Value: FC<{ of: ExpressionValues[keyof ExpressionValues] }> = ({ of }) => (
  <code>
    <UserText text={of?.error ?? JSON.stringify(of?.value)} max={VALUE_MAX_CHARACTERS} />
  </code>
)

export const ExpressionView: FC<{ checked: ExpressionCheck }> = ({ checked }) => {
  const { problems, failure, sample, recent } = checked
  if (failure !== undefined) return <p>{failure}</p>
  const invalid = Object.entries(problems)
  return (
    <>
      <p class={invalid.length > 0 ? 'verdict bad' : 'verdict'}>
        {invalid.length > 0 ? 'Invalid expression.' : 'Valid.'}
      </p>
      {invalid.map(([name, problem]) => (
        <p>
          {LABELS[name] && <strong>{LABELS[name]}: </strong>}
          <UserText text={problem} max={600} />
        </p>
      ))}
      {sample && <ExpressionFacts expressions={sample} on="on the sample event" />}
      {recent && <RecentEvents events={recent} />}
    </>
  )
}

const RecentEvents: FC<{ events: readonly RecentEvent[] }> = ({ events }) => {
  const [first] = events
  if (!first) return <p>The trigger has no recent events.</p>
  const names = Object.keys(first.expressions) as (keyof ExpressionValues)[]
  const matching = events.filter(({ expressions }) => expressions.filter?.value === true).length
  return (
    <>
      {names.includes('filter') && (
        <p>
          The filter matches {matching} of the latest {events.length} events.
        </p>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">Event</th>
            {names.map((name) => (
              <th scope="col">{LABELS[name]}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {events.map(({ run_id, queued_at, expressions }) => (
            <tr>
              <td>
                <a href={`/runs/${run_id}`}>
                  <Time at={Date.parse(queued_at)} />
                </a>
              </td>
              {names.map((name) => (
                <td>
                  <Value of={expressions[name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
