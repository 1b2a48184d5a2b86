import { formatAuditCsv, formatAuditFile } from '../../../shared/audit-log/format-log.ts'
import { readVerifiedTriggerLog } from '../../../shared/client/triggers/read-verified-trigger-log.ts'
import type { ExportedTriggerLog } from '../../../shared/client/triggers/trigger-log.ts'
import { saveFile } from '../format/save-file.ts'
import { fetchEntries } from './fetch-entries.ts'
import { readEarlierHead } from './read-earlier-head.ts'

const form = document.querySelector<HTMLFormElement>('form#verify-form')!
const status = document.getElementById('log-status')!
const buttons = form.querySelectorAll('button')

async function verified(): Promise<ExportedTriggerLog> {
  const kept = form.querySelector('textarea')!.value
  const log = await readVerifiedTriggerLog(fetchEntries, readEarlierHead(kept))
  const { entries, head } = log
  const since = kept.trim() === '' ? '' : ', which contains the earlier head'
  status.textContent =
    head.sha256 === null
      ? 'The log has no entries.'
      : `Verified: ${entries.length} entries form an unbroken chain${since}. Head: ${head.sha256}`
  return log
}

/** Runs one command at a time. */
async function press(command: () => Promise<unknown>): Promise<void> {
  for (const button of buttons) button.disabled = true
  status.className = ''
  status.textContent = 'Fetching all entries…'
  try {
    await command()
  } catch (error) {
    status.className = 'problem'
    status.textContent = `Not verified: ${error instanceof Error ? error.message : String(error)}`
  }
  for (const button of buttons) button.disabled = false
}

/** Exports only a log that passed verification, as the command line does. */
async function exportAs(format: string): Promise<void> {
  const { entries, head } = await verified()
  if (format === 'csv') saveFile('svc-trigger-changes.csv', 'text/csv', formatAuditCsv(entries))
  else
    saveFile('svc-trigger-changes.ndjson', 'application/x-ndjson', formatAuditFile(entries, head))
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void press(verified)
})
for (const button of buttons) {
  const format = button.dataset['export']
  if (format !== undefined)
    button.addEventListener('click', () => void press(() => exportAs(format)))
}
for (const button of buttons) button.disabled = false
