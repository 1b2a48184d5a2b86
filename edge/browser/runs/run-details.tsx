/**
 * Details of a run. The Worker renders them, and the page's script renders them again while it waits for the run to
 * finish.
 */
import type { Child, FC } from 'hono/jsx'
import { FactList } from '../components/elements.tsx'
import { UserText, escapeInvisible } from '../components/user-text.tsx'
import type { DisplayedText } from './pretty-json.ts'
import type { RunEventView, RunView } from './run-view.ts'
import { Moment, StatusBadge, WAIT_TEXTS } from './run-status.tsx'
import { Timeline } from './timeline.tsx'
import type { LogLine } from '../../../shared/wire/log-line.ts'
import { formatUsd } from '../../../shared/usd.ts'
import { formatDuration } from '../format/times.ts'
import { escapeLines } from '../format/values.ts'

export const RunDetails: FC<{ run: RunView; now: number }> = ({ run, now }) => (
  <>
    <p class="state">
      <StatusBadge status={run.status} />
      {run.finished_at !== null && (
        <span>
          <Moment at={Date.parse(run.finished_at)} now={now} />
        </span>
      )}
    </p>
    {run.waiting_for !== null && (
      <div class="warn">
        <p>
          <strong>{WAIT_TEXTS[run.waiting_for].what}.</strong> {WAIT_TEXTS[run.waiting_for].fix}
        </p>
      </div>
    )}
    {run.reorged && (
      <div class="warn">
        <p>
          <strong>Its log is no longer on the chain.</strong> A reorganization deeper than the
          trigger’s finality removed its block after the run was queued.
        </p>
      </div>
    )}
    {run.error && (
      <section class="problem" aria-labelledby="error">
        <h2 id="error">Error</h2>
        <LongText labelledBy="error" shown={run.error} />
      </section>
    )}
    {run.response && (
      <section class="card" aria-labelledby="response">
        <h2 id="response">Response</h2>
        <LongText labelledBy="response" shown={run.response} />
      </section>
    )}
    <LogsPart run={run} />
    <section class="card" aria-labelledby="course">
      <h2 id="course">Timeline</h2>
      <Timeline run={run} now={now} />
    </section>
    {run.event && <EventPart event={run.event} reorged={run.reorged} />}
    <InputPart input={run.input} />
    <ReceiptPart run={run} />
  </>
)

const InputPart: FC<{ input: DisplayedText }> = ({ input }) => (
  <section class="card" aria-labelledby="input">
    <h2 id="input">Input</h2>
    <Collapsible
      title="Params passed to the action"
      about={input.isCut ? 'truncated' : `${input.text.length} characters`}
    >
      <LongText labelledBy="input" shown={input} />
    </Collapsible>
  </section>
)

const LongText: FC<{ labelledBy: string; shown: DisplayedText }> = ({ labelledBy, shown }) => (
  <>
    <pre class="long" tabindex={0} aria-labelledby={labelledBy}>
      {escapeLines(shown.text)}
    </pre>
    {shown.isCut && <p class="note">Truncated. The API returns the full text.</p>}
  </>
)

type LogItemProps = Pick<LogLine, 'level' | 'text'> & { at: Child }

export const LogItem: FC<LogItemProps> = ({ level, at, text }) => (
  <li class={level}>
    <span class="at">{at}</span> <span class="level">{level}</span>{' '}
    <span class="text">{escapeLines(text)}</span>
  </li>
)

const LogsPart: FC<{ run: RunView }> = ({ run: { logs, logsAreCut, finished_at } }) => (
  <section class="card" aria-labelledby="logs">
    <h2 id="logs">Logs</h2>
    {logs.length === 0 && (
      <p class="note">
        {finished_at === null ? 'Logs appear here when the run ends.' : 'No console output.'}
      </p>
    )}
    {logs.length > 0 && (
      <ol class="logs long" tabindex={0} aria-labelledby="logs">
        {logs.map(({ level, at_ms, text }) => (
          <LogItem level={level} at={formatDuration(at_ms)} text={text} />
        ))}
      </ol>
    )}
    {logsAreCut && <p class="note">Truncated. The API returns all logs.</p>}
  </section>
)

