import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { AuditLogOperations } from '../../../../shared/client/core/audit-log.ts'
import { formatAuditCsv, formatAuditFile } from '../../../../shared/audit-log/format-log.ts'
import { ShortenedId } from '../../components/copy-button.tsx'
import { LiveTextArea } from '../../components/form-fields.tsx'
import { UserText } from '../../components/user-text.tsx'
import { formatFailure } from '../../format/describe-failure.ts'
import { saveFile } from '../../format/save-file.ts'
import { readSubmittedForm } from '../submitted-form.ts'
import type { Perform } from '../view.ts'
import { readKeptHead } from './kept-head.ts'

type Verification =
  | { state: 'not yet' | 'in progress' }
  | { state: 'verified'; statement: string; text: string }
  | { state: 'refused'; why: string }

type Props = { auditLog: AuditLogOperations; perform: Perform }

export const VerificationCard: FC<Props> = ({ auditLog, perform }) => {
  const [verification, setVerification] = useState<Verification>({ state: 'not yet' })
  const [kept, setKept] = useState('')
  const verify = async (event: Event) => {
    const since = readKeptHead(readSubmittedForm(event).text('kept-head'))
    setVerification({ state: 'in progress' })
    try {
      const { head, statement } = await auditLog.verify(since === undefined ? {} : { since })
      const text = `Verified: ${head.sequence} entries form an unbroken chain${since === undefined ? '' : ', which contains the earlier head'}. The attested machine signed its head.`
      setVerification({ state: 'verified', statement, text })
    } catch (failure) {
      setVerification({ state: 'refused', why: formatFailure(failure) })
    }
  }
  const exportAs = (format: 'NDJSON' | 'CSV') =>
    void perform(`Export as ${format}`, async () => {
      const { entries, statement } = await auditLog.export()
      if (format === 'CSV') saveFile('svc-audit-log.csv', 'text/csv', formatAuditCsv(entries))
      else
        saveFile(
          'svc-audit-log.ndjson',
          'application/x-ndjson',
          formatAuditFile(entries, statement),
        )
    })
  return (
    <section class="card" aria-labelledby="verify-log">
      <h3 id="verify-log">Verify and export</h3>
      <form onSubmit={(event: Event) => void verify(event)}>
        <LiveTextArea
          name="kept-head"
          label="Earlier head"
          hint="Optional. A head that you kept, or the last line of an exported file. Entries up to it must be unchanged."
          rows={2}
          value={kept}
          onInput={(event: Event) => setKept((event.target as HTMLTextAreaElement).value)}
        />
        <div class="actions">
          <button disabled={verification.state === 'in progress'}>Verify</button>
          <button type="button" class="quiet" onClick={() => exportAs('NDJSON')}>
            Export as NDJSON
          </button>
          <button type="button" class="quiet" onClick={() => exportAs('CSV')}>
            Export as CSV
          </button>
        </div>
      </form>
      <p role="status">
        {verification.state === 'in progress' && 'Fetching all entries and the evidence…'}
        {verification.state === 'verified' && verification.text}
      </p>
      {verification.state === 'verified' && (
        <p>
          Signed head, to keep: <ShortenedId text={verification.statement} of="the signed head" />
        </p>
      )}
      {verification.state === 'refused' && (
        <p class="problem" role="alert">
          Not verified. <UserText text={verification.why} />
        </p>
      )}
    </section>
  )
}
