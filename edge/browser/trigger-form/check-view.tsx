/**
 * Result of checking the form. The Worker renders it for browsers without scripts, and the form's script renders it
 * while the person types.
 */
import type { FC } from 'hono/jsx'
import type { PreviewedTick, TriggerPreview } from '../../../shared/wire/preview.ts'
import { UserText, escapeInvisible, truncate } from '../components/user-text.tsx'
import { formatTimeIn } from '../format/times.ts'
import { escapeLines, valueText } from '../format/values.ts'
import { ExpressionFacts } from './expression-view.tsx'

export type CheckResult = { preview: TriggerPreview } | { problems: Record<string, string> }

const VALUE_MAX_CHARACTERS = 160
const PARAMS_MAX_CHARACTERS = 4_000

/** @param zone time zone of the reader; undefined if unknown */
export const CheckView: FC<{ checked: CheckResult; zone?: string }> = ({ checked, zone }) =>
  'problems' in checked ? (
    <ProblemsView problems={checked.problems} />
  ) : (
    <PreviewView preview={checked.preview} zone={zone} />
  )

const ProblemsView: FC<{ problems: Record<string, string> }> = ({ problems }) => (
  <>
    <p class="verdict bad">Invalid configuration.</p>
    {Object.values(problems).map((problem) => (
      <p>
        <UserText text={problem} max={600} />
      </p>
    ))}
  </>
)

type PreviewProps = { preview: TriggerPreview; zone: string | undefined }

const PreviewView: FC<PreviewProps> = ({ preview, zone }) => (
  <>
    {preview.next && <Ticks preview={preview} zone={zone} />}
    {preview.topic0 !== undefined && <Logs preview={preview} />}
    {preview.topic0 === undefined && preview.logs && <Found preview={preview} />}
    {preview.expressions && (
      <ExpressionFacts expressions={preview.expressions} on="with the params below" />
    )}
    <details>
      <summary>Params passed to the action</summary>
      <pre>{paramsText(preview.params)}</pre>
    </details>
  </>
)

const Ticks: FC<PreviewProps> = ({ preview, zone }) => {
  const { next = [], ticks, min_interval_s } = preview
  const scheduleZone = preview.params.timezone
  return (
    <>
      <p class="verdict">
        Next run times
        {min_interval_s !== undefined && `, at least ${formatSeconds(min_interval_s)} apart`}.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">UTC</th>
            {ticks && <th scope="col">{String(scheduleZone)}</th>}
            {zone !== undefined && <th scope="col">Local ({zone})</th>}
          </tr>
        </thead>
        <tbody>
          {next.map((at, row) => (
            <tr>
              <td>
                <time datetime={at}>{formatTimeIn('UTC', Date.parse(at))}</time>
              </td>
              {ticks && <LocalTime tick={ticks[row]!} />}
              {zone !== undefined && <td>{formatTimeIn(zone, Date.parse(at))}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

const LocalTime: FC<{ tick: PreviewedTick }> = ({ tick: { local, clock_change } }) => (
  <td>
    {local.replace('T', ' ')}
    {clock_change !== undefined && <div class="note">{CLOCK_CHANGES[clock_change]}</div>}
  </td>
)

const CLOCK_CHANGES = {
  skipped: 'The clock is put forward: this is the first instant after the local time.',
  repeated: 'The clock is set back: this local time occurs twice.',
}

const Logs: FC<{ preview: TriggerPreview }> = ({ preview }) => {
  const { canonical_signature = '', topic0 = '', logs = [], searched, warnings = [] } = preview
  const where = searched && `blocks ${searched.from} to ${searched.to}`
  return (
    <>
      {warnings.map((warning) => (
        <p class="warn">
          <UserText text={warning} max={600} />
        </p>
      ))}
      <p class="verdict">
        {logs.length === 0 ? `No matching events in ${where}.` : `Matching events in ${where}:`}
      </p>
      <dl class="facts">
        <dt>Event</dt>
        <dd>
          <code>{escapeInvisible(canonical_signature)}</code>
        </dd>
        <dt>Topic 0</dt>
        <dd>
          <code>{topic0}</code>
        </dd>
      </dl>
      {logs.length > 0 && (
        <ul class="logs">
          {logs.map((log) => (
            <LogItem log={log} />
          ))}
        </ul>
      )}
    </>
  )
}

/** The blocks or transactions that were found. Only transactions have a hash. */
const Found: FC<{ preview: TriggerPreview }> = ({ preview: { logs = [], searched, params } }) => {
  if (Reflect.get(Object(params.event), 'transaction_hash') === undefined)
    return <Blocks blocks={logs} />
  const where = searched && `blocks ${searched.from} to ${searched.to}`
  return (
    <>
      <p class="verdict">
        {logs.length === 0 ? `No matching transactions in ${where}.` : `Transactions in ${where}:`}
      </p>
      {logs.length > 0 && (
        <ul class="logs">
          {logs.map((log) => (
            <LogItem log={log} />
          ))}
        </ul>
      )}
    </>
  )
}

const Blocks: FC<{ blocks: readonly Record<string, unknown>[] }> = ({ blocks }) => (
  <p class="verdict">
    {blocks.length === 0
      ? 'The chain has no such block yet.'
      : `Latest blocks: ${blocks.map(({ block_number }) => String(block_number)).join(', ')}.`}
  </p>
)

/** Chain log in the preview. It is untrusted, because anyone can write to the chain. */
const LogItem: FC<{ log: Record<string, unknown> }> = ({ log }) => {
  const { block_number, transaction_hash, decoded, decode } = log
  const args = typeof decoded === 'object' && decoded !== null ? Object.entries(decoded) : []
  return (
    <li>
      <dl class="facts">
        <dt>Block</dt>
        <dd>{String(block_number)}</dd>
        <dt>Transaction</dt>
        <dd>
          <code>{escapeInvisible(String(transaction_hash))}</code>
        </dd>
        {args.map(([name, value]) => (
          <>
            <dt>{escapeInvisible(name)}</dt>
            <dd>
              <code>
                <UserText text={valueText(value)} max={VALUE_MAX_CHARACTERS} />
              </code>
            </dd>
          </>
        ))}
      </dl>
      {args.length === 0 && (
        <p>Not decoded ({escapeInvisible(String(decode))}): the raw data is passed on.</p>
      )}
    </li>
  )
}

const paramsText = (params: Record<string, unknown>) =>
  escapeLines(truncate(JSON.stringify(params, null, 2), PARAMS_MAX_CHARACTERS))

function formatSeconds(count: number): string {
  if (count % 86_400 === 0) return count === 86_400 ? 'a day' : `${count / 86_400} days`
  if (count % 3_600 === 0) return count === 3_600 ? 'an hour' : `${count / 3_600} hours`
  if (count % 60 === 0) return count === 60 ? 'a minute' : `${count / 60} minutes`
  return `${count} seconds`
}
