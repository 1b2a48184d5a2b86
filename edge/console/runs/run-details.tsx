/** Details of a run. Rendered by the Worker, and again by the script that waits for the run to end. */
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
          <strong>Its log is no longer on the chain.</strong> A reorganisation deeper than the
          trigger’s finality took its block back, after the run was queued.
        </p>
      </div>
    )}
    {run.error && <ErrorPart error={run.error} />}
    {run.response && <TextPart id="response" title="Response" shown={run.response} />}
    <LogsPart run={run} />
    <section class="card" aria-labelledby="course">
      <h2 id="course">Course</h2>
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
      title="What the action was given"
      about={input.isCut ? 'its beginning' : `${input.text.length} characters`}
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
        {finished_at === null
          ? 'They are here once it has ended.'
          : 'It wrote nothing to the console.'}
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
    {logsAreCut && <p class="note">More was written: the API has all of it.</p>}
  </section>
)

/** A Map, because the owner of a test run chooses this value: on a plain object, `constructor` would be found. */
const DECODED: ReadonlyMap<string, string> = new Map([
  ['exact', 'Certain: which arguments are indexed is known.'],
  ['inferred', 'Inferred: the values exclude every other choice of indexed arguments.'],
  [
    'ambiguous',
    'Ambiguous: this is a guess. The input has every reading; mark the indexed arguments in the signature.',
  ],
  ['raw', 'Not decoded: nothing fits. Topics and data are in the input.'],
])

const EventPart: FC<{ event: ShownEvent; reorged: boolean }> = ({ event, reorged }) => (
  <section class="card" aria-labelledby="event">
    <h2 id="event">Event</h2>
    <Facts
      facts={[
        ['Chain', <UserText text={event.chain} />],
        ['Block', <UserText text={event.block} />],
        ['On the chain', reorged ? 'no: its block was taken back' : 'yes, as far as was seen'],
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
      {charged_cents > 0 ? `It cost ${dollars(charged_cents)}.` : 'Nothing was charged.'}{' '}
      {receipt === null
        ? 'There is no receipt: nothing was executed yet, or nobody knows what was.'
        : 'The machine that executed it signed a receipt, which anybody can check.'}
    </p>
    {receipt !== null && (
      <>
        <Folded title="What it says" about="not verified by this page">
          {claims && (
            <Facts
              facts={claims.map(([name, value]) => [visible(name), <UserText text={value} />])}
            />
          )}
        </Folded>
        <Folded title="The receipt, and how to verify it">
          <pre id="receipt-text" class="long" tabindex={0}>
            {visible(receipt)}
          </pre>
          <p>
            <button type="button" class="quiet" data-copy="receipt-text" hidden>
              Copy the receipt
            </button>
          </p>
          <p>Save it as receipt.txt, take a bundle of the evidence, and run on your machine:</p>
          <pre>npx --no-install svc receipt verify receipt.txt --evidence bundle.json</pre>
          <p>
            <a href="/docs/receipts">What a receipt shows</a>
          </p>
        </Folded>
      </>
    )}
  </section>
)

/** Collapsed section for long content of secondary interest. */
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
  shown.isCut ? <p class="note">This is its beginning: the API has all of it.</p> : <></>
