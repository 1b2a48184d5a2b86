import { useRef, useState } from 'hono/jsx/dom'
import type { FC } from 'hono/jsx'
import type { UsageRow } from '../../../../shared/client/core/billing.ts'
import type { DrawnChart } from '../../charts/module.ts'
import { folded } from '../../folded.ts'
import { Field } from '../../parts.tsx'
import { Select } from '../../fields.tsx'
import { formText } from '../../form-text.ts'
import { UserText } from '../../user-text.tsx'
import type { Connection } from '../connection.ts'
import { Loaded, useLoaded } from '../loaded.tsx'
import type { Perform } from '../view.ts'
import { dollars } from '../../dollars.ts'
import { saveFile } from './save-file.ts'
import { lastDays, usageDays } from './usage-days.ts'
import { useEffect } from '../../use-effect.ts'

type UsageCardProps = { connection: Connection; perform: Perform }
type Asked = { from: string; to: string; key_hash?: string }

/** Days; the same default as that of the API. */
const SHOWN_DAYS = 30

export const UsageCard: FC<UsageCardProps> = ({ connection, perform }) => {
  const [asked, setAsked] = useState<Asked>(() => lastDays(SHOWN_DAYS, Date.now()))
  const usage = useLoaded(async () => connection.client.billing.usage(asked).all())
  // Keys with charges, as choices of the filter.
  const [keys, setKeys] = useState<[hash: string, name: string][]>([])
  useEffect(() => {
    if (usage.value && asked.key_hash === undefined) setKeys(keysIn(usage.value))
  }, [usage.value])
  useEffect(() => {
    if (usage.state !== 'loading') void usage.again()
  }, [asked])

  const download = () =>
    perform('Download the statement', async () => {
      const csv = await connection.client.billing.usageCsv(asked)
      saveFile(`svc-usage-${asked.from}-${asked.to}.csv`, 'text/csv', csv)
    })
  return (
    <section class="card" aria-labelledby="usage-heading">
      <h3 id="usage-heading">Charges</h3>
      <form
        class="period"
        onSubmit={(event: Event) => {
          event.preventDefault()
          setAsked(askedIn(event.target as HTMLFormElement))
        }}
      >
        <Field name="from" label="From" type="date" required value={asked.from} />
        <Field name="to" label="To" type="date" required value={asked.to} />
        <Select
          name="key"
          label="Key"
          value={asked.key_hash ?? ''}
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
                Total <strong>{dollars(sumOf(rows))}</strong>
              </p>
              <UsageChart rows={rows} {...asked} />
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

function askedIn(form: HTMLFormElement): Asked {
  const fields = new FormData(form)
  const days = [formText(fields, 'from'), formText(fields, 'to')].toSorted()
  const [from, to] = days as [string, string]
  const key_hash = formText(fields, 'key')
  return { from, to, ...(key_hash !== '' && { key_hash }) }
}

const nameOf = ({ key_name, api_key_hash }: UsageRow) => key_name ?? `key ${folded(api_key_hash)}`

function keysIn(rows: readonly UsageRow[]): [string, string][] {
  return [...new Map(rows.map((row) => [row.api_key_hash, nameOf(row)]))]
}

const sumOf = (rows: readonly UsageRow[]) => rows.reduce((sum, { cents }) => sum + cents, 0)

const UsageChart: FC<{ rows: UsageRow[]; from: string; to: string }> = ({ rows, from, to }) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let drawn: DrawnChart | undefined
    let isGone = false
    const { times, runs, writes } = usageDays(rows, from, to)
    const chart = {
      label: `Charges per day: ${dollars(sumOf(rows))} from ${from} to ${to}. The table below has the numbers.`,
      times,
      until: times.at(-1)! + 24 * 60 * 60 * 1000,
      series: [
        { name: 'Runs', values: runs, colour: 'act', as: 'bar' } as const,
        { name: 'Writes', values: writes, colour: 'warn', as: 'bar' } as const,
      ],
      written: dollars,
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
                  Runs of <code title={row.action_cid ?? ''}>{folded(row.action_cid ?? '')}</code>
                </>
              ) : (
                <code>
                  <UserText text={row.operation ?? ''} max={60} />
                </code>
              )}
            </td>
            <td class="number">{row.quantity}</td>
            <td class="number">{dollars(row.cents)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
