import type { FC } from 'hono/jsx'
import { TextArea } from '../../browser/components/form-fields.tsx'

/** The script `edge/browser/audit-log/` enables the buttons, because verification requires JavaScript. */
export const VerificationCard: FC = () => (
  <section class="card" aria-labelledby="verify-log">
    <h2 id="verify-log">Verify and export</h2>
    <noscript>
      <p>
        This requires JavaScript. Without it, use <code>svc trigger audit --export</code>.
      </p>
    </noscript>
    <form id="verify-form">
      <TextArea
        name="kept_head"
        label="Earlier head"
        hint="Optional. The last line of a file that you exported earlier. Entries up to it must be unchanged."
        rows={2}
        value=""
      />
      <p class="actions">
        <button disabled>Verify</button>
        <button type="button" class="quiet" data-export="ndjson" disabled>
          Export as NDJSON
        </button>
        <button type="button" class="quiet" data-export="csv" disabled>
          Export as CSV
        </button>
      </p>
      <p id="log-status" role="status" />
      <p class="note">
        The head is not signed. Keep an exported file: a log that was rewritten as a whole is
        detected only with an earlier head. See{' '}
        <a href="/docs/audit-log#changes-of-triggers">the documentation</a>.
      </p>
    </form>
  </section>
)
