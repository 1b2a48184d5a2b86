import { useEffect, useRef, useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { UsageRow } from '../../../../shared/client/core/billing.ts'
import { DAY_MS } from '../../../../shared/durations.ts'
import type { ChartHandle } from '../../charts/module.ts'
import { saveFile } from '../../format/save-file.ts'
import { shortenId } from '../../format/values.ts'
import { Field, Select } from '../../components/form-fields.tsx'
import { UserText } from '../../components/user-text.tsx'
import type { Connection } from '../connection.ts'
import { Loaded, useLoaded } from '../loaded.tsx'
import { readSubmittedForm } from '../submitted-form.ts'
import type { Perform } from '../view.ts'
import { formatUsd } from '../../../../shared/usd.ts'
import { lastDays, dailyCharges } from './daily-charges.ts'

type UsageCardProps = { connection: Connection; perform: Perform }
type StatementQuery = { from: string; to: string; key_hash?: string }

/** Number of days shown, which is also the API's default. */
const SHOWN_DAYS = 30

export const UsageCard: FC<UsageCardProps> = ({ connection, perform }) => {
  const [query, setQuery] = useState<StatementQuery>(() => lastDays(SHOWN_DAYS, Date.now()))
  const usage = useLoaded(async () => connection.client.billing.usage(query).all())
  const [keys, setKeys] = useState<[hash: string, name: string][]>([])
  useEffect(() => {
    if (usage.value && query.key_hash === undefined) setKeys(keyChoices(usage.value))
  }, [usage.value])
  useEffect(() => {
    if (usage.state !== 'loading') void usage.reload()
  }, [query])

  const download = () =>
    perform('Download the statement', async () => {
      const csv = await connection.client.billing.usageCsv(query)
      saveFile(`svc-usage-${query.from}-${query.to}.csv`, 'text/csv', csv)
    })
  return (
    <section class="card" aria-labelledby="usage-heading">
      <h3 id="usage-heading">Charges</h3>
      <form class="period" onSubmit={(event: Event) => setQuery(readQuery(event))}>
        <Field name="from" label="From" type="date" required value={query.from} />
        <Field name="to" label="To" type="date" required value={query.to} />
        <Select
          name="key"
          label="Key"
          value={query.key_hash ?? ''}
          choices={[['', 'All keys'], ...keys]}
        />
        <button class="quiet">Show</button>
      </form>
      <Loaded of={usage} what="statement">
        {(rows) =>
          rows.length === 0 ? (
            <p>No charges in this period.</p>
          ) : (
            <>
              <p>
                Total <strong>{formatUsd(sumOf(rows))}</strong>
              </p>
              <UsageChart rows={rows} {...query} />
              <UsageTable rows={rows} />
            </>
          )
        }
      </Loaded>
      <p>
        <button type="button" class="quiet" onClick={() => void download()}>
          Download as CSV
        </button>
      </p>
    </section>
  )
}

function readQuery(event: Event): StatementQuery {
  const { text } = readSubmittedForm(event)
  const [from, to] = [text('from'), text('to')].toSorted() as [string, string]
  const key_hash = text('key')
  return { from, to, ...(key_hash !== '' && { key_hash }) }
}

const nameOf = ({ key_name, api_key_hash }: UsageRow) =>
  key_name ?? `key ${shortenId(api_key_hash)}`

function keyChoices(rows: readonly UsageRow[]): [string, string][] {
  return [...new Map(rows.map((row) => [row.api_key_hash, nameOf(row)]))]
}

const sumOf = (rows: readonly UsageRow[]) => rows.reduce((sum, { cents }) => sum + cents, 0)

const UsageChart: FC<{ rows: UsageRow[]; from: string; to: string }> = ({ rows, from, to }) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let drawn: ChartHandle | undefined
    let isGone = false
    const { times, runs, writes } = dailyCharges(rows, from, to)
    const chart = {
      label: `Charges per day: ${formatUsd(sumOf(rows))} from ${from} to ${to}. The table below has the numbers.`,
      times,
      until: times.at(-1)! + DAY_MS,
      series: [
        { name: 'Runs', values: runs, color: 'act', as: 'bar' } as const,
        { name: 'Writes', values: writes, color: 'warn', as: 'bar' } as const,
      ],
      format: formatUsd,
    }
    import('/scripts/charts.js').then(
      ({ drawChart }) => {
        if (!isGone && place.current) drawn = drawChart(place.current, chart)
      },
      () => {},
    )
    return () => {
      isGone = true
      drawn?.remove()
    }
  }, [rows])
  return (
    <figure class="usage-chart">
      <div ref={place} class="chart" data-read-out="usage-read-out" />
      <figcaption>
        <span class="swatch act" /> Runs <span class="swatch warn" /> Writes{' '}
        <span id="usage-read-out" class="note" />
      </figcaption>
    </figure>
  )
}

const UsageTable: FC<{ rows: UsageRow[] }> = ({ rows }) => (
  <div class="scrolled" role="region" aria-label="Statement" tabindex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Key</th>
          <th scope="col">Item</th>
          <th scope="col" class="number">
            Quantity
          </th>
          <th scope="col" class="number">
            Charged
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <td class="day">{row.day}</td>
            <td>
              <UserText text={nameOf(row)} max={60} />
            </td>
            <td>
              {row.kind === 'execution' ? (
                <>
                  Runs of{' '}
                  <code title={row.action_cid ?? ''}>{shortenId(row.action_cid ?? '')}</code>
                </>
              ) : (
                <code>
                  <UserText text={row.operation ?? ''} max={60} />
                </code>
              )}
            </td>
            <td class="number">{row.quantity}</td>
            <td class="number">{formatUsd(row.cents)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
