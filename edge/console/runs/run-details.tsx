/** Rendered by the Worker, and again by the script that waits for the run to finish. */
import type { Child, FC } from 'hono/jsx'
import { Facts } from '../parts.tsx'
import { UserText, visible } from '../user-text.tsx'
import type { Shown } from './pretty-json.ts'
import type { ShownEvent, ShownRun } from './shown-run.ts'
import { Moment, Status, WAITS } from './states.tsx'
import { Timeline } from './timeline.tsx'
import { dollars } from '../dollars.ts'
import { duration, visibleLines } from './written.ts'

export const RunDetails: FC<{ run: ShownRun; now: number }> = ({ run, now }) => (
  <>
    <p class="state">
      <Status status={run.status} />
      {run.finished_at !== null && (
        <span>
          <Moment at={Date.parse(run.finished_at)} now={now} />
        </span>
      )}
    </p>
    {run.waiting_for !== null && (
      <div class="warn">
        <p>
          <strong>{WAITS[run.waiting_for].what}.</strong> {WAITS[run.waiting_for].fix}
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
    {run.error && <ErrorPart error={run.error} />}
    {run.response && <TextPart id="response" title="Response" shown={run.response} />}
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

const ErrorPart: FC<{ error: Shown }> = ({ error }) => (
  <section class="problem" aria-labelledby="error">
    <h2 id="error">Error</h2>
    <pre class="long" tabindex={0} aria-labelledby="error">
      {visibleLines(error.text)}
    </pre>
    <Cut shown={error} />
  </section>
)

const TextPart: FC<{ id: string; title: string; shown: Shown }> = ({ id, title, shown }) => (
  <section class="card" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    <pre class="long" tabindex={0} aria-labelledby={id}>
      {visibleLines(shown.text)}
    </pre>
    <Cut shown={shown} />
  </section>
)

const InputPart: FC<{ input: Shown }> = ({ input }) => (
  <section class="card" aria-labelledby="input">
    <h2 id="input">Input</h2>
    <Folded
      title="Params passed to the action"
      about={input.isCut ? 'truncated' : `${input.text.length} characters`}
    >
      <pre class="long" tabindex={0} aria-labelledby="input">
        {visibleLines(input.text)}
      </pre>
      <Cut shown={input} />
    </Folded>
  </section>
)

const LogsPart: FC<{ run: ShownRun }> = ({ run: { logs, logsAreCut, finished_at } }) => (
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
          <li class={level}>
            <span class="at">{duration(at_ms)}</span> <span class="level">{level}</span>{' '}
            <span class="text">{visibleLines(text)}</span>
          </li>
        ))}
      </ol>
    )}
    {logsAreCut && <p class="note">Truncated. The API returns all logs.</p>}
  </section>
)

/**
 * A Map, because the key comes from a test run's input and could be `constructor`, a property of every plain object.
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

const EventPart: FC<{ event: ShownEvent; reorged: boolean }> = ({ event, reorged }) => (
  <section class="card" aria-labelledby="event">
    <h2 id="event">Event</h2>
    <Facts
      facts={[
        ['Chain', <UserText text={event.chain} />],
        ['Block', <UserText text={event.block} />],
        [
          'On the chain',
          reorged ? 'no: its block was removed by a reorganization' : 'yes, as of the last check',
        ],
        ['Transaction', <UserText text={event.transaction} />],
        ['Contract', <UserText text={event.contract} />],
        ['Signature', <UserText text={event.signature} />],
        ['Decoding', DECODED.get(event.decode) ?? <UserText text={event.decode} />],
        ...event.decoded.map(([name, value]): [string, Child] => [
          visible(name),
          <UserText text={value} max={500} />,
        ]),
      ]}
    />
  </section>
)

const ReceiptPart: FC<{ run: ShownRun }> = ({ run: { receipt, claims, charged_cents } }) => (
  <section class="card" aria-labelledby="receipt">
    <h2 id="receipt">Cost and receipt</h2>
    <p>
      {charged_cents > 0 ? `Charged ${dollars(charged_cents)}.` : 'Nothing was charged.'}{' '}
      {receipt === null
        ? 'No receipt: nothing was executed yet, or the outcome is unknown.'
        : 'The machine that executed the run signed a receipt, which anyone can verify.'}
    </p>
    {receipt !== null && (
      <>
        <Folded title="Receipt claims" about="not verified by this page">
          {claims && (
            <Facts
              facts={claims.map(([name, value]) => [visible(name), <UserText text={value} />])}
            />
          )}
        </Folded>
        <Folded title="Receipt text and verification">
          <pre id="receipt-text" class="long" tabindex={0}>
            {visible(receipt)}
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
        </Folded>
      </>
    )}
  </section>
)

/** Initially collapsed. */
const Folded: FC<{ title: string; about?: string; children?: Child }> = ({
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

const Cut: FC<{ shown: Shown }> = ({ shown }) =>
  shown.isCut ? <p class="note">Truncated. The API returns the full text.</p> : <></>