/**
 * Descriptions of how an event was decoded. A Map is used because the key comes from a test run's input. The key could
 * be `constructor`, which is a property of every plain object.
 */
const DECODED: ReadonlyMap<string, string> = new Map([
  ['exact', 'Exact: the indexed arguments are known.'],
  ['inferred', 'Inferred: only one choice of indexed arguments fits the values.'],
  [
    'ambiguous',
    'Ambiguous: this is a guess. The input contains all candidates. Mark the indexed arguments in the signature.',
  ],
  [
    'raw',
    'Not decoded: the data does not match the signature. The input contains topics and data.',
  ],
])

const EventPart: FC<{ event: RunEventView; reorged: boolean }> = ({ event, reorged }) => (
  <section class="card" aria-labelledby="event">
    <h2 id="event">Event</h2>
    <FactList
      facts={[
        ['Chain', <UserText text={event.chain} />],
        ['Block', <UserText text={event.block} />],
        [
          'On the chain',
          reorged ? 'no: its block was removed by a reorganization' : 'yes, as of the last check',
        ],
        ...eventFacts(event),
        ...event.decoded.map(([name, value]): [string, Child] => [
          escapeInvisible(name),
          <UserText text={value} max={500} />,
        ]),
      ]}
    />
  </section>
)

function eventFacts(event: RunEventView): [string, Child][] {
  if (event.every !== '') return blockFacts(event)
  return event.from === '' ? logFacts(event) : transactionFacts(event)
}

const transactionFacts = ({
  transaction,
  from,
  to,
  value,
  outcome,
}: RunEventView): [string, Child][] => [
  ['Transaction', <UserText text={transaction} />],
  ['From', <UserText text={from} />],
  ['To', to === '' ? 'creates a contract' : <UserText text={to} />],
  ['Value in wei', <UserText text={value} />],
  ['Status', <UserText text={outcome} />],
]

const blockFacts = ({ hash, every }: RunEventView): [string, Child][] => [
  ['Hash', <UserText text={hash} />],
  ['Interval', <UserText text={`${every} blocks`} />],
]

const logFacts = ({
  transaction,
  contract,
  signature,
  decode,
}: RunEventView): [string, Child][] => [
  ['Transaction', <UserText text={transaction} />],
  ['Contract', <UserText text={contract} />],
  ['Signature', <UserText text={signature} />],
  ['Decoding', DECODED.get(decode) ?? <UserText text={decode} />],
]

const ReceiptPart: FC<{ run: RunView }> = ({ run: { receipt, claims, charged_cents } }) => (
  <section class="card" aria-labelledby="receipt">
    <h2 id="receipt">Cost and receipt</h2>
    <p>
      {charged_cents > 0 ? `Charged ${formatUsd(charged_cents)}.` : 'Nothing was charged.'}{' '}
      {receipt === null
        ? 'No receipt: nothing was executed yet, or the outcome is unknown.'
        : 'The machine that executed the run signed a receipt, which anyone can verify.'}
    </p>
    {receipt !== null && (
      <>
        <Collapsible title="Receipt claims" about="not verified by this page">
          {claims && (
            <FactList
              facts={claims.map(([name, value]) => [
                escapeInvisible(name),
                <UserText text={value} />,
              ])}
            />
          )}
        </Collapsible>
        <Collapsible title="Receipt text and verification">
          <pre id="receipt-text" class="long" tabindex={0}>
            {escapeInvisible(receipt)}
          </pre>
          <p>
            <button type="button" class="quiet" data-copy="receipt-text" hidden>
              Copy receipt
            </button>
          </p>
          <p>Save it as receipt.txt, fetch an evidence bundle, and run on your machine:</p>
          <pre>npx --no-install svc receipt verify receipt.txt --evidence bundle.json</pre>
          <p>
            <a href="/docs/receipts">About receipts</a>
          </p>
        </Collapsible>
      </>
    )}
  </section>
)

const Collapsible: FC<{ title: string; about?: string; children?: Child }> = ({
  title,
  about,
  children,
}) => (
  <details>
    <summary>
      {title}
      {about && <span class="ago"> ({about})</span>}
    </summary>
    {children}
  </details>
)
